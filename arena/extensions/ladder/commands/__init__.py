"""A module for each command of the ladder: what it prints and its exit code."""
