"""The referee of one game: turns, deadlines, faults. Knows no pairings, ratings or files.

Public modules, from which other rooms may import:

    ask, channel, compiled, deadline, play, session, wire
"""
