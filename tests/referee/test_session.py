from __future__ import annotations

import json
from typing import Any

import pytest

from arena.referee.channel import Silence
from arena.referee.deadline import SchedulerDelay
from arena.referee.play import play_game
from arena.referee.protocol import USUAL_PARTS
from arena.referee.session import (
    BotSession,
    MachineTooBusy,
    Offence,
    PersonChannel,
    PersonLeft,
    handshake,
    person_session,
)
from arena.values.results import FaultKind, GameDone, Limits, TimeControl
from tests.referee.scripted import SECOND, SECRET, Answer, Scripted, action, play, seated, terms
from tests.toy import ToyRules, toy_spec


class Starting(Scripted):
    """Answers ``hello``; a script of one line."""

    def _reply(self, answer: Answer, asked: dict[str, Any], deadline: int | None) -> Any:
        return answer


def greet(answer: Answer) -> tuple[BotSession | Offence, Starting]:
    channel = Starting([answer])
    return handshake(channel, TimeControl(startup=5.0), Limits(reply=1000)), channel


def test_hello_says_what_is_allowed() -> None:
    _, channel = greet(b'{"type":"ready","protocol":1}')
    (hello,) = channel.received
    assert hello.pop("referee").startswith("arena ")
    limits = {"reply": 1000, "stderr": 65536, "memory": 1 << 30, "processes": 64}
    limits |= {"cpu": 3600.0, "disk": 64 << 20, "files": 256}
    assert hello == {"type": "hello", "protocol": [1], "limits": limits, "startup": 5.0}
    assert channel.deadlines == [channel.time.now + 5 * SECOND]


def test_a_bot_that_is_ready_gets_a_session() -> None:
    session, channel = greet(b'{"type":"ready","protocol":1,"name":"n","wants":["legal"]}')
    assert isinstance(session, BotSession)
    assert session.wants == {"legal"}
    assert session.channel is channel


def test_everything_is_wanted_unless_said_otherwise() -> None:
    session, _ = greet(b'{"type":"ready","protocol":1}')
    assert isinstance(session, BotSession)
    assert session.wants == set(USUAL_PARTS)


@pytest.mark.parametrize(
    ("answer", "detail"),
    [
        (b"Welcome to my bot!", "expected a ready message as the first line on standard output"),
        (b'{"type":"action","id":"","action":0}', "expected ready, found action"),
        (b'{"type":"ready","protocol":2}', "ready: protocol is 2, expected 1"),
        (b'{"type":"ready","protocol":1,"wants":["cards"]}', "Invalid enum value 'cards'"),
        (Silence.TIMED_OUT, "before ready: no line within 10 s"),
        (Silence.ENDED, "before ready: the process ended (exit status 127)"),
        (Silence.TOO_LONG, "before ready: a line longer than the limit"),
        (Silence.OVER_LIMIT, "before ready: had more than 64 processes"),
    ],
)
def test_every_offence_at_the_start_is_a_startup_fault(answer: Any, detail: str) -> None:
    channel = Starting([answer])
    channel.status, channel.limit = 127, "had more than 64 processes"
    channel.cost = SchedulerDelay(cpu=1, lag=2, excused=3)
    offence = handshake(channel, TimeControl(), Limits())
    assert isinstance(offence, Offence)
    assert offence.kind is FaultKind.STARTUP
    assert detail in offence.detail
    assert offence.line == (answer.decode() if isinstance(answer, bytes) else "")
    assert (offence.exit_status, offence.scheduler_delay) == (127, SchedulerDelay(1, 2, 3))
    assert 0 < offence.waited < 60 * SECOND


def test_a_bot_that_the_machine_did_not_let_start_is_not_blamed() -> None:
    channel = Starting([Silence.STARVED])
    with pytest.raises(MachineTooBusy):
        handshake(channel, TimeControl(), Limits())
    assert channel.is_closed, "nobody else knows of it"


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


def played(person: Person, other: Scripted, control: TimeControl) -> GameDone:
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
