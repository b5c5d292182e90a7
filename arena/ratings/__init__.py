"""Strengths from results: pure numbers, no files, no output.

``tally`` counts results, ``fit`` turns the counts into Elo with error bars, ``standings``
joins both to table rows. Importing this package alone, or ``tally``, does not load numpy.
"""
