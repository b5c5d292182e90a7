"""Several runs and files of results in one table, and versions over time."""
