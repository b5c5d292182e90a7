"""The run folder: the identity of a run, its stored results, and decisions based on them.

From the stored results follow the next round of a run, and which bots are withdrawn.

Public modules, from which other rooms may import:

    damage, disk, field, growth.kinds, growth.past, growth.refills, growth.rulings,
    identity, live, manifest, reader, store, thinning, verify, voids, withdrawals
"""
