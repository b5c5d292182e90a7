"""A seat asked again on its own, without processes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from arena.extensions.authors.trial.transcript import Question, Transcript, ask_again
from arena.referee.channel import Silence
from arena.referee.protocol import decode
from arena.referee.records.format import End
from arena.referee.session import BotSession, MachineTooBusy, Offence
from arena.values.results import FaultKind, Termination, TimeControl
from tests.referee.scripted import Answer, Scripted
from tests.toy import Say, ToyRules

END = End(9, Termination.COMPLETED, (1, 2), (5, 3), ())
LEGAL = ToyRules(2).legal_actions(ToyRules(2).initial_state())


def channel(*answers: Answer, rest: bytes = b"") -> Scripted:
    """A bot that gives these answers, and writes so much more behind the last one."""
    found = Scripted(answers)
    found.more, found.errors, found.errors_before = rest, "said", "said"
    return found


def session(channel: Scripted, **wants: Any) -> BotSession:
    ready = decode(json.dumps({"type": "ready", "protocol": 1, **wants}).encode())
    return BotSession(channel, ready)


def transcript(*used: int, **control: Any) -> Transcript:
    questions = tuple(
        Question(ply, {"ply": ply}, ({"seen": ply},), LEGAL, Say(1), nanoseconds)
        for ply, nanoseconds in enumerate(used)
    )
    terms, names = TimeControl(**control), ("a", "b")
    return Transcript("game", ToyRules(2), 1, terms, 12, names, names, {}, questions, END)


def test_the_game_goes_on_along_its_record() -> None:
    bot = channel(1, 0, 1)
    answers = ask_again(session(bot), transcript(0, 0, 0), {"depth": 3})
    assert answers == (Say(1), Say(0), Say(1))
    start, *acts, over = bot.received
    assert (start["type"], start["seat"], start["seats"]) == ("start", 1, 2)
    assert (start["seed"], start["bot_options"], start["names"]) == (12, {"depth": 3}, ["a", "b"])
    assert [act["observation"] for act in acts] == [{"ply": 0}, {"ply": 1}, {"ply": 2}]
    assert [act["events"] for act in acts] == [[{"seen": 0}], [{"seen": 1}], [{"seen": 2}]]
    assert len({act["id"] for act in acts}) == 3
    assert over == {
        "type": "over", "places": [1, 2], "scores": [5, 3], "reason": "completed", "faults": [],
    }  # fmt: skip
    assert not bot.is_closed


def test_a_bot_is_told_what_it_wants() -> None:
    bot = channel(1)
    ask_again(session(bot, wants=["legal"]), transcript(0), {})
    assert set(bot.received[1]) == {"type", "id", "time_left", "legal"}


def test_a_bank_is_charged_with_the_time_of_the_record() -> None:
    bot = channel(1, 1, 1)
    spent = transcript(2_000_000_000, 500_000_000, 0, move=None, bank=10.0, increment=1.0)
    ask_again(session(bot), spent, {})
    assert [act["time_left"] for act in bot.received[1:-1]] == [10.0, 9.0, 9.5]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Silence.TIMED_OUT, FaultKind.TIMEOUT),
        (Silence.ENDED, FaultKind.CRASH),
        (Silence.OVER_LIMIT, FaultKind.LIMIT),
        (Silence.TOO_LONG, FaultKind.OVERFLOW),
        (len(LEGAL), FaultKind.ILLEGAL),
        (b"?", FaultKind.MALFORMED),
        (b'{"type":"action","id":"x","action":0}', FaultKind.PROTOCOL),
    ],
)
def test_after_a_fault_nothing_more_is_asked(answer: Any, kind: FaultKind) -> None:
    bot = channel(1, answer)
    first, offence = ask_again(session(bot), transcript(0, 0, 0), {})
    assert first == Say(1)
    assert isinstance(offence, Offence)
    assert (offence.kind, offence.stderr) == (kind, "said")
    assert bot.is_closed
    assert [message["type"] for message in bot.received] == ["start", "act", "act"]


def test_more_than_one_line_is_a_fault() -> None:
    (offence,) = ask_again(session(channel(1, rest=b"more")), transcript(0), {})
    assert isinstance(offence, Offence)
    assert offence.kind is FaultKind.PROTOCOL


def test_a_busy_machine_is_nobodys_fault() -> None:
    with pytest.raises(MachineTooBusy):
        ask_again(session(channel(Silence.STARVED)), transcript(0), {})


OFFENCE = Offence(FaultKind.CRASH, "")


@pytest.mark.parametrize(
    ("recorded", "answer", "met"),
    [
        (Say(1), Say(1), True),
        (Say(1), Say(0), False),
        (Say(1), OFFENCE, False),
        (FaultKind.CRASH, OFFENCE, True),
        (FaultKind.TIMEOUT, OFFENCE, False),
        (FaultKind.CRASH, Say(1), False),
    ],
)
def test_which_answers_are_as_recorded(recorded: Any, answer: Any, met: bool) -> None:
    question = Question(0, {}, (), LEGAL, recorded)
    assert question.is_met_by(answer) is met
