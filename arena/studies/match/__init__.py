"""Two bots play until it is decided which is better."""
