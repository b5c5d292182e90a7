"""Decide who meets, on which deals and in which order: pure functions of a config and a seed.

Public modules, from which other rooms may import:

    handout, keys, kinds.fixed, kinds.kind, kinds.registry, pairings, schedule, seeds
"""
