"""Strengths from results: pure numbers, no files, no output.

``counting`` counts results, ``elo`` turns the counts into ratings with error bars and rows of
tables. ``match`` and ``family`` decide matches by sequential tests, and ``planning`` and ``tuning``
choose what to play. ``full`` computes the full page of ratings, ``plain`` reads results of other
programs. Importing this package alone, or a tally, does not load numpy.
"""
