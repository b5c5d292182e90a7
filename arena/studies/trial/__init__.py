"""One game, or a part of one, with everything that goes to and from a bot."""
