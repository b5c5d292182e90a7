"""Commands that show what was played."""
