"""Turns: the legal actions of a state, and the states that follow from them."""
