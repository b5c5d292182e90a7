"""A module for each command of studies: what it prints and its exit code."""
