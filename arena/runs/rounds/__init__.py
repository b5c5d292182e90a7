"""Rounds that follow from earlier results: what was played, and what is paired next."""
