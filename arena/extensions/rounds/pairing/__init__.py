"""The next round of each kind, as a pure function of plan, seed and earlier rounds.

Nothing here plays or stores games: every pairing, bye, place and tie-break can be derived again
from the results. ``state`` has what is known of the players, ``dutch`` pairs two seats, ``tables``
three and four, and ``tiebreaks`` ranks. A knockout is a ``bracket`` of ``ties`` in ``heats``.
``history`` exports Swiss tournaments of two seats for other programs.
"""
