"""Standings of a run by rounds: places, brackets, ladders, and a file for chess programs."""
