"""Decide who meets, on which deals and in which order: pure functions of a config and a seed."""
