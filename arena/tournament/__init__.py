"""Pairings, seeds, workers and the run folder. Knows no card rules and no message shapes."""
