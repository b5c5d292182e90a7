"""Positions with their answers, for models of a game in any language: written, and asked for."""
