"""The bot as a job of GitHub Actions: no server, nothing kept but in the repository."""
