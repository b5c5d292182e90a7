"""A match between two bots, for people, pull requests and CI systems."""
