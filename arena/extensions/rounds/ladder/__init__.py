"""A competition that runs for weeks: authors submit bots at any time, games are played daily.

Public modules, from which other floors may import:

    admission, book, days, keeper, store, table
"""
