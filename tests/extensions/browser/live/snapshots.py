"""Snapshots of runs, for the tests of every form."""

from __future__ import annotations

from typing import Final

from arena.extensions.browser.live.snapshot import (
    GameSummary,
    Hand,
    RunPhase,
    SeatResult,
    Snapshot,
    Trial,
    Voided,
)
from arena.extensions.matches.statistics.report import Range
from arena.tournament.progress import Figures
from arena.views.standings.tables import Section
from tests.views.standings.test_tables import PAIR

GAMES: Final = (
    GameSummary("d/greedy+random:3:1", "d", "completed",
          (SeatResult("random", 2, 31, None), SeatResult("greedy", 1, 53, None))),
    GameSummary("d/greedy+random:3:0", "d", "forfeited",
          (SeatResult("greedy", 1, None, None), SeatResult("random", 2, None, "timeout"))),
    GameSummary("k/greedy:3:0", "k", "completed", (SeatResult("greedy", 1, 4, None),)),
)  # fmt: skip
PLAYING: Final = Snapshot(
    run="cup", phase=RunPhase.PLAYING, note="",
    figures=Figures(
        done=120, total=300, planned=300, rate=12.345, left=14.6, faults=4, uncounted=0,
        voids={"machine": 1}, withdrawn=(), turn=None,
    ),
    hands=(Hand("d/greedy+random:4:0", "d", ("greedy", "random"), 3.2), None,
           Hand("k/a:4:0", "k", ("someone",), 4000.0)),
    ended=GAMES, voided=(Voided("d/greedy+random:2:1", "machine"),),
    sections=(Section("d", PAIR, ("a notice",)),), trial=None,
)  # fmt: skip
TRIAL: Final = Trial(
    candidate="new", baseline="old", settings="gain: H0 at most 0, H1 at least 40 nElo",
    llr=1.25, bounds=(-2.944, 2.944), blocks=60, games=120, games_left=80, most_games=10_000,
    elo=Range(35.2, 7.1, 63.8), verdict=None, reason="", curve=((0, 0.0), (60, 1.25)),
)  # fmt: skip
MATCH: Final = PLAYING._replace(figures=PLAYING.figures._replace(total=None), trial=TRIAL)
