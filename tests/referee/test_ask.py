"""One question and its answer, for the referee and for whoever asks a second time."""

from __future__ import annotations

import json
from typing import Any

import pytest

from arena.referee.ask import Answer, Asker, over_line, start_line
from arena.referee.channel import Silence
from arena.referee.deadline import GameClock, SchedulerDelay
from arena.referee.protocol import USUAL_PARTS, Part, Ready
from arena.referee.records.format import End
from arena.referee.session import BotSession, MachineTooBusy, Offence
from arena.values.results import Fault, FaultKind, Termination, TimeControl
from tests.referee.scripted import SECOND, Late, Scripted, action
from tests.toy import Say, ToyRules

RULES = ToyRules(2)
LEGAL = RULES.legal_actions(RULES.initial_state())
SEAT = 1


def asker(bot: Scripted, control: TimeControl | None = None) -> Asker:
    session = BotSession(bot, Ready(1, wants=bot.wants))
    return Asker(session, RULES, SEAT, GameClock(control or TimeControl(), 2), bot.time)


def ask(asker: Asker, charged: int | None = None) -> Answer | Offence:
    return asker.ask({"card": 7}, [{"what": "rolled"}], LEGAL, charged=charged)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (2, (Say(2), None)),
        ({"type": "say", "number": 1}, (Say(1), None)),
        (lambda asked: action(asked["id"], 0, info={"eval": 1}), (Say(0), b'{"eval":1}')),
    ],
)
def test_an_answer_is_an_action_with_its_info(answer: Any, expected: Any) -> None:
    bot = Scripted([answer])
    found, info = ask(asker(bot))
    assert (found, info if info is None else bytes(info)) == expected
    assert not bot.is_closed


@pytest.mark.parametrize(
    "wants", [USUAL_PARTS, (), ("legal",), ("observation",), ("events", "observation")]
)
def test_a_bot_is_sent_what_it_wants(wants: tuple[Part, ...]) -> None:
    bot = Scripted(wants=wants)
    asking = asker(bot)
    ask(asking)
    assert set(bot.received[0]) == {"type", "id", "time_left", *wants}
    assert asking.wants_observation is ("observation" in wants)


def test_every_question_has_a_token_of_its_own() -> None:
    bot = Scripted()
    asking = asker(bot)
    for _ in range(200):
        ask(asking)
    tokens = [message["id"] for message in bot.received]
    assert len({*tokens}) == 200
    assert {len(token) for token in tokens} == {16}


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Silence.TIMED_OUT, FaultKind.TIMEOUT),
        (Silence.STDIN_BLOCKED, FaultKind.TIMEOUT),
        (Silence.ENDED, FaultKind.CRASH),
        (Silence.OVER_LIMIT, FaultKind.LIMIT),
        (Silence.TOO_LONG, FaultKind.OVERFLOW),
        (b"?", FaultKind.MALFORMED),
        ({"type": "fly"}, FaultKind.MALFORMED),
        (len(LEGAL), FaultKind.ILLEGAL),
        (-1, FaultKind.ILLEGAL),
        ({"type": "say", "number": 9}, FaultKind.ILLEGAL),
        (action("0" * 16, 0), FaultKind.PROTOCOL),
        (b'{"type":"ready","protocol":1}', FaultKind.PROTOCOL),
    ],
)
def test_an_offence_closes_the_channel_and_has_its_evidence(answer: Any, kind: FaultKind) -> None:
    bot = Scripted([Late(0.5, answer)])
    bot.status, bot.cost = 3, SchedulerDelay(5, 6, 7)
    offence = ask(asker(bot))
    assert isinstance(offence, Offence)
    assert offence.kind is kind
    assert (offence.exit_status, offence.scheduler_delay) == (3, bot.cost)
    assert offence.waited == round(0.5 * SECOND)
    assert bot.is_closed


def test_a_second_line_is_an_offence_but_does_not_hide_a_worse_one() -> None:
    bot = Scripted()
    bot.more = b"and more"
    offence = ask(asker(bot))
    assert isinstance(offence, Offence)
    assert (offence.kind, offence.line) == (FaultKind.PROTOCOL, "and more")
    bot = Scripted([b"?"])
    bot.more = b"and more"
    offence = ask(asker(bot))
    assert isinstance(offence, Offence)
    assert offence.kind is FaultKind.MALFORMED


@pytest.mark.parametrize("answers", [0, 1])
def test_an_end_before_the_first_answer_is_told_as_such(answers: int) -> None:
    asking = asker(Scripted([*[0] * answers, Silence.ENDED]))
    for _ in range(answers):
        ask(asking)
    offence = ask(asking)
    assert isinstance(offence, Offence)
    assert ("before its first answer" in offence.detail) is (answers == 0)


def test_a_busy_machine_is_nobodys_fault() -> None:
    bot = Scripted([Silence.STARVED])
    with pytest.raises(MachineTooBusy):
        ask(asker(bot))
    assert not bot.is_closed


@pytest.mark.parametrize(
    ("charged", "left"), [(None, [10.0, 8.5]), (4 * SECOND, [10.0, 6.0]), (0, [10.0, 10.0])]
)
def test_a_bank_pays_for_what_the_machine_gave_or_what_is_asked_for(charged, left) -> None:
    bot = Scripted([Late(2.0), 0])
    bot.cost = SchedulerDelay(excused=SECOND // 2)
    asking = asker(bot, TimeControl(move=None, bank=10.0))
    ask(asking, charged)
    assert asking.used == 2 * SECOND
    ask(asking, charged)
    assert [asked["time_left"] for asked in bot.received] == left


def test_without_a_bank_nothing_is_measured() -> None:
    bot = Scripted()
    bot.scheduler_delay = lambda: pytest.fail("nobody asked")  # type: ignore[method-assign]
    ask(asker(bot, TimeControl(move=1.0)))
    assert bot.received[0]["time_left"] == 1.0


def test_the_start_tells_a_bot_its_own() -> None:
    line = start_line(RULES.spec, SEAT, TimeControl(), "opaque", 12, {"depth": 3}, ("a", "b"))
    told = json.loads(line)
    assert (told["type"], told["game"], told["rules"]) == ("start", "opaque", "toy")
    assert (told["seat"], told["seats"], told["seed"]) == (1, 2, 12)
    assert (told["bot_options"], told["names"]) == ({"depth": 3}, ["a", "b"])


def test_of_faults_the_end_tells_whose_and_which() -> None:
    fault = Fault(0, FaultKind.CRASH, 3, "its own business")
    line = over_line(End(3, Termination.FORFEITED, (2, 1), None, (fault,)))
    assert json.loads(line) == {
        "type": "over", "places": [2, 1], "scores": None, "reason": "forfeited",
        "faults": [{"seat": 0, "kind": "crash"}],
    }  # fmt: skip
