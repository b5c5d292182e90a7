"""Dragonrealm in words and as a board."""
