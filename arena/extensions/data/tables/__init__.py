"""The games of runs as tables, for programs that analyse them."""
