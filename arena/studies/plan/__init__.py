"""Estimates of the number of games that a question takes."""
