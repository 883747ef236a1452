"""The model port's backends, and what keeps them honest: recording, ledger, budget, prices."""
