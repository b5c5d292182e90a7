"""Playing on this machine: worker processes as an executor, and the bots of each."""
