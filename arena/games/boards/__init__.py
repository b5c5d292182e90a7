"""The boards of games: the generic one, and those of packages, which may fail."""
