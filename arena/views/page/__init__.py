"""A run as one page for a browser: tables, charts, and games to step through.

``gather`` counts what the standings do not, ``model`` holds all that is shown, ``blocks`` turns it
into tables and charts, and ``render`` into HTML. None of these reads a folder or knows rules.
"""
