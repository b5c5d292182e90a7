"""A competition that runs for weeks: authors submit bots at any time, games are played daily.

Public modules, from which other floors may import:

    authors, book, checks.admission, checks.quarantine, days, keeper, publish, table, tracked
"""
