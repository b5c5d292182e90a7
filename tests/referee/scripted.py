"""Bots without processes and time without waiting."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import chain, repeat
from typing import Any, TypeAlias

import msgspec

from arena.games.base import Action, Rules
from arena.games.luck import Luck
from arena.referee.channel import Reply, Silence
from arena.referee.deadline import SchedulerDelay
from arena.referee.play import GameConditions, play_game
from arena.referee.protocol import USUAL_PARTS, Part, Ready
from arena.referee.session import BotSession, Offence
from arena.values.results import Adjudicate, GameDone, OnFault, Seat, TimeControl
from tests.toy import ToyRules, toy_spec

SECOND = 1_000_000_000
SECRET = Luck(b"a deal")


class FakeTime:
    """A clock that moves when it is told to. Nanoseconds."""

    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> int:
        return self.now


class Late(msgspec.Struct):
    """An answer that takes its time, in seconds."""

    takes: float
    answer: Any = 0


Answer: TypeAlias = Any
"""Index, action or raw bytes to send; a Silence; Late; or a function of the question."""


class Scripted:
    """A channel that gives the answers of a script, then always the first legal action."""

    def __init__(
        self,
        script: Iterable[Answer] = (),
        wants: Iterable[Part] = USUAL_PARTS,
        prepares: Answer = None,
    ) -> None:
        self.prepares = prepares
        """Answer to ``start``; None if it has none."""
        self.script = chain(script, repeat(0))
        self.wants = tuple(wants)
        self.time = FakeTime()
        self.received: list[dict[str, Any]] = []
        self.deadlines: list[int | None] = []
        self.more = b""
        self.status: int | None = None
        self.errors = ""
        self.errors_before = ""
        self.limit: str | None = None
        self.cost = SchedulerDelay()
        self.is_closed = False

    def ask(self, question: bytes, allowance: int | None) -> Reply:
        asked = self._receive(question)
        deadline = None if allowance is None else self.time.now + allowance
        self.deadlines.append(deadline)
        answer = self.prepares if asked["type"] == "start" else next(self.script)
        return self._reply(answer, asked, deadline)

    def _reply(self, answer: Answer, asked: dict[str, Any], deadline: int | None) -> Reply:
        if isinstance(answer, Late):
            self.time.now += round(answer.takes * SECOND)
            if deadline is not None and self.time.now > deadline:
                self.time.now = deadline
                return Silence.TIMED_OUT
            return self._reply(answer.answer, asked, deadline)
        if callable(answer):
            return self._reply(answer(asked), asked, deadline)
        if isinstance(answer, bytes | Silence):
            return answer
        return action(asked["id"], answer)

    def tell(self, line: bytes) -> None:
        self._receive(line)

    def _receive(self, line: bytes) -> dict[str, Any]:
        assert line.endswith(b"\n")
        assert not self.is_closed, "nothing is said to a bot after its fault"
        message: dict[str, Any] = json.loads(line)
        self.received.append(message)
        return message

    def of_type(self, name: str) -> list[dict[str, Any]]:
        return [message for message in self.received if message["type"] == name]

    def rest(self) -> bytes:
        return self.more

    def scheduler_delay(self) -> SchedulerDelay:
        return self.cost

    def exit_status(self) -> int | None:
        return self.status

    def over_limit(self) -> str | None:
        return self.limit

    def stderr(self) -> str:
        """What was said before the game, then what was said in it."""
        text, self.errors_before = self.errors_before, self.errors
        return text

    def dismiss(self, farewell: bytes) -> None:
        raise AssertionError("a game dismisses nobody")

    def close(self, grace: float = 0.0) -> None:
        assert not grace, "a game waits for nobody to end"
        self.is_closed = True


def action(token: str, choice: Any, **more: Any) -> bytes:
    return json.dumps({"type": "action", "id": token, "action": choice} | more).encode()


def terms(seats: int, **changes: Any) -> GameConditions:
    return GameConditions(
        control=changes.pop("control", TimeControl()),
        opaque_id="opaque",
        bot_seeds=tuple(range(100, 100 + seats)),
        bot_options=tuple({"level": seat} for seat in range(seats)),
        names=changes.pop("names", None),
        on_fault=changes.pop("on_fault", OnFault.AUTOPILOT),
    )


def play(
    *players: Scripted | Offence,
    rules: Rules[Any, Action] | None = None,
    control: TimeControl | None = None,
    names: tuple[str, ...] | None = None,
    on_fault: OnFault = OnFault.AUTOPILOT,
    adjudicate: Adjudicate | None = None,
) -> GameDone:
    """A game of the toy title, or of ``rules``, by seat."""
    seats = len(players)
    time = FakeTime()
    for player in players:
        if isinstance(player, Scripted):
            player.time = time
    return play_game(
        rules or ToyRules(seats),
        [seated(player) for player in players],
        toy_spec(seats),
        SECRET,
        terms(seats, control=control or TimeControl(), names=names, on_fault=on_fault)._replace(
            adjudicate=adjudicate
        ),
        now=time,
    )


def seated(player: Scripted | Offence) -> BotSession | Offence:
    """As after its handshake."""
    if isinstance(player, Offence):
        return player
    prepares = player.prepares is not None
    return BotSession(player, Ready(1, wants=player.wants, prepares=prepares))


def on_ask(number: int, answer: Answer) -> list[Answer]:
    """A script: the first legal action, but ``answer`` when asked the ``number``-th time."""
    return [*repeat(0, number), answer]


def fault_of(played: GameDone) -> tuple[Seat, str]:
    """Who committed the only fault, and which."""
    (fault,) = played.result.faults
    return fault.seat, fault.kind.value
