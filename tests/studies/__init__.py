"""Questions answered by playing."""
