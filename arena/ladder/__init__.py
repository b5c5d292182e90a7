"""A competition that runs for weeks: authors submit bots at any time, games are played daily."""
