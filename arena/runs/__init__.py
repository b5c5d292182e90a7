"""The run folder: the identity of a run, and its stored results.

Public modules, from which other floors may import:

    disk, field, identity, live, lock, manifest, merge, reader, rounds.authors, rounds.following,
    rounds.knockout, rounds.openings, rounds.pairing, rounds.played, rounds.refills, rounds.swiss,
    shards, store, thinning, verify, voids, withdrawals
"""
