"""Play a run: prepare it, give out its blocks and keep the results, by means of executors.

Also build the bots of a tournament.

Public modules, from which other rooms may import:

    building, events, executor, players, pool, prepare, processes, progress, run, session, worker
"""
