"""Setting the bot up: what its GitHub App may do and why, its registration, its credentials."""
