"""Search for the strongest options of a bot, by matches of the bot against itself."""
