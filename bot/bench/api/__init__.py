"""What GitHub publishes about its API, and whether the bot and the embedded GitHub keep to it."""
