"""Statistics of the full page of a table."""
