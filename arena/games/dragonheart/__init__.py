"""Dragonheart: its rules, and how it is shown."""
