"""Questions that are answered by playing games. Nothing in this package uses a terminal.

Public modules, from which other floors may import:

    bisect, calibrate, check.cases, check.check, check.finding, family.judge, family.play, listener,
    match.counted, match.judge, match.judged, match.play, plan.planner, play.functions, play.host,
    play.table, reask.bot, reask.courses, reask.decisions, reask.findings, reask.sources,
    trial.feed, trial.listening, trial.trial, tune.search, vectors.cases, vectors.exploring,
    vectors.model
"""
