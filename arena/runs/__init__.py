"""The run folder: the identity of a run, and its stored results."""
