"""What can be played: a folder for each game, what all of them offer, and the registry."""
