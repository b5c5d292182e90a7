"""The games: one folder for each game, the interface they share, and the registry."""
