"""What each kind of page says: tables, bots, rounds, games, rules, the feed."""
