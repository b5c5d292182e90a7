"""Which revision of a bot lost strength."""
