"""Tournament runner for game-playing bots."""

__version__ = "0.2.0"
