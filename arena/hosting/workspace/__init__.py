"""Where the bots of a run live, and how it is cleared."""
