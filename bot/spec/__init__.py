"""Issue text or folder in, Spec out. Pure: no I/O, clock, environment or randomness."""
