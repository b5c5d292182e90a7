"""Hostile bots against the real pool of workers, at every isolation level of the machine."""
