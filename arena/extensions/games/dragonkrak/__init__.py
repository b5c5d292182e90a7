"""Dragonkrak: the rules and the display."""
