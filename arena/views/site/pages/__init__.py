"""Contents of each kind of page: tables, bots, rounds, games, rules, the feed."""
