"""Check of a bot for faults: games with injected faults that the protocol allows."""
