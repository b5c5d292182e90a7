"""Ratings with confidence intervals, fitted to counted results."""
