"""Reading of results from other programs: one JSON line for each game."""
