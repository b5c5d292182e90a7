"""Search for the revision with which a bot lost strength."""
