"""A competition that runs for weeks: bots come and go, and it plays whatever there is to play."""
