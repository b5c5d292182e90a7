"""Commands for those who add a game."""
