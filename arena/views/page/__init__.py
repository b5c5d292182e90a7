"""A run as one page for a browser: tables, charts, and its games to step through.

``gather`` counts what the standings do not, ``model`` joins all there is to show, ``blocks*`` turn
it into tables and charts, ``render`` into HTML. Nothing here reads a folder or knows rules.
"""
