"""Counts of game results that do not depend on the order of the games."""
