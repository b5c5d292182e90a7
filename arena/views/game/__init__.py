"""One game as text and on a terminal, and lists of games (``rows``, ``list_text``)."""
