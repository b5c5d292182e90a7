"""Swiss and knockout: the next round as a pure function of plan, seed and the rounds before.

Nothing here plays or stores: whoever has the results can derive every pairing, bye, place and
tie-break again. ``dutch`` pairs two seats, ``tables`` three and four, ``knockout`` is a bracket,
``trf`` exchanges two-seat Swiss tournaments with other programs.
"""
