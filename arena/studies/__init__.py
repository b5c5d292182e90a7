"""Questions that are answered by playing. Nothing here knows a terminal."""
