"""Two contestants, block by block: the figures and the sequential test."""
