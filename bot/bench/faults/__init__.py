"""Nothing lost, nothing doubled: whole runs with one fault each, held against a run without."""
