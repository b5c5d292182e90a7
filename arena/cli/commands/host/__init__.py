"""Commands for organisers of a competition."""
