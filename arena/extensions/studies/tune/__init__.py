"""Search for the options that make a bot strongest."""
