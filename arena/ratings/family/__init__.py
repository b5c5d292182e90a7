"""Several candidates at once: which is best, and which are better than a baseline."""
