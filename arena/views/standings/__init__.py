"""The table of a run, plain or full, in four forms."""
