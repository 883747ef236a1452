"""Workflows that the bot offers to a repository, as they are committed."""
