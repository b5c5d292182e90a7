"""Decide who meets, on which deals and in which order: pure functions of a config and a seed.

Public modules, from which other floors may import:

    handout, keys, kinds.fixed, kinds.kind, kinds.knockout, kinds.ladder, kinds.registry,
    kinds.swiss, pairings, prefix, rounds.history, rounds.knockout.bracket, rounds.knockout.plan,
    rounds.knockout.ties, rounds.state, rounds.swiss, rounds.tables, schedule, seeds, shards
"""
