"""Strengths from results: pure numbers, no files, no output.

``tally`` counts results, ``fit`` turns the counts into Elo with error bars, ``standings``
joins both to table rows. ``solo`` and ``solo_standings`` do the same for the scores of
solo games. Importing this package alone, or a tally, does not load numpy.
"""
