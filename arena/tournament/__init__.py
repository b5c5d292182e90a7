"""Play a run: prepare it, give out its blocks and keep the results, by means of executors.

Also build the bots of a tournament, and survey what this and other machines can do.

Public modules, from which other floors may import:

    building, events, executor, local.players, local.processes, local.worker, machines.address,
    machines.checkup, machines.survey, prepare, progress, run, session, shards
"""
