"""Comparisons of several candidates: which is best, and which are better than a baseline."""
