"""A folder for ``PYTHONPATH``, in which there is ``arena`` and nothing else."""
