"""Compute how many games a question needs."""
