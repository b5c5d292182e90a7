"""Shares of a run: open them, collect their games, and merge them into one run."""
