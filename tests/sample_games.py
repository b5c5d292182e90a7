"""Games of every rules engine in which scripted bots note all that the referee sends them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

import msgspec

from arena.games.luck import Luck, derive_key
from arena.games.registry import GAMES, make_rules, rules_spec
from arena.referee.channel import Reply
from arena.referee.deadline import NO_DELAY, SchedulerDelay
from arena.referee.session import BotSession, handshake
from arena.values.results import Limits, Seat, TimeControl
from tests.matches import play

Message = dict[str, Any]


class Sample(NamedTuple):
    """Rules at one table size, and which deals are played."""

    seats: int
    deals: int
    options: Mapping[str, str | bool] = {}
    offender: Seat | None = None
    """Who answers every question with a fault."""
    plain: bool = False
    """Whether all play the first legal action, by which positions of Dragonkrak repeat."""


SAMPLES: Final[dict[str, tuple[Sample, ...]]] = {
    "dragonheart": (Sample(2, 40), Sample(2, 1, offender=1)),
    "dragonkrak": (
        Sample(1, 5),
        Sample(1, 5, {"variant": "two_dragons"}),
        Sample(2, 5),
        Sample(3, 5),
        Sample(4, 5),
        Sample(4, 1, offender=3),
        Sample(2, 12, plain=True),
    ),
    "dragonrealm": (Sample(2, 3), Sample(2, 8, {"side": "alley"}), Sample(3, 1), Sample(4, 1)),
}
"""By rules; of others some deals at each table."""


class Scripted:
    """A channel to a bot without a process: keeps all lines, answers by chance or plainly."""

    def __init__(self, name: str, *, is_faulty: bool = False, is_plain: bool = False) -> None:
        self.heard: list[bytes] = []
        self._luck = Luck(derive_key("scripted", name))
        self._is_faulty = is_faulty
        self._is_plain = is_plain

    def ask(self, question: bytes | bytearray, allowance: int | None) -> Reply:
        self.tell(question)
        message = msgspec.json.decode(question)
        if message["type"] == "hello":
            return b'{"type":"ready","protocol":1}'
        index = self._luck.below("action", len(self.heard), len(message["legal"]))
        if self._is_faulty or self._is_plain:
            index = -1 if self._is_faulty else 0
        return json.dumps({"type": "action", "id": message["id"], "action": index}).encode()

    def tell(self, line: bytes | bytearray) -> None:
        self.heard.append(bytes(line))

    def rest(self) -> bytes:
        return b""

    def scheduler_delay(self) -> SchedulerDelay:
        return NO_DELAY

    def over_limit(self) -> str | None:
        return None

    def exit_status(self) -> int | None:
        return None

    def stderr(self) -> str:
        return ""

    def dismiss(self, farewell: bytes) -> None:
        self.tell(farewell)

    def close(self, grace: float = 0.0) -> None:
        pass


def sent(rules: str) -> Iterator[Message]:
    """All that the referee sent in the samples of these rules, as the page shows it."""
    return (_as_shown(msgspec.json.decode(line)) for line in _lines(rules))


@cache
def _lines(rules: str) -> tuple[bytes, ...]:
    """As they were sent: ten times smaller than what they say, and soon decoded."""
    samples = SAMPLES.get(rules) or [Sample(seats, 5) for seats in GAMES[rules].seats]
    return tuple(line for sample in samples for line in heard(rules, sample))


def heard(name: str, sample: Sample) -> list[bytes]:
    """Return the lines to each bot, those of seat 0 first, from ``hello`` to ``bye``."""
    rules = make_rules(rules_spec(name, sample.seats, sample.options))
    control = TimeControl()
    bots = [
        Scripted("abcd"[s], is_faulty=s == sample.offender, is_plain=sample.plain)
        for s in range(sample.seats)
    ]
    players = [handshake(bot, control, Limits()) for bot in bots]
    for deal in range(sample.deals):
        play(rules, players, deal, control)
    for player in players:
        assert isinstance(player, BotSession)
        player.dismiss()
    return [line for bot in bots for line in bot.heard]


def _as_shown(message: Message) -> Message:
    """With one id for all questions."""
    return message | ({"id": "3f2a9c417be05d68"} if "id" in message else {})
