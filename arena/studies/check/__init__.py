"""Whether a bot would survive a competition: played by a referee that is legal but unkind."""
