"""The repair agenda: what to mend first, where, and why."""
