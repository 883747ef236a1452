"""What runs inside the sandbox for a bench; nothing of the bot is imported there."""
