"""Questions that are answered by playing games. Nothing in this package uses a terminal.

Public modules, from which other floors may import:

    bots, evidence, match.contest, match.judge, match.options, match.play, planner,
    play.functions, play.host, play.table, tuning
"""
