"""Number of games that a question needs, and estimates from games already played."""
