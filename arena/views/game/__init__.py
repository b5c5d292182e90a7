"""One game as text and as a document, and lists of games (``rows``, ``list_text``)."""
