"""Questions that are answered by playing games. Nothing in this package uses a terminal.

Public modules, from which other floors may import:

    evidence, match.contest, match.judge, match.options, match.play, planner, tuning
"""
