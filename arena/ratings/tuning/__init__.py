"""Options of a bot that make it strongest, from matches of the bot against itself."""
