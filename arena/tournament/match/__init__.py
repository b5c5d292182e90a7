"""Matches of two bots that end when it is decided which one is better."""
