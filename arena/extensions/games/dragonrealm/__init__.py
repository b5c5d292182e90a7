"""Dragonrealm: the rules and the display."""
