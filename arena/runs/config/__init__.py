"""The tournament file: its keys, its defaults, and the parts that decide a run.

Ladder files, and matches given on the command line, become tournaments too.

Public modules, from which other rooms may import:

    disciplines, keys, texts, tournament
"""
