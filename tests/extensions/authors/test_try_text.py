"""What is shown of a bot that is tried: words, costs, and nothing that steers a terminal."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.extensions.authors.check.finding import Name
from arena.extensions.authors.trial.listening import (
    ComparedAnswer,
    ComparedLine,
    Cost,
    DecisionDue,
    Diagnosis,
    ProcessStarted,
)
from arena.extensions.authors.try_text import Narrator
from arena.games.registry import make_rules, rules_spec
from arena.referee.wire import Direction, WireMessage
from arena.values import clean
from arena.values.results import FaultKind

SPEC = make_rules(rules_spec("dragonheart")).spec


def narrator(*plies: int) -> Narrator:
    return Narrator(SPEC, ("anna", "ber\x1bta"), plies)


def heard(way: Direction, message: Any) -> WireMessage:
    data = message if isinstance(message, bytes) else json.dumps(message).encode()
    return WireMessage(way, data, 0)


@given(st.binary(max_size=2000), st.sampled_from([Direction.FROM, Direction.ERROR]))
def test_all_that_a_bot_writes_is_safe_and_cut(data: bytes, way: Direction) -> None:
    bot = narrator()
    act = {"type": "act", "id": "1", "time_left": 1, "legal": [], "events": []}
    lines = [*bot.lines(heard(Direction.TO, act)), *bot.lines(heard(way, data))]
    assert len(lines) <= 50
    for line in lines:
        assert len(line) <= 1700
        assert not any(unicodedata.category(each) in clean.UNSAFE for each in line)


def test_a_long_line_says_how_long_it_is() -> None:
    (line,) = narrator().lines(heard(Direction.FROM, b"x" * 5000))
    assert line.endswith("… (5000 bytes)")
    assert len(line) < 200


def test_of_much_standard_error_the_last_lines_are_shown() -> None:
    lines = [*narrator().lines(heard(Direction.ERROR, b"".join(b"%d\n" % n for n in range(100))))]
    assert (lines[0], lines[1], lines[-1]) == (" ! ... 60 lines", " ! 60", " ! 99")


@pytest.mark.parametrize(
    "answer",
    [b"", b"[]", b"[1]", b'"x"', b'{"action": 99}', b'{"action": -1}', b'{"action": true}',
     b'{"action": {"type": "x"}}', b"\xff", b"[" * 5000],
)  # fmt: skip
def test_an_answer_that_is_none_has_no_words(answer: bytes) -> None:
    bot = narrator()
    assert [*bot.lines(DecisionDue({}, (), [{"type": "x", "y": 1}]))] == []
    assert len([*bot.lines(heard(Direction.FROM, answer))]) == 1


def test_questions_are_numbered_or_told_by_their_ply() -> None:
    act = heard(Direction.TO, {"type": "act", "id": "1"})
    plain, known = narrator(), narrator(4, 7)
    assert [[*plain.lines(act)][1], [*plain.lines(act)][1]] == ["move 1", "move 2"]
    assert [[*known.lines(act)][1], [*known.lines(act)][1]] == ["ply 4", "ply 7"]


@pytest.mark.parametrize(
    ("event", "lines"),
    [
        (ProcessStarted(7), ["process 7"]),
        (
            Cost(1_500_000, 200_000, 3 << 20),
            ["      1.5 ms, 0.2 ms of the processor, peak memory 3.0 MiB"],
        ),
        (Cost(1_500_000, None, 0), ["      1.5 ms"]),
        (ComparedAnswer((FaultKind.CRASH,), None, True), ["      as recorded"]),  # type: ignore[arg-type]
        (ComparedLine(None, is_same=False), ["      recorded: no answer"]),
        (ComparedLine(b"x\x1b", is_same=False), [f"      recorded: x{clean.REPLACEMENT}"]),
    ],
)
def test_other_events(event: Any, lines: list[str]) -> None:
    assert [*narrator().lines(event)] == lines


def test_the_cause_of_a_fault_comes_with_what_to_do() -> None:
    bot = narrator()
    assert [*bot.advice()] == []
    assert [*bot.lines(Diagnosis(Name.CRASH, "it ended:\n\x1b[2J", mend="mend it"))] == []
    cause = f"cause: crash: it ended: / {clean.REPLACEMENT}[2J"
    assert [*bot.advice()] == [cause, "what to do: mend it"]


@pytest.mark.parametrize(
    ("wall", "before", "verdict"),
    [
        (3_005_000_000, FaultKind.TIMEOUT, "3.0 s, the limit was 1 s: it would be lost again"),
        (2_000_000, FaultKind.TIMEOUT, "2.0 ms, the limit was 1 s: in time now"),
        (3_005_000_000, FaultKind.CRASH, "3.0 s, the limit was 1 s: it would be lost"),
        (2_000_000, FaultKind.CRASH, ""),
    ],
)
def test_an_answer_is_judged_by_the_limit_of_before(wall, before, verdict) -> None:
    told = Narrator(SPEC, ("anna", "berta"), (), 1.0)
    action = make_rules(SPEC).decode_action({"type": "play", "cards": ["dwarf:1"]})
    for event in (Cost(wall, None, 0), ComparedAnswer(before, action, False)):
        assert [*told.lines(event)]
    assert [*told.conclusion(None)][2:] == [verdict][: bool(verdict)]
