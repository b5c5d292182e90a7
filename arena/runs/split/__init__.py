"""A run split over several folders: its shards and their merge, or copies continued apart."""
