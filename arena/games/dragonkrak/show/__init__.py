"""Dragonkrak in words and as a board."""
