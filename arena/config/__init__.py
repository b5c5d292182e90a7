"""The tournament file: what may be written, what it comes to, and what of it decides a run."""
