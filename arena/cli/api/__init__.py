"""The names of ``arena`` that programs import, which ``arena/__init__.py`` loads when used.

Public modules, from which other floors may import:

    documents, errors, library, runs, standings
"""
