"""The record of one game: written once, read back, applied again. Knows no processes."""
