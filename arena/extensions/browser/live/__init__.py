"""Views of a run while it is played."""
