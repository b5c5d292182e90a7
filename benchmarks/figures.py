"""What is measured: every figure with its unit, and medians over rounds."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple, TypeAlias


class Figure(Enum):
    """One number of a round: what it is, and its unit."""

    C_PIPE = "raw round trip, C–C, one core", "µs"
    C_PIPE_TWO = "raw round trip, C–C, two pairs on two cores", "µs"
    PYTHON_PIPE = "raw round trip, Python–C, one core", "µs"
    PYTHON_PIPE_CPU = "own CPU of the Python side of it", "µs"
    PYTHON_PIPE_TWO = "raw round trip, Python–C, two pairs on two cores", "µs"

    TURNS_ONE = "turns, C bots, one worker", "1/s"
    TURNS_TWO = "turns, C bots, two workers", "1/s"
    GAMES_TWO = "games, C bots, two workers", "1/s"
    TURN_TWO = "a whole turn of one of two workers, wall", "µs"
    TURN_CPU = "own CPU per turn, workers and parent", "µs"
    TURN_CPU_WORKER = "own CPU per turn, workers alone", "µs"
    PURE_TURN_CPU = "own CPU per turn without compiled code, workers and parent", "µs"
    PURE_TURNS_TWO = "turns without compiled code, C bots, two workers", "1/s"
    ENGINES_CPU = "two instant UCI engines, own CPU per ply, workers and parent", "µs"
    KRAK_TURN_CPU = "Dragonkrak for four, own CPU per turn, workers and parent", "µs"
    KRAK_TURNS = "Dragonkrak for four, turns, two workers", "1/s"
    REALM_TURN_CPU = "Dragonrealm for four, own CPU per turn, workers and parent", "µs"
    REALM_TURNS = "Dragonrealm for four, turns, two workers", "1/s"
    TURNS_UNRECORDED = "turns, C bots, two workers, no records", "1/s"
    TURNS_NAIVE = "turns, naive Python bots, two workers", "1/s"
    REFEREE_SHARE = "referee's share of all CPU, naive Python bots", ""

    TWO_10 = "games, C bots, one worker, two seats, 10 entrants", "1/s"
    TWO_50 = "games, C bots, one worker, two seats, 50 entrants", "1/s"
    TWO_200 = "games, C bots, one worker, two seats, 200 entrants", "1/s"
    FOUR_10 = "games, C bots, one worker, four seats, 10 entrants", "1/s"
    FOUR_50 = "games, C bots, one worker, four seats, 50 entrants", "1/s"
    FOUR_200 = "games, C bots, one worker, four seats, 200 entrants", "1/s"

    LOOP_CPU = "own CPU per turn, rules and observation made beforehand", "µs"

    RULES_STEPS = "Dragonheart, random self-play, decisions", "1/s"
    RULES_STEPS_DEALT = "Dragonheart, the same without the deal", "1/s"
    KRAK_STEPS = "Dragonkrak for four, random self-play, decisions", "1/s"
    KRAK_GAMES = "Dragonkrak for four, games", "1/s"
    REALM_STEPS = "Dragonrealm for four, random self-play, decisions", "1/s"
    REALM_GAMES = "Dragonrealm for four, games", "1/s"
    OPENSPIEL_STEPS = "OpenSpiel hearts from Python, decisions", "1/s"
    OPENSPIEL_STEPS_DEALT = "OpenSpiel hearts, the same without the deal", "1/s"

    PYTHON_START = "python -c pass", "s"
    HELP = "arena --help", "s"
    VERSION = "arena --version", "s"

    PARENT_CPU = "parent's own CPU per finished game", "µs"
    PARENT_MEMORY = "parent's peak memory, short run", "MB"
    PARENT_MEMORY_LONG = "parent's peak memory, run of ten times the games", "MB"

    RATINGS_TOTAL = "ratings from a run folder, per 1,000,000 games", "s"
    RATINGS_FIT = "the fit alone", "s"
    PLAIN_TOTAL = "ratings from plain results, per 1,000,000 games", "s"
    PLAIN_DECODED = "their lines decoded and checked", "s"
    PLAIN_COUNTED = "their games counted", "s"
    PLAIN_FITTED = "their fit", "s"
    PLAIN_FLOOR = "their lines decoded by msgspec, unchecked, per 1,000,000 games", "s"

    REPORT_HEART = "report, CPU per Dragonheart game", "ms"
    REPORT_REALM = "report, CPU per Dragonrealm game for four", "ms"
    ALONE_HEART = "rules alone, records of Dragonheart, per game", "ms"
    VERIFY_HEART = "verify, Dragonheart, per game", "ms"
    ALONE_REALM = "rules alone, records of Dragonrealm for four, per game", "ms"
    VERIFY_REALM = "verify, Dragonrealm for four, per game", "ms"

    FASTCHESS_CPU = "fastchess, affinity, concurrency 2, own CPU per ply", "µs"
    FASTCHESS_PLIES = "fastchess, affinity, concurrency 2, plies", "1/s"

    def __init__(self, label: str, unit: str) -> None:
        self.label = label
        self.unit = unit


Figures: TypeAlias = dict[Figure, float]
"""What one round, or one case of it, gave."""


class Spread(NamedTuple):
    """A number over the rounds."""

    median: float
    low: float
    high: float

    def __str__(self) -> str:
        if self.low == self.high:
            return shown(self.median)
        return f"{shown(self.median)} [{shown(self.low)}..{shown(self.high)}]"


def spread(values: Sequence[float]) -> Spread:
    """Median, least and greatest of at least one value."""
    return Spread(statistics.median(values), min(values), max(values))


def shown(value: float) -> str:
    """Three digits that count, without an exponent."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    decimals = 1 if abs(value) >= 10 else 2 if abs(value) >= 1 else 3
    return f"{value:.{decimals}f}"
