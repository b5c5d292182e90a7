"""Which options make a bot strongest."""
