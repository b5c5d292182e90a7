"""Commands that play a run, or make one of its parts."""
