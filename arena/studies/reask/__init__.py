"""Decisions of recorded games, put again to bots of today."""
