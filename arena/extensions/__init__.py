"""arena's own extensions, each in a folder that can be deleted without harm to all else."""
