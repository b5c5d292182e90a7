"""Match reports as they come, for the tests of every form."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from arena.extensions.matches.statistics.report import (
    Criteria,
    DisciplineReport,
    MatchReport,
    MatchSide,
    Measure,
    Range,
    Scale,
    Verdict,
)

UNKNOWN: Final = Range(None)
SCALE: Final = Scale.NORMALIZED
GAIN: Final = Criteria(
    mode="gain", scale=SCALE, elo0=0.0, elo1=40.0, alpha=0.05, beta=0.05, max_games=10_000,
    max_fault_share=0.1, max_faults=20, may_be_alike=False,
)  # fmt: skip
NO_REGRESSION: Final = msgspec.structs.replace(
    GAIN, mode="no-regression", elo0=-40.0, elo1=0.0
)  # fmt: skip
BOUNDS: Final = (-2.944438979166441, 2.944438979166441)
PAIR: Final = DisciplineReport(
    discipline="dragonheart-2", seats=2, lineup="1 v 1", measure=Measure.PLACES, block_games=2,
    blocks=84, unscored=0, games=168,
    histogram=((0.0, 6), (0.25, 3), (0.5, 21), (0.75, 5), (1.0, 49)),
    wins=121, draws=8, losses=39,
    mean=Range(0.744047619, 0.681, 0.807), elo=Range(185.4321, 131.7, 248.6),
    nelo=Range(201.25, 132.9, 269.6), los=0.99999,
    seats_worth=(Range(0.512, 0.47, 0.554), Range(0.488, 0.446, 0.53)),
    correlation=Range(-0.2134, -0.341, -0.0612),
    luck_ratio=0.7866, margin=Range(12.345, 8.9, 15.79),
    deviation=0.42, llr=2.97,
)  # fmt: skip
TABLE: Final = DisciplineReport(
    discipline="dragonkrak-4", seats=4, lineup="2 v 2", measure=Measure.PLACES, block_games=2,
    blocks=57, unscored=0, games=114,
    histogram=tuple((k / 16, n) for k, n in zip(
        range(17), (0, 1, 1, 2, 3, 6, 8, 10, 11, 7, 4, 2, 1, 0, 1, 0, 0), strict=True)),
    wins=37, draws=18, losses=59,
    mean=Range(0.449, 0.412, 0.486), elo=Range(-35.6, -61.8, -9.7),
    nelo=Range(-52.1, -90.4, -13.8), los=0.0038,
    seats_worth=(
        Range(0.541, 0.49, 0.592), Range(0.508, 0.46, 0.556), Range(0.489, 0.44, 0.538),
        Range(0.462, 0.41, 0.514),
    ),
    correlation=Range(0.04, -0.198, 0.349), luck_ratio=1.04,
    margin=Range(-0.8, -2.11, 0.51), deviation=0.2, llr=-0.31,
)  # fmt: skip
ALONE: Final = DisciplineReport(
    discipline="dragonkrak-1", seats=1, lineup="alone", measure=Measure.MARGIN, block_games=2,
    blocks=31, unscored=1, games=62,
    histogram=tuple((float(k), n) for k, n in zip(
        range(-6, 15), (1, 0, 1, 0, 2, 1, 4, 0, 3, 2, 4, 3, 2, 2, 1, 2, 1, 0, 1, 0, 1),
        strict=True)),
    wins=19, draws=4, losses=8,
    mean=Range(3.29, 1.42, 5.16), elo=UNKNOWN, nelo=Range(151.8, 55.0, 248.6), los=0.9994,
    seats_worth=(), correlation=UNKNOWN, luck_ratio=None, margin=Range(3.29, 1.42, 5.16),
    deviation=7.2, llr=1.84,
)  # fmt: skip
PERFECT: Final = msgspec.structs.replace(
    PAIR, blocks=74, games=148, wins=148, draws=0, losses=0,
    histogram=((0.0, 0), (0.25, 0), (0.5, 0), (0.75, 0), (1.0, 74)),
    mean=Range(1.0, 0.951), elo=Range(None, 516.2), nelo=Range(None, 250.4), los=None,
    correlation=UNKNOWN, luck_ratio=None,
)  # fmt: skip
NOTHING_PLAYED: Final = msgspec.structs.replace(
    PAIR, blocks=0, games=0, wins=0, draws=0, losses=0, histogram=(), mean=UNKNOWN, elo=UNKNOWN,
    nelo=UNKNOWN, los=None, seats_worth=(), correlation=UNKNOWN, luck_ratio=None, margin=UNKNOWN,
    deviation=None, llr=0.0,
)  # fmt: skip
PASS: Final = MatchReport(
    arena="0.1.0", verdict=Verdict.PASS,
    reason="the games speak for +40 rather than 0 nElo of greedy against random",
    candidate=MatchSide("greedy", {}, 168, digest="ab" * 32, revision="12" * 20),
    baseline=MatchSide("random", {"timeout": 3, "crash": 0}, 168, digest="cd" * 32),
    test=GAIN, llr=2.97, bounds=BOUNDS, blocks=84, games_counted=168, games_stored=176,
    games_left=None, games=(PAIR,), run="runs/greedy-vs-random-1a2b3c",
)  # fmt: skip


def changed(report: MatchReport = PASS, **values: Any) -> MatchReport:
    """The report with other values."""
    return msgspec.structs.replace(report, **values)


FAIL: Final = changed(
    verdict=Verdict.FAIL, llr=-2.95,
    reason="the games speak for -40 rather than 0 nElo of mine against old",
    candidate=MatchSide("mine", {}, 114), baseline=MatchSide("old", {}, 114, revision="34" * 20),
    test=NO_REGRESSION, games=(TABLE,), blocks=57, games_counted=114, games_stored=114,
    seconds=61.25,
)  # fmt: skip
INCONCLUSIVE: Final = changed(
    verdict=Verdict.INCONCLUSIVE, reason="10 minutes were used up after 172 blocks", llr=1.53,
    games=(PAIR, TABLE, ALONE), blocks=172, games_counted=344, games_stored=350, games_left=1310,
)  # fmt: skip
INVALID: Final = changed(
    verdict=Verdict.INVALID, llr=0.0, games=(NOTHING_PLAYED,), blocks=0, games_counted=0,
    reason="greedy had a fault in 20 of 20 games, more than 10 % and 20 games allow",
    games_stored=20, candidate=MatchSide("greedy", {"startup": 20}, 20),
)  # fmt: skip
WON_ALL: Final = changed(games=(PERFECT,), blocks=74, games_counted=148, games_stored=148)
HOSTILE_NAME: Final = "x\x1b[31m|`<b>@all[[ATTACHMENT|/etc/passwd]]\u202e\ud800\x00"
HOSTILE: Final = changed(
    FAIL, candidate=MatchSide(HOSTILE_NAME, {HOSTILE_NAME: 1}, 2, HOSTILE_NAME, HOSTILE_NAME),
    baseline=MatchSide("::error::" * 40, {}, 2), run=HOSTILE_NAME,
    reason="it said\n::set-env name=A::B\n##[add-path]/tmp ]]> <!-- \ufffe & \x85",
    games=(msgspec.structs.replace(TABLE, discipline=HOSTILE_NAME, lineup=HOSTILE_NAME),),
)  # fmt: skip
REPORTS: Final = {
    "pass": PASS, "fail": FAIL, "inconclusive": INCONCLUSIVE, "invalid": INVALID,
    "perfect": WON_ALL, "hostile": HOSTILE,
}  # fmt: skip
