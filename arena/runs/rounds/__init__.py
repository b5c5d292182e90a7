"""Rounds that follow from the results of those before: what was played, and what is paired next."""
