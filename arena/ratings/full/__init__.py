"""Statistics of a full page of ratings, besides the table."""
