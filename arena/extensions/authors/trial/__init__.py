"""Trial of a bot: one game, or a part of it, with everything that goes to and from the bot."""
