"""A match on a terminal: whole texts, the words for every verdict, hostile names."""

from __future__ import annotations

import re
import unicodedata

import msgspec
import pytest
from wcwidth import wcswidth

from arena.extensions.matches.show.text import live, text
from arena.extensions.matches.show.words import (
    MOST_ROWS,
    bins,
    claim,
    elo,
    name,
    range_words,
    settings_words,
    signed_digits,
)
from arena.extensions.matches.statistics.report import (
    MatchReport,
    MatchSide,
    Measure,
    Range,
    Scale,
    Verdict,
)
from arena.values.numbers import likelihood
from tests.extensions.matches.show.reports import (
    ALONE,
    BOUNDS,
    FAIL,
    GAIN,
    HOSTILE,
    HOSTILE_NAME,
    INCONCLUSIVE,
    INVALID,
    PAIR,
    PASS,
    REPORTS,
    TABLE,
    WON_ALL,
    changed,
)

SHOWN = """\
PASS  greedy is stronger than random: Elo +185 (+132 to +249) in 168 games

LLR       2.97   -2.94 ────────────────────┼───────────────────● 2.94
test      gain: H0 at most 0, H1 at least 40 nElo; alpha = beta = 0.05
played    168 games in 84 blocks; 8 more are stored and not counted

dragonheart-2: 1 v 1, 84 blocks of 2 games
  LL       6    7.1 %  ███▉
  LD       3    3.6 %  ██
  LW, DD  21   25.0 %  █████████████▊
  DW       5    6.0 %  ███▎
  WW      49   58.3 %  ████████████████████████████████
  score   74.4 % (68.1 % to 80.7 %)
  Elo     +185 (+132 to +249)
  nElo    +201 (+133 to +270)
  LOS     more than 99.9 %
  games   121 won, 8 drawn (4.8 %), 39 lost
  seats   51.2 ±4.2, 48.8 ±4.2 % by seat, over all who sit there
  luck    correlation -0.21 (-0.34 to -0.06) in a block: mirrored deals save 21
          % of the games
  margin  +12.3 (+8.90 to +15.8)

faults    greedy: none in 168 games
          random: 3 timeout in 168 games
bots      greedy: commit 121212121212, files abababababab
          random: files cdcdcdcdcdcd
note      what bots wrote to standard error: runs/greedy-vs-random-1a2b3c/logs
run       runs/greedy-vs-random-1a2b3c (the same command answers from it)
"""


def test_whole_text() -> None:
    assert text(PASS, width=80) == SHOWN
    assert text(PASS) == SHOWN


@pytest.mark.parametrize("kind", REPORTS)
@pytest.mark.parametrize("width", [80, 100, 300])
def test_fits_the_width(kind: str, width: int) -> None:
    for shown in text(REPORTS[kind], width=width).splitlines():
        assert wcswidth(shown) <= min(width, 100), shown


@pytest.mark.parametrize("width", [1, 40, 60])
def test_narrow_terminals_get_all_of_it(width: int) -> None:
    words = text(PASS, width=width).split()
    assert [word for word in SHOWN.split() if "─" not in word and word not in words] == []


THEY = "greedy is stronger than random:"


@pytest.mark.parametrize(
    ("report", "first"),
    [
        (WON_ALL, f"PASS  {THEY} Elo > +516 in 148 games"),
        (FAIL, "FAIL  mine is weaker than old: Elo -36 (-62 to -9.7) in 114 games"),
        (
            INCONCLUSIVE,
            "INCONCLUSIVE  no verdict on greedy against random: 10 minutes were used up after",
        ),
        (
            INVALID,
            "INVALID  greedy cannot be judged against random: greedy had a fault in 20 of 20",
        ),
        (changed(games=(ALONE,)), f"PASS  {THEY} margin +3.29 (+1.42 to +5.16) in 168 games"),
        (changed(games=(PAIR, TABLE)), f"PASS  {THEY} 168 games of 2 disciplines"),
    ],
)
def test_first_line_can_be_quoted(report: MatchReport, first: str) -> None:
    assert text(report).splitlines()[0] == first


@pytest.mark.parametrize(
    ("verdict", "elo0", "elo1", "said"),
    [
        (Verdict.PASS, 0.0, 40.0, "greedy is stronger than random"),
        (Verdict.FAIL, 0.0, 40.0, "greedy is not stronger than random by 40 nElo"),
        (Verdict.PASS, -40.0, 0.0, "greedy is not weaker than random by 40 nElo"),
        (Verdict.FAIL, -40.0, 0.0, "greedy is weaker than random"),
        (Verdict.PASS, 5.0, 10.0, "greedy is stronger than random by more than 5 nElo"),
        (Verdict.FAIL, -20.0, -2.5, "greedy is weaker than random by more than 2.5 nElo"),
    ],
)
def test_a_verdict_claims_what_the_test_rejected(verdict, elo0, elo1, said) -> None:
    test = msgspec.structs.replace(GAIN, elo0=elo0, elo1=elo1)
    sides = (MatchSide("greedy", {}, 1), MatchSide("random", {}, 1))
    report = changed(verdict=verdict, test=test, candidate=sides[0], baseline=sides[1])
    assert claim(report) == said


def test_a_verdict_calls_a_bot_as_it_was_given_and_equal_names_with_digests() -> None:
    new = msgspec.structs.replace(PASS.candidate, given="bots/mine")
    old = msgspec.structs.replace(PASS.baseline, name="mine-34343434", given="@v2")
    report = changed(candidate=new, baseline=old)
    first = " ".join(text(report).split("\n\n")[0].split())
    said = "bots/mine is stronger than @v2"
    assert first == f"PASS {said}: Elo +185 (+132 to +249) in 168 games"
    assert "@v2: mine-34343434, files cdcdcdcdcdcd\n" in text(report)
    same = changed(candidate=new, baseline=msgspec.structs.replace(old, given="bots/mine"))
    assert claim(same) == "bots/mine (abababababab) is stronger than bots/mine (cdcdcdcdcdcd)"
    assert "          @v2: 3 timeout in 168 games\n" in text(report)


def test_of_a_long_path_the_end_is_shown() -> None:
    path = "/home/somebody/with/a/long/path/to/bots/mine"
    shown = name(path)
    assert (len(shown), shown[0], shown.endswith("to/bots/mine")) == (40, "…", True)
    assert name("日本" * 30) == "…" + "本" + "日本" * 9


def test_settings_are_told() -> None:
    test = msgspec.structs.replace(GAIN, scale=Scale.LOGISTIC, elo1=7.5, beta=0.1)
    said = "gain: H0 at most 0, H1 at least 7.5 Elo; alpha = 0.05, beta = 0.1"
    assert settings_words(test) == said


@pytest.mark.parametrize(
    ("found", "shown"),
    [
        (Range(35.4, 6.6, 64.2), "+35 (+6.6 to +64)"),
        (Range(0.04, -0.04), "+0 (> +0)"),
        (Range(-9.94), "-9.9"),
        (Range(-9.96), "-10"),
        (Range(12.0, None, 20.0), "+12 (< +20)"),
        (Range(None, 530.0), "> +530"),
        (Range(None, None, -530.0), "< -530"),
        (Range(None), "–"),
    ],
)
def test_ranges(found: Range, shown: str) -> None:
    assert range_words(found, elo) == shown


def test_a_score_ends_where_scores_end() -> None:
    game = msgspec.structs.replace(PAIR, mean=Range(0.975, 0.923, 1.027))
    assert "  score   97.5 % (92.3 % to 100.0 %)\n" in text(changed(games=(game,)))


def test_numbers() -> None:
    shown = [signed_digits(value) for value in (0.0, 12.345, -0.51, 12345.6, 1e-9)]
    assert shown == ["+0.00", "+12.3", "-0.510", "+12,346", "+0.0000"]
    shown = [likelihood(share) for share in (1.0, 0.9991, 0.5, 0.0)]
    assert shown == ["more than 99.9 %", "more than 99.9 %", "50.0 %", "less than 0.1 %"]


def test_a_match_without_blocks() -> None:
    assert "  no block is finished\n" in text(INVALID)
    assert text(changed(games=(), blocks=0, games_counted=0, games_stored=0))


def test_wide_histograms_are_binned() -> None:
    for game in (TABLE, ALONE):
        rows = bins(game)
        assert len(game.histogram) > MOST_ROWS >= len(rows)
        assert sum(row.blocks for row in rows) == sum(blocks for _, blocks in game.histogram)
        assert sum(row.share for row in rows) == pytest.approx(1)
    assert [row.label for row in bins(TABLE)][:2] == ["0.0 to 0.1", "0.1 to 0.2"]
    assert [row.label for row in bins(TABLE)][-1] == "1.0"
    assert [row.label for row in bins(ALONE)][2:5] == ["-2 to 0", "0 to +2", "+2 to +4"]


@pytest.mark.parametrize("scale", [1e-7, 0.03, 1, 777, 1e9])
def test_bins_of_any_width(scale: float) -> None:
    values = tuple((k * scale + 5 * scale, 1) for k in range(50))
    game = msgspec.structs.replace(ALONE, histogram=values)
    rows = bins(game)
    assert 5 <= len(rows) <= MOST_ROWS
    assert sum(row.blocks for row in rows) == 50
    assert len({row.label for row in rows}) == len(rows)


def test_a_value_on_an_edge_is_in_the_bin_that_begins_there() -> None:
    values = tuple((k / 20, k) for k in range(21))
    rows = bins(msgspec.structs.replace(TABLE, histogram=values))
    assert [row.blocks for row in rows] == [*(4 * k + 1 for k in range(10)), 20]


def test_few_values_are_shown_as_they_are() -> None:
    game = msgspec.structs.replace(TABLE, histogram=((0.25, 1), (0.5, 0), (0.625, 3)))
    assert [row.label for row in bins(game)] == ["0.250", "0.500", "0.625"]
    game = msgspec.structs.replace(
        game, measure=Measure.MARGIN, histogram=((-1.5, 1), (0.0, 0), (20.0, 3))
    )
    assert [row.label for row in bins(game)] == ["-1.50", "0", "+20.0"]


def test_a_trace_of_whatever_is_there() -> None:
    game = msgspec.structs.replace(PAIR, histogram=((0.0, 1), (0.5, 0), (1.0, 9_999)))
    lines = text(changed(games=(game,))).splitlines()
    assert [line for line in lines if line.startswith("  LL ")] == ["  LL         1    0.0 %  ▏"]
    assert [line for line in lines if line.startswith("  LW, DD ")] == ["  LW, DD     0    0.0 %"]


@pytest.mark.parametrize(("llr", "at"), [(-99.0, 0), (-2.95, 0), (0.0, 20), (2.0, 34), (99.0, 40)])
def test_ratio_stands_between_its_bounds(llr: float, at: int) -> None:
    lines = text(changed(llr=llr)).splitlines()
    bar = re.sub("[^─┼●]", "", lines[2])
    assert len(bar) == 41
    assert bar.index("●") == at


def test_colour_is_only_colour() -> None:
    coloured = text(PASS, color=True)
    assert coloured.startswith("\x1b[1;32mPASS\x1b[0m  greedy")
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == SHOWN
    starts = {text(report, color=True)[:7] for report in REPORTS.values()}
    assert len(starts) == 4


def test_hostile_text_steers_neither_terminal_nor_ci() -> None:
    shown = text(HOSTILE)
    bad = {unicodedata.category(c) for c in shown.replace("\n", "")} & {"Cc", "Cf", "Cs", "Zl"}
    assert bad == set()
    assert HOSTILE_NAME not in shown
    for mark in ("[[ATTACHMENT", "##["):
        assert mark not in shown
    assert [line for line in shown.splitlines() if line.strip().startswith("::")] == []


def test_live_line() -> None:
    for llr, found, blocks, left, shown in (
        (
            1.42, Range(35.0, 7.0, 63.0), 120, 300,
            "LLR 1.42 (-2.94, 2.94)  Elo +35 ±28  block 120  about 300 games left",
        ),
        (-0.001, Range(None, 530.0), 21, None, "LLR 0.00 (-2.94, 2.94)  Elo > +530  block 21"),
        (0.0, Range(None), 0, None, "LLR 0.00 (-2.94, 2.94)  block 0"),
        (
            0.5, Range(3.0), 2, 12_345,
            "LLR 0.50 (-2.94, 2.94)  Elo +3.0  block 2  about 12,345 games left",
        ),
    ):  # fmt: skip
        assert live(llr, BOUNDS, found, blocks, left) == shown


def test_a_verdict_on_several_games_is_about_their_average() -> None:
    words = " ".join(text(changed(games=(PAIR, TABLE))).split())
    assert "about all disciplines together" in words
    assert "about all disciplines" not in text(PASS)
    assert "about all disciplines" not in " ".join(text(INCONCLUSIVE).split())


def test_luck_is_told_only_where_it_is_more_than_chance() -> None:
    words = " ".join(text(changed(games=(TABLE,))).split())
    assert "correlation +0.04 (-0.20 to +0.35) in a block: 0 is not ruled out" in words
    assert "cost" not in words
