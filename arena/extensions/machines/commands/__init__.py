"""A module for each command of machines: what it prints and its exit code."""
