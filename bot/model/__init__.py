"""Backends of the model port, prices, ledger and budget."""
