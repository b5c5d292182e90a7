"""Play a run: prepare it, give out its blocks and keep the results, by means of executors.

Also build the bots of a tournament, and survey what this and other machines can do.

Public modules, from which other floors may import:

    building, events, executor, machines.checkup, machines.direct, machines.survey, players,
    prepare, processes, progress, run, session, shards, worker
"""
