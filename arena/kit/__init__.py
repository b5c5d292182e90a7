"""A first bot in any of several languages: its loop, its messages as types, its first choices."""
