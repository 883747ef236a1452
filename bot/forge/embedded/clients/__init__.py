"""The doors by which command lines reach the embedded GitHub."""
