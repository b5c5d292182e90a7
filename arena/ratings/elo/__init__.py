"""Strengths with honest errors from what was counted."""
