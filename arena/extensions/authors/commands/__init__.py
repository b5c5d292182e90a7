"""A module for each command of authors: what it prints and its exit code."""
