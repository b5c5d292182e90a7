"""Stepping through a game: keys lead from state to state, a state has one screen."""

from __future__ import annotations

import msgspec
import pytest
from wcwidth import wcswidth

from arena.report.replay_screen import Line, Stepper, screen
from tests.report.replays import autopilot_replay, record_of, replay_of, rules_of

RIGHT, LEFT, HOME, END = b"\x1b[C", b"\x1b[D", b"\x1b[H", b"\x1b[F"
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


@pytest.mark.parametrize(
    ("keys", "position"),
    [
        ([], 3),
        ([RIGHT], 4),
        ([b" ", b"n", b"\x1bOC"], 6),
        ([b"n", b"n", b"p", LEFT], 3),
        ([HOME], 0),
        ([b"g", LEFT], 0),
        ([END], LAST),
        ([b"G", RIGHT], LAST),
        ([END, b"\x1b[1~", b"\x1b[4~", b"\x1bOH", b"\x1bOF"], LAST),
        ([b"]"], 4),
        ([HOME, b"]"], 3),
        ([HOME, b"["], 0),
        ([END, b"]"], LAST),
        ([END, b"["], LAST - 1),
        ([b"]"] * 25, 30),  # a turn of two decisions, the second about a space
        ([b"]"] * 25 + [b"["], 28),
        ([b"x", b"7", b"\x1b", b"\xc3", b"\x1b[Z"], 3),
        ([b"?", b"n"], 3),
        ([b"?", b"n", b"n"], 4),
    ],
)
def test_where_keys_lead(keys, position):
    assert after(*keys).position == position


@pytest.mark.parametrize(
    ("keys", "seat"), [([], None), ([b"1"], 0), ([b"2"], 1), ([b"2", b"0"], None), ([b"3"], None)]
)
def test_digits_choose_the_view(keys, seat):
    assert after(*keys).view.seat == seat


def test_the_seat_asked_for_is_shown_first():
    assert after(seat=1).view.seat == 1


@pytest.mark.parametrize("keys", [[b"q"], [b"?", b"q"], [b"\x04"]])
def test_quit(keys):
    assert after(*keys[:-1]).press(keys[-1]) is None


def test_a_screen_of_all_cards():
    assert lines(after(*[b"n"] * 14)) == [
        "greedy+random:0:0  game 1 of 4  dragonheart                      ply 16 of 0-88",
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
        "─" * 79,
        "    13  greedy plays Fire dragon 3; collects Treasure 1 2 2 4 4; draws Dwarf 1…",
        "    14  random plays Ship; draws Dwarf 1",
        "    15  greedy plays Dwarf 1 1; collects Dwarf 1 2 1 1; draws Knight 1, Dwarf …",
        ">   16  random plays Knight 1",
        "random thought 1.0 ms",
        "→ next  ← back  ] [ turn  Home End  0 all  1 greedy  2 random  ? help  q quit",
    ]


def test_a_seat_sees_how_many_cards_the_other_holds():
    shown = lines(after(*[b"n"] * 14, b"1"))
    assert shown[1] == "seat 0 greedy  seat 1 random  18–0  view: what seat 0 (greedy) saw"
    assert shown[5] == "  hand    4 cards that this view does not show"
    assert shown[22] == ""
    assert shown[21] == ">   16  random plays Knight 1"


def test_a_ply_that_the_seat_did_not_see():
    assert lines(after(HOME, b"n", b"n", b"1"))[18:20] == [
        "     0  greedy is dealt Dwarf 1, Huntress 2, Sorceress 2, Treasure 1 2",
        ">    1  nothing that seat 0 could see",
    ]


def test_the_end():
    assert lines(after(END))[18:22] == [
        "    87  greedy plays Fire dragon 3; turn 76 will be the last",
        ">   88  random plays Dwarf 2; collects Dwarf 1 3 3 2; draws Ship; the game is",
        "        over  [random +9: 69–59]",
        "  over: 1. greedy, 2. random",
    ]


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
        "greedy+random:0:0  game 1 of 4  dragonheart                      ply 34 of 0-34",
        "seat 0 greedy  seat 1 random  46–3  view: all cards",
        "turn 30: seat 1 to choose | ship rows 1/3 | figure: seat 0",
        "greedy: 46 points, hand 6, pile 25 | random: 3 points, hand 4, pile 30",
        "hand: Huntress 1, Ship, Sorceress 1, Treasure 1",
        "board: Dwarf 2 1 (2/4) | Knight 1 (1/2) | Petrified 2 | Sorceress 2 2 1 |",
        "  Treasure 3 | Troll 3 | Quay: Huntress 1 2 2",
        "─" * 79,
        "    29  greedy chooses Petrified: collects Petrified 2 2 2 and the dragon figu…",
        "    30  random plays Treasure 3; draws Treasure 1",
        "    31  greedy plays Huntress 2; collects Fire dragon 3 3 4 4; the full row go…",
        "    32  random plays Dwarf 1; draws Huntress 1",
        "    33  greedy plays Petrified 2; draws Dwarf 2",
        ">   34  random plays Sorceress 1",
        "  forfeited: 1. greedy, 2. random; random: crash",
        "  fault of random (seat 1) after 35 plies: crash: its process ended",
        "    waited 2.5 ms",
        "    killed by SIGSEGV",
        "    line: {",
        "    end of its standard error:",
        "      Traceback",
        "              boom",
        "random thought 1.0 ms",
        "→ next  ← back  ] [ turn  Home End  0 all  1 greedy  2 random  ? help  q quit",
    ]


def test_long_evidence_is_wrapped_and_ends_with_the_last_words_of_the_bot():
    said = "\n".join(f"{number:02} {'語' * 50}" for number in range(20))
    shown = lines(forfeited(line="x" * 200, stderr=said))
    assert shown[2:4] == ["─" * 79, ">   34  random plays Sorceress 1"]
    assert "".join(line.removeprefix("    line:").strip() for line in shown[8:11]) == "x" * 200
    assert shown[11] == "    end of its standard error:"
    assert [line[6:8] for line in shown[12:22:2]] == ["15", "16", "17", "18", "19"]
    assert sum(line.count("語") for line in shown) == 5 * 50


def test_the_fault_of_a_seat_whose_evidence_is_not_shown_leaves_the_board():
    assert lines(forfeited(seat=0))[17:23] == [
        "─" * 79,
        "    33  greedy plays Petrified 2; draws Dwarf 2",
        ">   34  random plays Sorceress 1",
        "  forfeited: 1. greedy, 2. random; random: crash",
        "  fault of random (seat 1) after 35 plies: crash",
        "",
    ]


def test_a_fault_before_the_first_ply_is_shown_at_once():
    shown = lines(Stepper.begin(forfeited(0).replay, None))
    assert shown[0].endswith("no plies")
    assert shown[7:10] == [
        "  forfeited: 1. random, 2. greedy; greedy: startup",
        "  fault of greedy (seat 0) after 0 plies: startup: its process ended",
        "    waited 2.5 ms",
    ]


def test_a_low_window_says_how_much_of_the_evidence_is_missing():
    assert lines(forfeited(), rows=10)[3:8] == [
        ">   34  random plays Sorceress 1",
        "  forfeited: 1. greedy, 2. random; random: crash",
        "  fault of random (seat 1) after 35 plies: crash: its process ended",
        "    waited 2.5 ms",
        "  … 4 more lines",
    ]


@pytest.mark.parametrize(
    ("columns", "keys"),
    [
        (99, "→ next  ← back  ] [ turn  Home End  0 all  1 greedy  2 random  ? help  q quit"),
        (76, "→ next  ← back  ] [ turn  Home End  0-2 views  ? help  q quit"),
        (50, "→ next  ← back  ] [ turn  Home End  ? help  q quit"),
        (49, "→ next  ← back  ] [ turn  ? help  q quit"),
        (30, "→ next  ← back  ? help  q quit"),
    ],
)
def test_narrow_windows_keep_the_keys_for_help_and_quitting(columns, keys):
    assert lines(after(), columns)[-1] == keys


def test_long_names_do_not_hide_which_key_shows_which_seat():
    view = after().view
    spec = msgspec.structs.replace(view.spec, entrants=("n" * 24, "m" * 24))
    shown = lines(after()._replace(view=view._replace(spec=spec)))
    assert "0 all  1 seat 0  2 seat 1  ? help" in shown[-1]


def test_the_start():
    shown = lines(after(HOME))
    assert shown[0].endswith("start, plies 0-88")
    assert shown[18:23] == [""] * 5


def test_info_and_thinking_time_of_the_ply():
    assert lines(after(b"n", b"n", b"n"))[22] == (
        'greedy thought 1.0 ms  info {"eval":0.5,"text":"mate\\u001b[1m"}'
    )


def test_the_autopilot_did_not_think():
    stepper = Stepper.begin(autopilot_replay(), None)
    bot, autopilot = (lines(stepper._replace(position=position)) for position in (5, 6))
    assert bot[21:23] == [">    4  event, what said, value 2, seat 0", "a thought 0.0 ms"]
    assert autopilot[21:23] == [">    5  autopilot: event, what said, value 0, seat 1", ""]


def test_help_says_which_key_shows_which_seat():
    shown = lines(after(b"?"))
    assert "  1            what seat 0 (greedy) saw" in shown
    assert "  2            what seat 1 (random) saw" in shown


@pytest.mark.parametrize("columns", [1, 29, 30, 45, 79, 200])
@pytest.mark.parametrize("rows", [1, 7, 8, 12, 23, 24, 60])
def test_a_screen_never_exceeds_the_window(columns, rows):
    for position in range(0, LAST + 1, 7):
        shown = screen(after()._replace(position=position), columns, rows)
        assert len(shown) <= rows
        assert all(wcswidth(line.text) <= columns for line in shown)


def test_a_small_window_says_what_is_missing():
    shown = lines(after(), 59, 18)
    assert shown[10] == "… 7 more lines: the window is 60x18, 60x24 shows all"
    assert screen(after(), 20, 24)[0] == Line("the window is 20x24…")
