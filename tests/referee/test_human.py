"""A person gets the lines that a bot in the same seat gets, and no others."""

from __future__ import annotations

import json
from typing import Any

import pytest

from arena.referee.play import FinishedGame, play_game
from arena.referee.session import PersonChannel, PersonLeft, person_session
from arena.results import TimeControl
from tests.referee.scripted import SECRET, Scripted, action, play, seated, terms
from tests.toy import ToyRules, toy_spec

pytestmark = pytest.mark.process


class Person:
    """Always takes the first legal action."""

    def __init__(self, leaves_at: int | None = None) -> None:
        self.heard: list[dict[str, Any]] = []
        self.asked = 0
        self._leaves_at = leaves_at

    def hear(self, line: bytes) -> None:
        assert line.endswith(b"\n")
        self.heard.append(json.loads(line))

    def answer(self) -> bytes | None:
        self.asked += 1
        if self.asked == self._leaves_at:
            return None
        return action(self.heard[-1]["id"], 0)


def played(person: Person, other: Scripted, control: TimeControl) -> FinishedGame:
    session = person_session(PersonChannel(person.hear, person.answer))
    return play_game(
        ToyRules(2), [session, seated(other)], toy_spec(2), SECRET, terms(2, control=control)
    )


def test_the_lines_are_those_of_a_bot() -> None:
    person, bot = Person(), Scripted()
    control = TimeControl(move=1e-9)
    result = played(person, Scripted(), TimeControl()).result
    play(bot, Scripted())
    for message in (*person.heard, *bot.received):
        message.pop("id", None)
        message.pop("time_left", None)
    assert person.heard == bot.received
    assert result.faults == ()
    assert played(Person(), Scripted(), control).result.faults == (), "a person has no clock"


def test_who_leaves_ends_the_game() -> None:
    with pytest.raises(PersonLeft):
        played(Person(leaves_at=2), Scripted(), TimeControl())


def test_nothing_is_known_of_a_process() -> None:
    channel = PersonChannel(lambda line: None, lambda: b"")
    channel.dismiss(b"")
    channel.close()
    assert (channel.rest(), channel.stderr()) == (b"", "")
    assert channel.exit_status() is None
    assert channel.over_limit() is None
