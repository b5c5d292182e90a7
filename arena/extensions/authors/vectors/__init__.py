"""Positions with their answers, for testing models of a game in any language."""
