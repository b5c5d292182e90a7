"""Values that every room shares, and how they are read and written.

``results`` has those of games: seats, limits, faults, outcomes. Files that people wrote are read
with the place of every key, value and mistake, with units and the overrides of ``--set``.
``numbers`` and ``clean`` write numbers and names for people.

Public modules, from which other rooms may import:

    archives, bad_input, clean, document, numbers, option, overrides, problems, reading,
    results, schema, titles, units
"""
