"""One game as a page for a browser: the document, the page around it, and its scripts."""
