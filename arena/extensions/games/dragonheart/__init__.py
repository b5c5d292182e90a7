"""Dragonheart: the rules and the display."""
