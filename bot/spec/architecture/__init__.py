"""The architecture document: its directory tree, and what it says about each file."""
