"""What screens must not show: what a seat did not see, control characters, names without end."""

from __future__ import annotations

import unicodedata

import pytest
from wcwidth import wcswidth

from arena.extensions.browser.terminal.content import Line, screen
from arena.extensions.browser.terminal.stepper import SidePanel, Stepper
from arena.games.luck import Luck, derive_key
from arena.referee.records.perspective import SPECTATOR
from arena.values import clean
from arena.views.game.replay import Replay
from tests.views.game import replays

RULES = replays.rules_of()
PANELS = ((SidePanel.NONE, 24), (SidePanel.LEGAL, 200), (SidePanel.RAW, 200))


def forfeited(plies: int = 35) -> Replay:
    return replays.replay_of(RULES, replays.record_of(RULES, plies=plies))


def shown(replay: Replay, seat: int | None) -> list[list[Line]]:
    """Every screen of a view."""
    stepper = Stepper.begin(replay, seat)
    return [
        screen(stepper._replace(position=position, panel=panel), 79, rows)
        for position in range(stepper.last + 1)
        for panel, rows in PANELS
    ]


@pytest.mark.parametrize("plies", [3, 11, 20, 35])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_view_shows_nothing_that_its_seat_did_not_see(plies, seat):
    replay = forfeited(plies)
    other = replays.replay_of(
        RULES, replays.hidden_elsewhere(replay, seat, Luck(derive_key("hide", plies, seat)))
    )
    assert shown(replay, None) != shown(other, None)
    assert shown(replay, seat) == shown(other, seat)


def test_no_control_characters_whatever_bots_write():
    evil = "a\x1b[31m\N{RIGHT-TO-LEFT OVERRIDE}"
    record = replays.record_of(RULES, f"{evil}+b:0:0", names=(evil, "b"), plies=20)
    replay = replays.replay_of(RULES, record)
    lines = [line.text for seat in (None, 0, 1) for each in shown(replay, seat) for line in each]
    assert not {unicodedata.category(c) for line in lines for c in line} & clean.UNSAFE


def test_the_machine_is_told_where_all_is_shown():
    replay = forfeited()
    far = replay._replace(machine="node-7\x1b[2J")
    title = screen(Stepper.begin(far, None), 140, 40)[0].text
    assert "  on node-7\N{REPLACEMENT CHARACTER}[2J" in title
    for seat in (0, 1, SPECTATOR):
        assert shown(far, seat) == shown(replay, seat)


@pytest.mark.parametrize("name", ["x" * 10_000, "漢" * 10_000, "a\u0301" * 10_000])
def test_the_name_of_a_machine_has_a_bound(name):
    far = forfeited()._replace(machine=name)
    assert all(wcswidth(line.text) <= 79 for line in screen(Stepper.begin(far, None), 79, 24))


def test_a_ply_has_its_number_in_the_title():
    stepper = Stepper.begin(forfeited(), None)
    for ply in range(35):
        title = screen(stepper._replace(position=ply + 1), 150, 24)[0]
        assert title.text.endswith(f"ply {ply} of 0-34")
