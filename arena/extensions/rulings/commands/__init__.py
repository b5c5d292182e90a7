"""The command of the extension."""
