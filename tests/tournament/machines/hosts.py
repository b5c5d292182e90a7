"""A way to machines that are threads of this process: for what a fleet does with its hosts."""
