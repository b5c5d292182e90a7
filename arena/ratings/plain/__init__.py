"""Results from anywhere: one JSON line for each game."""
