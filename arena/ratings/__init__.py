"""Strengths from results: pure numbers, no files, no output.

``counting`` counts results, ``elo`` turns the counts into ratings with error bars and rows of
tables. Importing this package alone, or a tally, does not load numpy.

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
        Tally
    counting.usage
        CostNumbers, CostTally, MachineNumbers, MachineTally
    elo.crosstable
        crosstable, PairResult, pairs_of
    elo.fit
        fit_model, reachable
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
        information_of, ITERATIONS, log_logistic, logistic, product, solve_linear, STEP, TOLERANCE
    probability
        digits, holm, LEAST_P, LEVEL, NORMAL_95, normal_cdf, perfect_share,
        quantile_95, share_of_blocks, superiority
"""
