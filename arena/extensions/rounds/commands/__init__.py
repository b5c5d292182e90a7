"""A module for each command of rounds: what it prints and its exit code."""
