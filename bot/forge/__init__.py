"""Adapters of the forge port."""
