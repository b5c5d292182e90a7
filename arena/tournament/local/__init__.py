"""Play on this machine: an executor of worker processes, and the bots of each worker."""
