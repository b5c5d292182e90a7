"""One game as text, on a terminal and as a page."""
