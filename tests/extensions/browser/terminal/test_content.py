"""What a terminal shows of a game, whole screens."""

from __future__ import annotations

import re

import msgspec
import pytest
from wcwidth import wcswidth

from arena.extensions.browser.terminal.content import Line, screen
from arena.extensions.browser.terminal.keys import KEYS, Command, help_rows
from arena.extensions.browser.terminal.stepper import SidePanel, Stepper
from arena.extensions.browser.viewer.moments import Moment, MomentKind
from arena.referee.records.perspective import SPECTATOR
from tests.views.game.replays import autopilot_replay, record_of, renamed, replay_of, rules_of

HOME, END = b"\x1b[H", b"\x1b[F"
UP, DOWN, PAGE_DOWN = b"\x1b[A", b"\x1b[B", b"\x1b[6~"
RULES = rules_of(edition="ffg")
REPLAY = replay_of(RULES, record_of(RULES))
LAST = len(REPLAY.record.plies)


def after(*keys: bytes, seat: int | None = None) -> Stepper:
    stepper: Stepper | None = Stepper.begin(REPLAY, seat)
    for key in keys:
        assert stepper is not None
        stepper = stepper.press(key)
    assert stepper is not None
    return stepper


def lines(stepper: Stepper, columns: int = 79, rows: int = 24) -> list[str]:
    return [line.text.rstrip() for line in screen(stepper, columns, rows)]


def test_a_screen_of_all_cards():
    assert lines(after(*[b"."] * 14)) == [
        "greedy+random:0:0  game 1 of 4  Dragonheart, FFG edition         ply 16 of 0-88",
        "seat 0 greedy  seat 1 random  18–0  view: all cards",
        "  seat 0  greedy  18 points, hand 5, pile 36",
        "  hand    Dwarf 2, Huntress 1, Knight 1, Ship, Sorceress 2",
        "> seat 1  random  0 points, hand 4, pile 38",
        "  hand    Dwarf 1, Fire dragon 3, Sorceress 1, Troll 3",
        "  Dwarf           0/4                  takes Dwarf",
        "  Fire dragon       1: 3               takes Treasure",
        "  Huntress        1/3: 2               takes Fire dragon",
        "  Knight          2/2: 1 1             takes Sorceress or Troll",
        "  Petrified         2: 2 2",
        "  Ship            1/3                  takes Quay",
        "  Sorceress         0                  takes Treasure or Petrified",
        "  Treasure          0",
        "  Troll             1: 3               takes Sorceress",
        "  Quay              0",
        "turn 14: seat 1 to choose | ship rows 0/3 | figure: on the board",
        "━━━━━━━━━━━━┼━━●────────────┼──────────────────────────────────┼─────────────┼┼",
        "    13  greedy plays Fire dragon 3; collects Treasure 1 2 2 4 4; draws Dwarf 1…",
        "    14  random plays Ship; draws Dwarf 1",
        "    15  greedy plays Dwarf 1 1; collects Dwarf 1 2 1 1; draws Knight 1, Dwarf …",
        ">   16  random plays Knight 1",
        "random thought 1.0 ms",
        "→ ← ply  ] [ turn  Space play  m f s jump  / find  0-2 p view  ? help  q quit",
    ]


def test_a_seat_sees_how_many_cards_the_other_holds():
    shown = lines(after(*[b"."] * 14, b"1"))
    assert shown[1] == "seat 0 greedy  seat 1 random  18–0  view: what seat 0 (greedy) saw"
    assert shown[5] == "  hand    4 cards that this view does not show"
    assert shown[22] == ""
    assert shown[21] == ">   16  random plays Knight 1"


def test_a_ply_that_the_seat_did_not_see_and_the_end():
    assert lines(after(HOME, b".", b".", b"1"))[18:20] == [
        "     0  greedy is dealt Dwarf 1, Huntress 2, Sorceress 2, Treasure 1 2",
        ">    1  nothing that greedy could see",
    ]
    assert lines(after(END))[18:22] == [
        "    87  greedy plays Fire dragon 3; turn 76 will be the last",
        ">   88  random plays Dwarf 2; collects Dwarf 1 3 3 2; draws Ship; the game has",
        "        ended  [random +9: 69–59]",
        "  over: 1. greedy, 2. random",
    ]


PAST = "━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┼━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┼━━━┼━━━━━━●"
"""The end of the game below on its time line."""


def forfeited(plies: int = 35, seat: int | None = None, **evidence: object) -> Stepper:
    """At the end of a game in which the bot to act crashed."""
    record = record_of(RULES, plies=plies)
    (found,) = record.measured.evidence
    changed = (msgspec.structs.replace(found, **evidence),)
    measured = msgspec.structs.replace(record.measured, evidence=changed)
    stepper = Stepper.begin(replay_of(RULES, record._replace(measured=measured)), seat)
    return stepper._replace(position=plies)


def test_the_end_after_a_fault_shows_all_that_is_known_of_it():
    assert lines(forfeited(stderr="Traceback\n\tboom")) == [
        "greedy+random:0:0  game 1 of 4  Dragonheart, FFG edition         ply 34 of 0-34",
        "seat 0 greedy  seat 1 random  46–3  view: all cards",
        "turn 30: random to choose | ship rows 1/3 | figure: greedy",
        "greedy: 46 points, hand 6, pile 25 | random: 3 points, hand 4, pile 30",
        "hand: Huntress 1, Ship, Sorceress 1, Treasure 1",
        "board: Dwarf 2 1 (2/4) | Knight 1 (1/2) | Petrified 2 | Sorceress 2 2 1 |",
        "  Treasure 3 | Troll 3 | Quay: Huntress 1 2 2",
        PAST,
        "    29  greedy chooses Petrified: collects Petrified 2 2 2 and the dragon figu…",
        "    30  random plays Treasure 3; draws Treasure 1",
        "    31  greedy plays Huntress 2; collects Fire dragon 3 3 4 4; the full row go…",
        "    32  random plays Dwarf 1; draws Huntress 1",
        "    33  greedy plays Petrified 2; draws Dwarf 2",
        ">   34  random plays Sorceress 1",
        "  forfeited: 1. greedy, 2. random; random: crash",
        "  fault of random (seat 1) at ply 35: crash: its process ended",
        "    waited 2.5 ms",
        "    killed by SIGSEGV",
        "    line: {",
        "    end of its standard error:",
        "      Traceback",
        "              boom",
        "random thought 1.0 ms",
        "→ ← ply  ] [ turn  Space play  m f s jump  / find  0-2 p view  ? help  q quit",
    ]


def test_long_evidence_is_wrapped_and_ends_with_the_last_words_of_the_bot():
    said = "\n".join(f"{number:02} {'語' * 50}" for number in range(20))
    shown = lines(forfeited(line="x" * 200, stderr=said))
    assert shown[2:4] == [PAST, ">   34  random plays Sorceress 1"]
    assert "".join(line.removeprefix("    line:").strip() for line in shown[8:11]) == "x" * 200
    assert shown[11] == "    end of its standard error:"
    assert [line[6:8] for line in shown[12:22:2]] == ["15", "16", "17", "18", "19"]
    assert sum(line.count("語") for line in shown) == 5 * 50


def test_the_fault_of_a_seat_whose_evidence_is_not_shown_leaves_the_board():
    assert lines(forfeited(seat=0))[17:23] == [
        PAST,
        "    33  greedy plays Petrified 2; draws Dwarf 2",
        ">   34  random plays Sorceress 1",
        "  forfeited: 1. greedy, 2. random; random: crash",
        "  fault of random (seat 1) at ply 35: crash",
        "",
    ]


def test_a_fault_before_the_first_ply_is_shown_at_once():
    shown = lines(Stepper.begin(forfeited(0).replay, None))
    assert shown[0].endswith("no plies")
    assert shown[7:10] == [
        "  forfeited: 1. random, 2. greedy; greedy: startup",
        "  fault of greedy (seat 0) at ply 0: startup: its process ended",
        "    waited 2.5 ms",
    ]


def test_a_low_window_says_how_much_of_the_evidence_is_missing():
    assert lines(forfeited(), rows=10)[3:8] == [
        ">   34  random plays Sorceress 1",
        "  forfeited: 1. greedy, 2. random; random: crash",
        "  fault of random (seat 1) at ply 35: crash: its process ended",
        "    waited 2.5 ms",
        "  … 4 more lines",
    ]


@pytest.mark.parametrize(
    ("columns", "keys"),
    [
        (150, "→ ← ply  ] [ turn  Space play  m f s jump  / find  a i more  0 all  1 greedy  "
              "2 random  p public  ? help  q quit"),
        (88, "→ ← ply  ] [ turn  Space play  m f s jump  / find  a i more  0-2 p view  ? help  "
             "q quit"),
        (79, "→ ← ply  ] [ turn  Space play  m f s jump  / find  0-2 p view  ? help  q quit"),
        (70, "→ ← ply  ] [ turn  Space play  m f s jump  0-2 p view  ? help  q quit"),
        (50, "→ ← ply  ] [ turn  Space play  ? help  q quit"),
        (40, "→ ← ply  ] [ turn  ? help  q quit"),
        (30, "→ ← ply  ? help  q quit"),
    ],
)  # fmt: skip
def test_narrow_windows_keep_the_keys_for_help_and_quitting(columns, keys):
    assert lines(after(), columns)[-1] == keys


def test_long_names_leave_room_for_keys_and_view():
    def shown(columns, *names):
        stepper = after()
        return lines(stepper._replace(view=renamed(stepper.view, names)), columns)

    assert "0 all  1 seat 0  2 seat 1  p public  ? help" in shown(120, "n" * 24, "m" * 24)[-1]
    view = shown(70, "n" * 20, "m" * 20)[1]
    assert view == f"{'n' * 20}  {'m' * 20}  0–0  view: all cards"


def test_the_time_of_a_slow_move_is_told_once():
    stepper = after(*[b"."] * 14)
    words = "random thought 1.0 ms, usually 0.1 ms"
    slow = Moment(stepper.position - 1, MomentKind.SLOW, words)
    told = stepper._replace(stops=stepper.stops._replace(turning_points=(slow,)))
    assert lines(told)[-2] == f"┼ {words}"
    assert lines(told.press(b","))[-2] == "greedy thought 1.0 ms"


@pytest.mark.parametrize(
    ("keys", "row", "shown"),
    [
        (
            [b".", b".", b"."], 22,
            'greedy thought 1.0 ms  info {"eval":0.5,"text":"mate\\u001b[1m"}',
        ),
        ([b"/", b"t", b"r"], 22, "find: tr_"),
        ([b"g", b"1"], 22, "go to ply: 1_"),
        ([b"/", b"\x1b", b"f"], 22, "no fault in this view"),
        ([b"+"], 22, "speed: 2 per second"),
        ([HOME, b".", b"p", b"i"], 2, "ply 0: nothing that a spectator could see"),
        ([*[b"."] * 14, b"p", b"a"], 2, "what ply 16 was chosen from is not in this view"),
    ],
)  # fmt: skip
def test_a_line_of_the_screen(keys, row, shown):
    assert lines(after(*keys))[row] == shown


def test_the_start_and_marks():
    start = lines(after(HOME))
    assert start[0].endswith("start, plies 0-88")
    assert start[18:23] == [""] * 5
    assert lines(after(b" "))[0].endswith("playing 1/s  ply 2 of 0-88")
    shown = lines(after(b"m"))
    assert shown[17][12:14] == "●─"
    assert shown[22].startswith("┼ greedy +")


def test_the_autopilot_did_not_think():
    stepper = Stepper.begin(autopilot_replay(), None)
    bot, autopilot = (lines(stepper._replace(position=position)) for position in (5, 6))
    assert bot[21:23] == [">    4  event, what said, value 2, seat 0", "a thought 0.0 ms"]
    assert autopilot[21:23] == [
        ">    5  autopilot: event, what said, value 0, seat 1",
        "! b: malformed",
    ]


def test_help_says_which_key_shows_which_seat_and_fits_the_smallest_full_window():
    shown = lines(after(b"?"))
    assert "  1               what seat 0 (greedy) saw" in shown
    assert "  2               what seat 1 (random) saw" in shown
    for seats in range(1, 5):
        rows = help_rows(("n" * 24,) * seats)
        assert len(rows) < 24
        assert all(wcswidth(what) + 18 <= 79 for _, what in rows)


def test_every_command_is_in_the_help():
    """By the keys: those that only some terminals send stand for the same commands."""
    told = " ".join(key for key, _ in help_rows(("a", "b"))).split()
    named = {"Home": b"\x1b[H", "End": b"\x1b[F", "Space": b" ", "→": b"\x1b[C", "←": b"\x1b[D",
             "↑": b"\x1b[A", "↓": b"\x1b[B", "PgUp": b"\x1b[5~", "PgDn": b"\x1b[6~"}  # fmt: skip
    keys = [named.get(key, key.encode()) for key in told if not key.isdigit()]
    assert {KEYS[key] for key in keys} == set(Command)


def test_a_panel_takes_the_place_of_the_board():
    shown = lines(after(*[b"."] * 14, b"a"))
    assert shown[1:9] == [
        "seat 0 greedy  seat 1 random  18–0  view: all cards",
        "random chose, of 5 legal actions:",
        "> Play Knight 1: fills the row, takes Sorceress (empty) or Troll (3 points)",
        "  Play Dwarf 1: row 1/4",
        "  Play Fire dragon 3: Treasure is empty",
        "  Play Sorceress 1: takes Treasure (empty) or Petrified (4 points, figure)",
        "  Play Troll 3: Sorceress is empty",
        "",
    ]
    assert shown[11] == "hand: Dwarf 1, Fire dragon 3, Knight 1, Sorceress 1, Troll 3"
    assert len(shown) == 24


def test_a_tall_window_shows_board_and_panel():
    shown = lines(after(*[b"."] * 14, b"a"), rows=60)
    assert shown[2].startswith("  seat 0  greedy")
    assert shown[17:20] == [
        "", "random chose, of 5 legal actions:",
        "> Play Knight 1: fills the row, takes Sorceress (empty) or Troll (3 points)",
    ]  # fmt: skip


def test_a_long_panel_is_scrolled():
    first = lines(after(*[b"."] * 14, b"i"))
    assert first[2] == '"ply": 16,'
    assert re.fullmatch("… [0-9]+ more lines: ↑ ↓ PgUp PgDn", first[16])
    further = lines(after(*[b"."] * 14, b"i", DOWN, DOWN))
    assert further[2] == first[4] == '"action": {"type":"play","cards":["knight:1"]},'
    assert lines(after(*[b"."] * 14, b"i", DOWN, DOWN, UP, UP)) == first
    everything = after(*[b"."] * 14, b"i", *[PAGE_DOWN] * 50)
    assert "}" in lines(everything)[2]


def test_a_spectator_sees_no_hand():
    shown = lines(after(*[b"."] * 14, b"p"))
    assert shown[1].endswith("view: what everybody saw")
    assert shown[3] == "  hand    5 cards that this view does not show"
    assert shown[5] == "  hand    4 cards that this view does not show"


def test_a_spectator_sees_the_end_after_a_fault():
    shown = lines(forfeited(seat=SPECTATOR))
    assert "  fault of random (seat 1) at ply 35: crash" in shown
    assert not any("SIGSEGV" in line for line in shown)
    low = lines(forfeited(seat=SPECTATOR), 79, 22)
    assert low[2:4] == [
        "turn 30: random to choose | ship rows 1/3 | figure: greedy",
        "greedy: 46 points, hand 6, pile 25 | random: 3 points, hand 4, pile 30",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("columns", [1, 29, 30, 45, 79, 200])
@pytest.mark.parametrize("rows", [1, 7, 8, 12, 23, 24, 60])
def test_a_screen_never_exceeds_the_window(columns, rows):
    for position in range(0, LAST + 1, 20):
        for panel in SidePanel:
            shown = screen(after()._replace(position=position, panel=panel), columns, rows)
            assert len(shown) <= rows
            assert all(wcswidth(line.text) <= columns for line in shown)


def test_a_small_window_says_what_is_missing():
    shown = lines(after(), 59, 18)
    assert shown[10] == "… 7 more lines: the window is 60x18, 60x24 shows all"
    assert screen(after(), 20, 24)[0] == Line("the window is 20x24…")
