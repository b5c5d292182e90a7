"""Decide who meets, on which deals and in which order: pure functions of a config and a seed.

Public modules, from which other floors may import:

    handout, keys, kinds.fixed, kinds.growing, kinds.kind, kinds.registry, pairings, prefix, refill,
    rounds.dutch, rounds.history, rounds.knockout.bracket, rounds.knockout.plan, rounds.ladder,
    rounds.matching, rounds.swiss, rounds.tables, rounds.tiebreaks, schedule, seeds, shards
"""
