"""Playing a run: prepared, given out, kept. On this machine or on others, by executors."""
