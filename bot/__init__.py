"""Repowright turns a spec issue into a tested repository, one reviewed round at a time."""

__version__ = "0.1.0"
