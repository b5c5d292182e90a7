"""The record of one game: written once, read back, applied again. Knows no processes.

Public modules, from which other rooms may import:

    format, perspective, read, replay
"""
