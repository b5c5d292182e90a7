"""The run folder: what a run is, and what of it is stored."""
