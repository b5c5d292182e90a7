"""One game: as text, on a terminal, as a page."""
