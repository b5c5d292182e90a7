"""What asking again finds, without processes and without a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest

from arena.protocol.messages import Ready
from arena.records.format import End
from arena.referee.channel import Silence
from arena.referee.session import BotSession
from arena.results import Termination, TimeControl
from arena.studies.reask.courses import Question, SeatMessages, Transcript
from arena.studies.reask.findings import Determinism, Findings, examine
from arena.studies.reask.sources import DecisionFilter
from tests.referee.scripted import Scripted
from tests.toy import Say, ToyRules

RULES = ToyRules(2)
LEGAL = RULES.legal_actions(RULES.initial_state())
END = End(9, Termination.COMPLETED, (1, 2), (5, 3), ())
GAMES = 3
QUESTIONS = count()
"""Of the bot that counts them."""

Bot = Callable[[dict[str, Any], dict[str, Any]], Any]
"""From what it was told at the start and what it is asked to its answer."""


class Processes:
    """A bot that decides by a function."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot

    def session(self, process: int) -> BotSession:
        channel = Scripted()
        channel.script = iter(lambda: lambda asked: self._bot(channel.received[0], asked), None)
        return BotSession(channel, Ready(1))

    def drop(self, process: int) -> None: ...
    def sweep(self) -> None: ...
    def end(self) -> None: ...


class Source:
    """Games of three questions; the first action was recorded each time."""

    setting = None
    entrants = ("a", "b")
    skipped: frozenset[str] = frozenset()

    def transcripts(self, wish: DecisionFilter) -> Iterator[Transcript]:
        for game in range(GAMES):
            questions = tuple(Question(ply, {}, (), LEGAL, (Say(0),)) for ply in range(3))
            course = SeatMessages(RULES, 0, TimeControl(), game, None, questions, END)
            yield Transcript(f"game {game}", course, self.entrants)


CANDIDATE: Any = SimpleNamespace(
    name="bot", claims_determinism=True, options=dict, plays=lambda *_: True
)


def findings(bot: Bot, repeat: int | None = None, heard: Any = None) -> Findings:
    processes: Any = Processes(bot)
    source: Any = Source()
    wish = DecisionFilter(CANDIDATE.plays)
    listener = heard or (lambda games: None)
    return examine(processes, CANDIDATE, source, wish, repeat=repeat, listener=listener)


def test_what_has_changed_is_counted_by_game() -> None:
    asked = count()
    found = findings(lambda _, __: int(next(asked) in (1, 2, 8))).counted
    assert (found.games, found.decisions, found.same, found.different) == (3, 9, 6, 3)
    assert [(c.transcript.name, c.question.ply) for c in found.firsts] == [
        ("game 0", 1),
        ("game 2", 2),
    ]
    assert (found.changed_seats, found.before, found.after, found.after_same) == (2, 3, 1, 0)
    assert not found.is_same


def test_after_a_fault_the_rest_of_a_game_was_not_asked() -> None:
    found = findings(lambda start, _: Silence.ENDED if start["seed"] == 1 else 0).counted
    assert (found.decisions, found.unasked, found.faults) == (7, 2, 1)
    (change,) = found.offences
    assert (change.transcript.name, change.question.ply) == ("game 1", 0)


@pytest.mark.parametrize(
    ("bot", "label", "ply"),
    [
        (lambda _, __: 0, Determinism.DETERMINISTIC, None),
        (lambda start, _: start["seed"] % 3, Determinism.SEEDED, 0),
        (lambda _, __: next(QUESTIONS) // 10 % 2, Determinism.NEITHER, 1),
    ],
)
def test_rounds_tell_what_answers_depend_on(bot: Bot, label: Determinism, ply: int | None) -> None:
    found = findings(bot, repeat=2)
    assert found.label is not None
    assert (found.label.determinism, found.label.rounds, found.label.ply) == (label, 2, ply)
    assert bool(found.warnings()) is (label is Determinism.NEITHER)


def test_a_listener_hears_how_far_each_round_is() -> None:
    heard: list[int] = []
    findings(lambda _, __: 0, repeat=2, heard=heard.append)
    assert heard == [1, 2, 3, 0] * 3


def test_an_interrupt_leaves_what_was_asked_so_far() -> None:
    heard: list[int] = []

    def interrupted(start: dict[str, Any], _: object) -> int:
        if start["seed"] == 2:
            raise KeyboardInterrupt
        return 0

    found = findings(interrupted, heard=heard.append)
    assert found.interrupted
    assert (found.counted.games, found.label) == (2, None)
    assert found.warnings() == ["interrupted: these are the games that were asked so far"]
    assert heard == [1, 2, 0]
