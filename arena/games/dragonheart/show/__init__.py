"""Dragonheart in words and as a board."""
