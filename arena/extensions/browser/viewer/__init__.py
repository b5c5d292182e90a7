"""The viewer of games in a browser, and the document that it reads."""
