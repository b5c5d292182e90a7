"""Results of other programs, from their files."""
