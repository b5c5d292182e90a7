"""A watched run as text, on a screen and as a document."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from arena.cli.terminal.progress import rate_words
from arena.extensions.browser.live.snapshot import RunPhase, Snapshot, document, page_document
from arena.extensions.browser.live.text import progress, status, text, ticker, trial_lines
from arena.extensions.matches.statistics.report import Range, Verdict
from arena.runs.manifest import CurrentRound
from arena.views.standings import tables
from arena.views.tables import Column, PageBlock, Sign
from tests.extensions.browser.live.snapshots import MATCH, PLAYING, TRIAL

EVIL = "\x1b[2Jcup\n\u202e"


def figured(**figures: Any) -> Snapshot:
    return PLAYING._replace(figures=PLAYING.figures._replace(**figures))


def test_a_whole_snapshot_as_text() -> None:
    assert text(PLAYING).splitlines() == [
        "cup: playing",
        "120/300   40%  12 games/s  left 0:00:15  faults 4  void 1 (1 machine)",
        "",
        *tables.text(PLAYING.sections).splitlines(),
        "",
        "being played",
        "  0  3 s      greedy, random     d/greedy+random:4:0",
        "  1           between two games",
        "  2  1:06:40  someone            k/a:4:0",
        "",
        "last games",
        "  1. greedy 53, 2. random 31      d/greedy+random:3:1",
        "  1. greedy, 2. random (timeout)  d/greedy+random:3:0",
        "  greedy 4                        k/greedy:3:0",
        "",
        "void games",
        "  void through machine  d/greedy+random:2:1",
    ]


def test_a_match_as_text() -> None:
    assert text(MATCH).splitlines()[:6] == [
        "cup: playing",
        "120 games  12 games/s  left 0:00:15  faults 4  void 1 (1 machine)",
        "",
        "match new against old",
        "LLR 1.25   -2.94 ────────────────────┼───────●──────────── 2.94",
        "Elo +35 (+7.1 to +64)  60 blocks  120 games  about 80 left  at most 10000",
    ]


def test_a_match_with_a_verdict() -> None:
    trial = msgspec.structs.replace(
        TRIAL, verdict=Verdict.PASS, reason="because", games_left=None, elo=Range(None)
    )
    lines = trial_lines(trial, 79)
    assert lines[0] == "PASS  because"
    assert lines[2] == "60 blocks  120 games"


@pytest.mark.parametrize(
    ("snapshot", "line"),
    [
        (PLAYING, "120/300   40%  12 games/s  left 0:00:15  faults 4  void 1 (1 machine)"),
        (PLAYING._replace(phase=RunPhase.SILENT, note="no sign of life for 40 seconds"),
         "120/300   40%  12 games/s  left 0:00:15  faults 4  void 1 (1 machine)  silent, no "
         "sign of life for 40 seconds"),
        (figured(rate=None, left=None, voids={}), "120/300   40%  left ?  faults 4"),
        (figured(rate=None, left=None, voids={})._replace(phase=RunPhase.FINISHED),
         "120/300   40%  faults 4  finished"),
        (figured(turn=CurrentRound(2, 5)), "round 2 of 5  120/300   40%  12 games/s  left 0:00:15  "
         "faults 4  void 1 (1 machine)"),
        (figured(voids={}, withdrawn=("bad",), planned=400, uncounted=3),
         "120/300   40%  12 games/s  left 0:00:15  faults 4 (3 in games of withdrawn bots)  "
         "withdrawn bad  with them 400 games were planned"),
        (MATCH, "LLR 1.25 (-2.94, 2.94)  Elo +35 ±28  block 60  about 80 games left  120 games  "
         "12 games/s  left 0:00:15  faults 4  void 1 (1 machine)"),
    ],
)  # fmt: skip
def test_the_line_that_is_printed_now_and_then(snapshot: Snapshot, line: str) -> None:
    assert ticker(snapshot) == line


@pytest.mark.parametrize(
    ("rate", "words"), [(184.4, "184 games/s"), (3.14, "3.1 games/s"), (0.02, "50 s a game")]
)
def test_speed(rate: float, words: str) -> None:
    assert rate_words(rate) == words


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"phase": RunPhase.FINISHED}, "finished"),
        ({"phase": RunPhase.STOPPED, "note": "was stopped; go on"}, "was stopped; go on"),
        ({"phase": RunPhase.SILENT, "note": "no sign"}, "silent, no sign"),
        ({"read": 0.25}, "reading the stored games: 25%"),
    ],
)
def test_the_phase_in_words(changes: dict[str, Any], words: str) -> None:
    assert status(PLAYING._replace(**changes)) == words


def test_a_run_without_games() -> None:
    empty = figured(done=0, total=0)._replace(sections=(), ended=(), voided=(), hands=())
    assert progress(empty).startswith("0/0")
    assert text(empty).splitlines()[1:] == [progress(empty)]


def test_the_document() -> None:
    found = json.loads(msgspec.json.encode(document(MATCH)))
    assert (found["schema"], found["run"]) == ("arena.watch/1", "cup")
    found = found["data"]
    assert found["phase"] == "playing"
    assert found["workers"][1] is None
    assert found["last"][1]["players"][1]["fault"] == "timeout"
    assert found["trial"]["curve"] == [[0, 0.0], [60, 1.25]]
    assert found["tables"][0]["data"]["rows"][0]["elo"] == 163.912345
    assert found["tables"][0]["kind"] == "ratings"


def test_hostile_names_are_harmless_in_every_line() -> None:
    snapshot = PLAYING._replace(run=EVIL, note=EVIL, phase=RunPhase.STOPPED)
    assert "\x1b" not in text(snapshot) + ticker(snapshot)


class Picture:
    signs: Sequence[Sign] = ()

    def lines(self, width: int | None) -> Sequence[str]:
        return ["a ─┐", "b ─┘"]

    def svg(self) -> str:
        return "<svg></svg>"


def places() -> list[PageBlock]:
    columns = [Column("#", "right", [*map(str, range(1, 9))]), Column("bot", "left", [*"abcdefgh"])]
    picture = PageBlock("x_bracket", "bracket", figures=[Picture()])
    return [PageBlock.of("rounds", "places", columns, ["by points"], None), picture]


BY_ROUNDS = PLAYING._replace(sections=(PLAYING.sections[0]._replace(rounds=places),))


def test_what_decides_stands_before_the_ratings() -> None:
    lines = text(BY_ROUNDS, width=79).splitlines()
    titles = ["places", "bracket", "ratings"]
    assert [line for line in lines if line in titles] == titles


def test_the_page_has_what_decides_ready_made_and_programs_do_not() -> None:
    (table,) = page_document(BY_ROUNDS)["tables"]
    assert [each.title for each in table["leading"]] == ["Places", "Bracket"]
    (number, bots) = table["leading"][0].columns
    assert (number[:2], bots) == (("#", "right"), ("bot", "left", tuple("abcdefgh")))
    assert table["leading"][0].remarks == ("by points",)
    assert "leading" not in document(BY_ROUNDS).data.tables[0]
    assert page_document(PLAYING)["tables"][0]["leading"] == []
