"""A run while it is played."""
