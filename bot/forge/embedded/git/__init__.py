"""Bare repositories, what may be pushed to them, and git's own HTTP protocol."""
