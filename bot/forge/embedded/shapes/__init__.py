"""Rows as the JSON objects that GitHub's clients parse."""
