"""Questions that are answered by playing games. Nothing in this package uses a terminal."""
