"""The table of a run, plain and full, in four forms."""
