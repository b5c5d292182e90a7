"""Commands that say which bot is stronger, and how sure that is."""
