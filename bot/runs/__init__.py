"""Runs from event to event: queue, waits, resume, cancel."""
