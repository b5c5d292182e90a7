"""Commands that state which bot is stronger, and how sure that is."""
