"""Several candidates play until the best of them is known, or who beats a baseline."""
