"""Commands for those who write a bot."""
