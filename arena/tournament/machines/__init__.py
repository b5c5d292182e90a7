"""Play on other machines: a host on each, a fleet of hosts as one executor, Dask in between."""
