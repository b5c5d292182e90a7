"""Play a run: prepare it, give out its blocks and keep the results, by means of executors.

Public modules, from which other floors may import:

    building, jobs, local.players, local.processes, local.worker, machines.address,
    machines.checkup, machines.survey, prepare, progress, run, session, shards
"""
