"""The command ``arena compare``."""
