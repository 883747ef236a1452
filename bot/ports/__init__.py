"""The protocols that adapters implement; only wiring.py knows which adapter serves a run."""
