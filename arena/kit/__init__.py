"""Starter bots in several languages: message loop, types of the messages, first choices."""
