"""The evolving project state and its reconciliation with the code. Pure."""
