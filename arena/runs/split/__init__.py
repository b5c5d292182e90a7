"""One run that is split over several folders: its shards and their merge, or copies of it."""
