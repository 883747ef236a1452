"""Migrations of the server's database, from its first schema on."""
