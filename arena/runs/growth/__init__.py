"""Growth of a run: its kind, the seeds of its rounds, and refilled tables."""
