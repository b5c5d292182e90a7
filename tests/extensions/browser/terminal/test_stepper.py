"""Stepping through a game on a terminal: keys and time lead from state to state."""

from __future__ import annotations

import pytest

from arena.extensions.browser.terminal.stepper import SPEEDS, SidePanel, Stepper
from arena.extensions.browser.viewer.moments import matches, stops_of
from arena.referee.records.perspective import SPECTATOR
from arena.views.game.replay import sentence, view_of
from tests.views.game.replays import autopilot_replay, changed, record_of, replay_of, rules_of

RIGHT, LEFT, HOME, END = b"\x1b[C", b"\x1b[D", b"\x1b[H", b"\x1b[F"
ENTER, ESCAPE, BACKSPACE = b"\n", b"\x1b", b"\x7f"
RULES = rules_of(edition="ffg")
REPLAY = replay_of(RULES, record_of(RULES))
LAST = len(REPLAY.record.plies)
VIEW = view_of(REPLAY, None)
STOPS = stops_of(VIEW)


def after(*keys: bytes, seat: int | None = None, stepper: Stepper | None = None) -> Stepper:
    now: Stepper | None = stepper or Stepper.begin(REPLAY, seat)
    for key in keys:
        assert now is not None
        now = now.press(key)
    assert now is not None
    return now


def typed(text: str) -> list[bytes]:
    """As a terminal sends it: byte by byte."""
    return [bytes([byte]) for byte in text.encode()]


@pytest.mark.parametrize(
    ("keys", "position"),
    [
        ([], 3),
        ([RIGHT], 4),
        ([b".", b".", b"\x1bOC"], 6),
        ([b".", b".", b",", LEFT], 3),
        ([HOME], 0),
        ([HOME, LEFT], 0),
        ([END], LAST),
        ([b"G", RIGHT], LAST),
        ([END, b"\x1b[1~", b"\x1b[4~", b"\x1bOH", b"\x1bOF"], LAST),
        ([b"]"], 4),
        ([HOME, b"]"], 3),
        ([HOME, b"\x1b[1;2C"], 3),
        ([HOME, b"["], 0),
        ([END, b"]"], LAST),
        ([END, b"["], LAST - 1),
        ([END, b"\x1b[1;2D"], LAST - 1),
        ([b"]"] * 25, 30),  # a turn of two decisions, the second about a space
        ([b"]"] * 25 + [b"["], 28),
        ([b"x", b"7", ESCAPE, b"\xc3", b"\x1b[Z"], 3),
        ([b"?", b"."], 3),
        ([b"?", b".", b"."], 4),
        ([b"g", *typed("20"), ENTER], 21),
        ([b"g", *typed("0"), b"\r"], 1),
        ([b"g", *typed("2x"), BACKSPACE, *typed("15"), ENTER], 16),
        ([b"g", *typed("20"), ESCAPE, RIGHT], 4),
        ([b"g", BACKSPACE, RIGHT], 4),
        ([b"g", ENTER], 3),
        ([b"g", *typed("99999"), ENTER], 3),
        ([b"g", *typed("9" * 5000), ENTER], 3),
    ],
)
def test_where_keys_lead(keys, position):
    stepper = after(*keys)
    assert stepper.position == position
    assert stepper.prompt is None


@pytest.mark.parametrize(
    ("keys", "seat"),
    [([], None), ([b"1"], 0), ([b"2"], 1), ([b"2", b"0"], None), ([b"3"], None),
     ([b"p"], SPECTATOR), ([b"p", b"1"], 0)],
)  # fmt: skip
def test_keys_choose_the_view(keys, seat):
    stepper = after(b".", *keys)
    assert (stepper.view.seat, stepper.position) == (seat, 4)
    assert stepper.stops == stops_of(stepper.view)


def test_which_view_is_there():
    alone = Stepper.begin(REPLAY, None)
    alone = alone._replace(view=changed(alone.view, places=(1,)))
    assert after(b"p", stepper=alone).view.seat is None
    for seat in (1, SPECTATOR):
        assert after(seat=seat).view.seat == seat


@pytest.mark.parametrize("keys", [[b"q"], [b"?", b"q"], [b"\x04"], [b" ", b"q"]])
def test_quit(keys):
    assert after(*keys[:-1]).press(keys[-1]) is None


def prompt(*keys: bytes) -> str:
    found = after(*keys).prompt
    assert found is not None
    return found.text


def test_text_that_is_typed_is_no_command_and_steers_no_terminal():
    question = [b"/", *typed("q? 1é")]
    assert prompt(*question) == "q? 1é"
    assert prompt(*question, BACKSPACE) == "q? 1"
    assert prompt(b"/", *typed("\u202e\u009b"), b"\x1b[2J").isprintable()


@pytest.mark.parametrize(
    ("forward", "back", "stops", "noun"),
    [(b"m", b"M", STOPS.moments, "turning point"), (b"s", b"S", STOPS.scores, "change of score")],
)
def test_jumps_reach_every_stop_and_no_more(forward, back, stops, noun):
    assert len(stops) > 3
    stepper, seen = after(HOME), []
    while (stepper := after(forward, stepper=stepper)).notice == "":
        seen.append(stepper.position)
    assert (tuple(seen), stepper.notice) == (stops, f"no later {noun}")
    stepper, seen = after(END)._replace(position=LAST), []
    while (stepper := after(back, stepper=stepper)).notice == "":
        seen.append(stepper.position)
    assert tuple(reversed(seen)) == tuple(stop for stop in stops if stop < LAST)
    assert stepper.notice == f"no earlier {noun}"


def test_scores_are_where_sentences_tell_of_them():
    changed = [ply.ply + 1 for ply in VIEW.plies if "[" in sentence(VIEW, ply)]
    assert STOPS.scores == tuple(changed)


def test_faults_are_stops():
    stepper = after(HOME, b"f", stepper=Stepper.begin(autopilot_replay(), None))
    assert stepper.view.plies[stepper.position - 1].autopilot
    assert after(b"f", stepper=stepper).notice == "no later fault"
    assert after(b"F", stepper=stepper).notice == "no earlier fault"
    assert after(END, b"F", stepper=stepper).position == stepper.position
    assert after(b"f").notice == "no fault in this view"


def test_the_slowest_move():
    """Every decision of the game thinks a little longer than the one before."""
    assert after(b"l").position == LAST
    assert after(b"1", b"l").position == max(
        ply.ply + 1 for ply in REPLAY.record.plies if ply.seat == 0
    )
    assert after(b"p", b"l").notice == "no thinking times in this view"


def test_play_ends_with_the_game_and_begins_again_there():
    stepper = after(b" ")._replace(position=LAST - 2)
    assert (stepper.playing, stepper.period) == (True, 1.0)
    stepper = stepper.tick()
    assert (stepper.position, stepper.playing) == (LAST - 1, True)
    stepper = stepper.tick()
    assert (stepper.position, stepper.playing, stepper.period) == (LAST, False, None)
    assert stepper.tick() == stepper
    again = after(END, b" ")
    assert (again.position, again.playing) == (0, True)


def test_what_ends_playing():
    for key in (b" ", RIGHT, b"]", b"m", HOME, b"?", b"/"):
        assert not after(b" ", key).playing, key
    for key in (b"+", b"1", b"a", b"i", b"x", b"\x1b[B"):
        assert after(b" ", key).playing, key


def test_speeds():
    assert after(b" ").period == 1.0
    speeds = [after(*[b"-"] * 9)._replace(playing=True)]
    for _ in SPEEDS:
        speeds.append(after(b"+", stepper=speeds[-1]))
    assert [stepper.period for stepper in speeds] == [2, 1, 0.5, 0.25, 0.125, 0.125]
    assert after(b"=").notice == "speed: 2 per second"


def test_nothing_to_play_without_plies():
    empty = Stepper.begin(replay_of(RULES, record_of(RULES, plies=0)), None)
    assert not after(b" ", stepper=empty).playing
    assert after(b"g", b"0", ENTER, stepper=empty).notice.endswith("there are no plies")
    for key in (RIGHT, LEFT, b"]", b"[", END, b"m", b"f", b"s", b"l"):
        assert after(key, stepper=empty).position == 0


def test_panels_take_turns_and_scrolling_ends_with_the_ply():
    for keys, panel in (
        ([b"a"], SidePanel.LEGAL), ([b"a", b"a"], SidePanel.NONE), ([b"a", b"i"], SidePanel.RAW),
        ([b"a", RIGHT], SidePanel.LEGAL),
    ):  # fmt: skip
        assert after(*keys).panel is panel
    for key, scroll in ((b"\x1b[6~", 11), (b"\x1b[5~", 0), (RIGHT, 0)):
        assert after(b"i", b"\x1b[B", key).scroll == scroll


def test_find_goes_through_the_matches_and_round():
    found = matches(VIEW, "ship")
    assert found
    start = after(HOME, b"/", *typed("SHIP"), ENTER)
    assert start.position == found[0]
    assert start.notice == f'match 1 of {len(found)} for "SHIP"'
    positions, stepper = [], start
    for _ in found:
        positions.append(stepper.position)
        stepper = after(b"n", stepper=stepper)
    assert tuple(positions) == found
    assert stepper.position == found[0]
    assert after(b"N", stepper=stepper).position == found[-1]
    assert after(b"N", b"N", stepper=stepper).position == found[-2]
    there = after()._replace(position=found[2])
    assert after(b"/", *typed("ship"), ENTER, stepper=there).position == found[2]
    stepper = after(b"/", *typed("zzz"), ENTER)
    assert (stepper.position, stepper.notice) == (3, 'no move with "zzz" in this view')


@pytest.mark.parametrize(
    ("keys", "notice"),
    [
        ([b"g", *typed("89"), ENTER], "found ply 89, expected 0 to 88"),
        ([b"n"], "nothing to find yet: / finds in the moves"),
        ([b"f", RIGHT], ""),
    ],
)
def test_notices(keys, notice):
    assert after(*keys).notice == notice


def test_nothing_hidden_is_found():
    secret = "greedy is dealt"
    assert matches(VIEW, secret)
    assert matches(view_of(REPLAY, 0), secret)
    assert matches(view_of(REPLAY, 1), secret) == ()
    assert matches(view_of(REPLAY, SPECTATOR), secret) == ()
    assert matches(view_of(REPLAY, SPECTATOR), "could see") == ()


def test_turns_of_a_game_whose_observations_tell_none():
    view = view_of(autopilot_replay(), None)
    decided = [ply.ply for ply in view.plies if ply.seat is not None]
    assert stops_of(view).turns == (0, *decided, len(view.plies))
