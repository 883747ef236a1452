"""The bot without a server: the jobs of a repository's own workflows, run for real by act."""
