"""Rubrics and probes for projects that tests alone cannot judge."""
