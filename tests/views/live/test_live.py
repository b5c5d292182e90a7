"""A watched run as text, on a screen and as a document."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from wcwidth import wcswidth

from arena.ratings.match.report import Range, Verdict
from arena.runs.manifest import CurrentRound
from arena.text.tables import Column, Panel, Style
from arena.views.live.screen import Glance, screen
from arena.views.live.snapshot import RunPhase, Snapshot, document, page_document
from arena.views.live.text import progress, status, text, ticker, trial_lines
from arena.views.live.words import rate_words
from arena.views.standings import tables
from tests.views.live.snapshots import MATCH, PLAYING, SEVERAL, TRIAL

EVIL = "\x1b[2Jcup\n\u202e"


START = Glance()


def figured(**figures: Any) -> Snapshot:
    return PLAYING._replace(figures=PLAYING.figures._replace(**figures))


def shown(snapshot: Snapshot, glance: Glance = START, size: tuple[int, int] = (79, 24)) -> str:
    return "\n".join(line.text for line in screen(snapshot, glance, *size))


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
    assert "no table yet" in shown(empty)


def test_the_document() -> None:
    found = json.loads(json.dumps(document(MATCH)))
    assert (found["schema"], found["run"], found["phase"]) == ("arena.watch/1", "cup", "playing")
    assert found["workers"][1] is None
    assert found["last"][1]["players"][1]["fault"] == "timeout"
    assert found["trial"]["curve"] == [[0, 0.0], [60, 1.25]]
    assert found["tables"][0]["data"]["rows"][0]["elo"] == 163.912345
    assert found["tables"][0]["kind"] == "ratings"


def test_the_screen() -> None:
    lines = shown(PLAYING).splitlines()
    assert len(lines) == 24
    assert lines[0] == "cup  playing"
    assert lines[1].endswith("void 1 (1 machine)  ━━━────")
    assert lines[2].startswith("── standings ─")
    assert lines[3].startswith("#  bot")
    assert lines[-1] == "q quit"
    assert "void through machine  d/greedy+random:2:1" in lines


@pytest.mark.parametrize("snapshot", [PLAYING, SEVERAL, MATCH, PLAYING._replace(run=EVIL * 9)])
@pytest.mark.parametrize("size", [(79, 24), (29, 24), (30, 8), (40, 9), (60, 12), (200, 60)])
def test_every_size_of_a_window(snapshot: Snapshot, size: tuple[int, int]) -> None:
    for table in range(3):
        lines = screen(snapshot, Glance(table, 3), *size)
        assert len(lines) <= size[1]
        assert all(0 <= wcswidth(line.text) <= size[0] for line in lines)
        assert "q quit" in lines[-1].text


def test_hostile_names_are_harmless_in_every_line() -> None:
    snapshot = PLAYING._replace(run=EVIL, note=EVIL, phase=RunPhase.STOPPED)
    assert "\x1b" not in shown(snapshot) + text(snapshot) + ticker(snapshot)


def test_keys_choose_the_table() -> None:
    glance = Glance()

    def press(key: bytes) -> None:
        nonlocal glance
        pressed = glance.press(key, SEVERAL, 79, 24)
        assert pressed is not None
        glance = pressed

    assert "[overall]  2 d  3 k" in shown(SEVERAL, glance)
    press(b"\t")
    assert "1 overall  [d]  3 k" in shown(SEVERAL, glance)
    press(b"3")
    assert "1 overall  2 d  [k]" in shown(SEVERAL, glance)
    press(b"\t")
    assert glance.table == 0
    press(b"\x1b[D")
    assert glance.table == 2
    for key in (b"4", b"0", b"x", b"\xb2"):
        press(key)
        assert glance.table == 2
    assert glance.press(b"q", SEVERAL, 79, 24) is None


def test_the_chosen_table_is_named_in_a_narrow_window() -> None:
    names = tuple(SEVERAL.sections[0]._replace(title=f"discipline-{n}") for n in range(9))
    lines = shown(SEVERAL._replace(sections=names), Glance(8), (40, 24)).splitlines()
    assert lines[2].startswith("── …  8 discipline-6  [discipline-7] ")


def places(style: Style) -> list[Panel]:
    columns = [Column("#", "right", [*map(str, range(1, 9))]), Column("bot", "left", [*"abcdefgh"])]
    picture = Panel("x_bracket", "bracket", [], [], None, lambda width: ["a ─┐", "b ─┘"])
    return [Panel("rounds", "places", columns, ["by points"], None), picture]


BY_ROUNDS = PLAYING._replace(sections=(PLAYING.sections[0]._replace(rounds=places),))


@pytest.mark.parametrize("size", [(79, 24), (79, 14), (40, 9), (119, 40)])
def test_what_decides_stands_before_the_ratings_and_is_told_by_its_head(size) -> None:
    whole = text(BY_ROUNDS, width=size[0]).splitlines()
    titles = ["places", "bracket", "ratings"]
    assert [line for line in whole if line in titles] == titles
    under = {
        **{f"{number}  {bot}": "places" for number, bot in enumerate("abcdefgh", 1)},
        "a ─┐": "bracket",
        "a notice": "ratings",
        "seat 0 is worth": "ratings",
    }
    glance, found = Glance(), set[str]()
    for _ in range(60):
        lines = [line.text for line in screen(BY_ROUNDS, glance, *size)]
        assert len(lines) == size[1]
        window = lines[3 : next(k for k, line in enumerate(lines) if line.startswith("── being "))]
        title = "" if window[0] not in titles else window[0]
        for line in window:
            title = line if line in titles else title
            for start, own in under.items():
                if line.strip().startswith(start):
                    found.add(start)
                    assert title in (own, ""), f"{line} below {title}"
        glance = glance.press(b"j", BY_ROUNDS, *size) or glance
    assert found == {*under}, "all of it can be reached"


def test_the_page_has_what_decides_ready_made_and_programs_do_not() -> None:
    (table,) = page_document(BY_ROUNDS)["tables"]
    assert [each.title for each in table["leading"]] == ["Places", "Bracket"]
    (number, bots) = table["leading"][0].columns
    assert (number[:2], bots) == (("#", "right"), ("bot", "left", tuple("abcdefgh")))
    assert table["leading"][0].remarks == ("by points",)
    assert "leading" not in document(BY_ROUNDS)["tables"][0]
    assert page_document(PLAYING)["tables"][0]["leading"] == []


def test_a_long_table_scrolls_and_keeps_its_titles() -> None:
    size = (79, 14)
    glance, seen = Glance(), []
    for _ in range(20):
        seen.append(shown(PLAYING, glance, size))
        assert "#  bot" in seen[-1]
        glance = glance.press(b"\x1b[B", PLAYING, *size) or glance
    assert "more lines" in seen[0]
    assert "a notice" not in seen[0]
    assert "a notice" in seen[-1]
    assert seen[-1] == seen[-2], "not beyond the end"
    glance = glance.press(b"\x1b[A", PLAYING, *size) or glance
    assert shown(PLAYING, glance, size) != seen[-1], "one up moves at once"
    glance = glance.press(b"g", PLAYING, *size) or glance
    assert shown(PLAYING, glance, size) == seen[0]
