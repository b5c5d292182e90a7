"""Words and numbers for people: safe names, durations, columns.

Public modules, from which other floors may import:

    cells, clean, last_words, numbers, tables
"""
