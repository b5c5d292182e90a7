"""Swiss and knockout: the next round as a pure function of plan, seed and earlier rounds.

Nothing here plays or stores games: every pairing, bye, place and tie-break can be derived again
from the results. ``dutch`` pairs two seats, ``tables`` three and four, ``knockout`` is a bracket.
``history`` exports two-seat Swiss tournaments for other programs.
"""
