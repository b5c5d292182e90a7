"""A module for each command of data: what it prints and its exit code."""
