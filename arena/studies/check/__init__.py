"""Check of a bot for faults: games with a referee that is legal but unkind."""
