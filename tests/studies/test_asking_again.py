"""A seat asked again on its own, without processes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from arena.protocol.messages import decode
from arena.records.format import End
from arena.referee.channel import Reply, Silence
from arena.referee.deadline import NO_DELAY, SchedulerDelay
from arena.referee.faults import MachineTooBusy, Offence
from arena.referee.session import BotSession
from arena.results import FaultKind, Termination, TimeControl
from arena.studies.reask.courses import Question, SeatMessages
from arena.studies.reask.reask import ask_again
from tests.toy import Say, ToyRules

END = End(9, Termination.COMPLETED, (1, 2), (5, 3), ())
LEGAL = ToyRules(2).legal_actions(ToyRules(2).initial_state())


class Channel:
    """Answers from a list: the index of an action, a line, or why there is none."""

    def __init__(self, *answers: int | bytes | Silence, rest: bytes = b"") -> None:
        self.heard: list[dict[str, Any]] = []
        self.is_closed = False
        self._answers = list(answers)
        self._rest = rest

    def ask(self, question: bytes | bytearray, allowance: int | None) -> Reply:
        self.tell(question)
        answer = self._answers.pop(0)
        if isinstance(answer, int):
            message = {"type": "action", "id": self.heard[-1]["id"], "action": answer}
            return json.dumps(message).encode()
        return answer

    def tell(self, line: bytes | bytearray) -> None:
        self.heard.append(json.loads(line))

    def rest(self) -> bytes:
        return self._rest

    def scheduler_delay(self) -> SchedulerDelay:
        return NO_DELAY

    def over_limit(self) -> str | None:
        return None

    def exit_status(self) -> int | None:
        return None

    def stderr(self) -> str:
        return "said"

    def dismiss(self, farewell: bytes) -> None:
        raise AssertionError

    def close(self, grace: float = 0.0) -> None:
        self.is_closed = True


def session(channel: Channel, **wants: Any) -> BotSession:
    ready = decode(json.dumps({"type": "ready", "protocol": 1, **wants}).encode())
    return BotSession(channel, ready)  # type: ignore[arg-type]


def course(*used: int, **control: Any) -> SeatMessages:
    questions = tuple(
        Question(ply, {"ply": ply}, ({"seen": ply},), LEGAL, (Say(1),), used=nanoseconds)
        for ply, nanoseconds in enumerate(used)
    )
    return SeatMessages(ToyRules(2), 1, TimeControl(**control), 7, ("a", "b"), questions, END)


def test_the_game_goes_on_along_its_record() -> None:
    channel = Channel(1, 0, 1)
    answers = ask_again(session(channel), course(0, 0, 0), {"depth": 3}, 12)
    assert answers == (Say(1), Say(0), Say(1))
    start, *acts, over = channel.heard
    assert (start["type"], start["seat"], start["seats"]) == ("start", 1, 2)
    assert (start["seed"], start["bot_options"], start["names"]) == (12, {"depth": 3}, ["a", "b"])
    assert [act["observation"] for act in acts] == [{"ply": 0}, {"ply": 1}, {"ply": 2}]
    assert [act["events"] for act in acts] == [[{"seen": 0}], [{"seen": 1}], [{"seen": 2}]]
    assert len({act["id"] for act in acts}) == 3
    assert over == {
        "type": "over", "places": [1, 2], "scores": [5, 3], "reason": "completed", "faults": [],
    }  # fmt: skip
    assert not channel.is_closed


def test_a_bot_is_told_what_it_wants() -> None:
    channel = Channel(1)
    ask_again(session(channel, wants=["legal"]), course(0), {}, 0)
    assert set(channel.heard[1]) == {"type", "id", "time_left", "legal"}


def test_a_bank_is_charged_with_the_time_of_the_record() -> None:
    channel = Channel(1, 1, 1)
    spent = course(2_000_000_000, 500_000_000, 0, move=None, bank=10.0, increment=1.0)
    ask_again(session(channel), spent, {}, 0)
    assert [act["time_left"] for act in channel.heard[1:-1]] == [10.0, 9.0, 9.5]


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
    channel = Channel(1, answer)
    first, offence = ask_again(session(channel), course(0, 0, 0), {}, 0)
    assert first == Say(1)
    assert isinstance(offence, Offence)
    assert (offence.kind, offence.stderr) == (kind, "said")
    assert channel.is_closed
    assert [message["type"] for message in channel.heard] == ["start", "act", "act"]


def test_more_than_one_line_is_a_fault() -> None:
    (offence,) = ask_again(session(Channel(1, rest=b"more")), course(0), {}, 0)
    assert isinstance(offence, Offence)
    assert offence.kind is FaultKind.PROTOCOL


def test_a_busy_machine_is_nobodys_fault() -> None:
    with pytest.raises(MachineTooBusy):
        ask_again(session(Channel(Silence.STARVED)), course(0), {}, 0)


OFFENCE = Offence(FaultKind.CRASH, "")


@pytest.mark.parametrize(
    ("wanted", "unwanted", "answer", "met"),
    [
        ((Say(1), Say(2)), (), Say(2), True),
        ((Say(1), Say(2)), (), Say(0), False),
        ((), (Say(1),), Say(0), True),
        ((), (Say(1),), Say(1), False),
        ((Say(1),), (), OFFENCE, False),
        ((), (Say(1),), OFFENCE, False),
        ((FaultKind.CRASH,), (), OFFENCE, True),
        ((FaultKind.TIMEOUT,), (), OFFENCE, False),
        ((FaultKind.CRASH,), (), Say(1), False),
    ],
)
def test_which_answers_will_do(wanted: Any, unwanted: Any, answer: Any, met: bool) -> None:
    question = Question(0, {}, (), LEGAL, wanted, unwanted)
    assert question.is_met_by(answer) is met
