"""Strengths from results: pure numbers, no files, no output.

``counting`` counts results, ``elo`` turns the counts into ratings with error bars and rows of
tables. ``match`` decides matches by sequential tests. Importing this package alone, or a tally,
does not load numpy.

Public modules, and what other rooms may import from them:

    counting.arrays
        added, arrays_of, Bools, Deals, Floats, Ints, MultiSeatArrays, PairCells, scatter,
        TallyArrays, weight
    counting.counts
        CELLS, CODES, comparison, DRAW, LOSS, MISSING, NO_ROW, WIN
    counting.encounters
        EncounterArrays, encounters
    counting.scored
        FORFEIT, ScoreTally, SoloTally
    counting.tally
        Dates, DateSpan, Tally
    counting.usage
        CostNumbers, CostTally, MachineNumbers, MachineTally
    elo.crosstable
        crosstable, PairResult, pairs_of
    elo.fit
        fit_model, reachable, RoundedStrength, Sums
    elo.rating
        Bound, Difference, difference, differences, ELO_UNIT, EloDifference, Estimate,
        group_letters, Rated, RatingFit, ScorePair, stable, superiority, ValueUnit
    elo.scale
        Anchor, ELO, Model, NO_PRIOR
    elo.scores
        score_pairs, score_standings, score_superiority
    elo.standings
        apart, placed, standings, Standings
    elo.strengths
        information_of, logistic, product, solve_linear
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
    probability
        chi_square_tail, digits, holm, LEAST_P, LEVEL, NORMAL_95, normal_cdf, quantile_95
"""
