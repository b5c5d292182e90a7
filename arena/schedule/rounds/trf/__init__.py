"""The tournament report file of FIDE: TRF16, and what TRF-2026 adds for the pairing of a round.

Fixed columns, one line for each player. Read strictly: what is not understood and could change
a pairing is refused with its place. Accelerations, teams and abnormal points are not known.
"""
