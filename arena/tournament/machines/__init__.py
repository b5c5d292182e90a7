"""Playing on other machines: a host on each, a fleet of them as one executor, Dask in between."""
