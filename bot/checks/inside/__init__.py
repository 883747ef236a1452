"""What the project's own Python runs inside the sandbox; nothing of the bot is imported there."""
