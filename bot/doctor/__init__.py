"""`repowright doctor`: looks at everything that the bot needs, and says what to do."""
