"""The run folder: the identity of a run, its stored results, and decisions based on them.

From the stored results follow the next round of a run, and which bots are withdrawn.

Public modules, from which other floors may import:

    damage, disk, field, identity, live, manifest, merge, reader, rounds.following, rounds.kinds,
    rounds.openings, rounds.refills, shards, store, thinning, verify, voids, withdrawals
"""
