"""Strengths from results: pure numbers, no files, no output.

``counting`` counts results, ``elo`` turns the counts into ratings with error bars and rows of
tables. ``match`` decides matches by sequential tests. ``full`` computes the full page of ratings,
``plain`` reads results of other programs. Importing this package alone, or a tally, does not load
numpy.

Public modules, and what other floors may import from them:

    counting.arrays
        arrays_of
    counting.scored
        ScoreTally, SoloTally
    counting.tally
        Dates, DateSpan, Tally
    counting.usage
        CostNumbers, CostTally, MachineNumbers, MachineTally
    elo.fit
        fit_model, RoundedStrength, Sums
    elo.rating
        Bound, difference, Difference, ELO_UNIT, Estimate, Rated, RatingFit, ScorePair,
        superiority, ValueUnit
    elo.scale
        Anchor, ELO, Model
    elo.scores
        score_pairs, score_standings, score_superiority
    elo.standings
        apart, placed, Standings, standings
    full.crosstable
        changes, PairResult, pairs_of, VersionChange
    full.cycles
        Cycles, Triple
    full.numbers
        Forfeits, full, Full, SeatScore
    full.ranks
        ComparableGroup, DRAWS, Lacks, Link, RankRange
    match.blocks
        block_result, correlation, game_score, MatchDiscipline, Repeats, Scores
    match.match
        Decision, LEAST_DISTINCT, Match, NOTHING_NEW
    match.numbers
        Blocks, elo_range, even_of, mean_range, Moments, moments, nelo_range, superiority_of
    match.report
        ComparedDiscipline, Criteria, DisciplineReport, Distinct, Hypotheses, JudgedReport,
        MatchReport, MatchSide, Measure, Range, Scale, Verdict
    match.sprt
        between, expectation, expected, LEAST_BLOCKS, length, llr, MODES, NELO, verdict
    plain.pgn
        is_pgn, lines_of_pgn
    plain.read
        copy_clean, read_results, ResultsError, SeenGames
    probability
        NORMAL_95, normal_cdf
"""
