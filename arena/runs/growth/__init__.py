"""What a run continues with: its kind, the seeds of its rounds, and refilled tables."""
