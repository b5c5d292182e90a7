"""One module for each command: what it prints and its exit code."""
