"""Matches of two contestants: results by block, and the sequential test."""
