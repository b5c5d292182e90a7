"""Results counted one by one, in any order."""
