"""Counts of the games of a run for its pages: by step, by bot, by deal."""
