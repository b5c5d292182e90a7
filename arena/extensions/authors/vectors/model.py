"""Ask a model of a game, written by somebody else, and compare its answers with arena's.

A model is a program that reads a question on each line of its input and writes a line with the
answer. It runs as its author, with the author's environment. It may hang, crash, flood or write
nonsense; each is bounded in time and in bytes.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from arena.extensions.authors.vectors.cases import Case, in_order
from arena.games.base import Json
from arena.hosting.process import BotProcess
from arena.hosting.sandbox.isolation import Launch, Level
from arena.referee.channel import PipeChannel, Reply, Silence
from arena.values.bad_input import BadInput
from arena.values.problems import quote
from arena.views.last_words import crash_summary

_ANSWER_BYTES: Final = 1 << 20
_STDERR_BYTES: Final = 16 << 10
_SECOND: Final = 1_000_000_000
_GRACE_SECONDS: Final = 0.5
_SHOWN: Final = 200
_MORE: Final = "more than one line came for one question"
_NOTHING: Final = "nothing"
_UNORDERED: Final = "legal"
"""Member of an answer that may have another order than ours."""


class Mismatch(NamedTuple):
    """First place where a model's answer differs from ours."""

    case: Case
    pointer: str
    """JSON pointer (RFC 6901) into the answer."""
    found: str
    """Value found, as JSON, cut; ``nothing`` for a missing value."""
    expected: str


class ModelFailure(NamedTuple):
    """Model without an answer that could be compared."""

    case: Case
    what: str
    """Reason, worded as the end of a sentence: ``ended (exit status 1)``."""
    stderr: str
    """Last line of its standard error."""


class Agreement(NamedTuple):
    """Model whose answers all agree with ours."""

    cases: int
    compared: Mapping[str, int]
    """Number of cases in which each member was given; without members that were never given."""
    missing: tuple[str, ...]
    """Members that the model never gave."""
    games: int
    """Number of games or deals from which the cases came."""
    actions: Mapping[str, int]
    """Number of actions in the cases, by type."""
    told: frozenset[str]
    """Names of all members that events had."""


Finding: TypeAlias = Mismatch | ModelFailure | Agreement


def compare(command: str, cases: Iterable[Case], needed: Sequence[str], seconds: float) -> Finding:
    """Ask ``cases`` of the model that ``command`` starts, until an answer differs from ours.

    ``needed``: members that every answer must have. ``seconds``: time limit for one answer; for
    the first it includes the start. Raises BadInput if the model cannot be started.
    """
    model = _started(command)
    try:
        return _compare(model, cases, needed, seconds)
    finally:
        model.close()


def _started(command: str) -> PipeChannel:
    try:
        words = shlex.split(command)
    except ValueError as problem:
        raise BadInput(f"--model: found {quote(command)}: {problem}") from None
    program = shutil.which(words[0]) if words else None
    if program is None:
        raise BadInput(f"--model: found {quote(command)}, expected a program and its arguments")
    here = (os.path.abspath(program), *words[1:])
    try:
        process = BotProcess(Launch(here, os.getcwd(), dict(os.environ), Level.NONE))
    except (OSError, ValueError) as problem:
        what = problem.strerror if isinstance(problem, OSError) else problem
        raise BadInput(f"--model: {quote(command)} cannot be started: {what}") from None
    return PipeChannel(process, _ANSWER_BYTES, _STDERR_BYTES)


def _compare(
    model: PipeChannel, cases: Iterable[Case], needed: Sequence[str], seconds: float
) -> Finding:
    given: Counter[str] = Counter()
    known: dict[str, None] = {}
    games: set[Json] = set()
    actions: Counter[str] = Counter()
    told: set[str] = set()
    number = 0
    for case in cases:
        question = msgspec.json.encode(case.question) + b"\n"
        reply = model.ask(question, round(seconds * _SECOND))
        answer = _read(reply)
        if answer is None:
            what = _silence(model, reply, seconds)
            return ModelFailure(case, what, crash_summary(model.stderr())[:_SHOWN])
        if absent := [name for name in needed if name not in answer]:
            return ModelFailure(
                case, f"the answer has no {', '.join(f'`{name}`' for name in absent)}", ""
            )
        found = first_difference(answer, case.answer)
        if found is not None:
            return ModelFailure(case, _MORE, "") if _says_more(model) else Mismatch(case, *found)
        number += 1
        asked = case.question
        games.add(asked.get("game", asked.get("deal")))
        actions.update(case.kinds)
        told.update(*(event for event in case.answer.get("events", ()) if event))
        known |= dict.fromkeys(case.answer)
        given.update(case.answer.keys() & answer.keys())
    model.dismiss(b"")
    model.close(_GRACE_SECONDS)
    compared = {name: given[name] for name in known if given[name]}
    missing = tuple(name for name in known if not given[name])
    return Agreement(number, compared, missing, len(games), actions, frozenset(told))


def _says_more(model: PipeChannel) -> bool:
    """Return whether the model writes another line for a question, so that answers lag behind."""
    return isinstance(model.ask(b"", round(_GRACE_SECONDS * _SECOND)), bytes)


def _read(reply: Reply) -> dict[str, Json] | None:
    if isinstance(reply, Silence):
        return None
    try:
        answer = msgspec.json.decode(reply)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    return answer if isinstance(answer, dict) else None


def _silence(model: PipeChannel, reply: Reply, seconds: float) -> str:
    match reply:
        case bytes():
            return f"found {quote(reply.decode('utf-8', 'replace'))}, expected a JSON object"
        case Silence.ENDED:
            status = model.exit_status() or 0
            how = f"by signal {-status}" if status < 0 else f"with exit status {status}"
            return f"it ended {how} and did not answer"
        case Silence.TOO_LONG:
            return f"it answered with a line of more than {_ANSWER_BYTES} bytes"
        case _:
            return f"it did not answer within {seconds:g} s"


def first_difference(
    answer: Mapping[str, Json], expected: Mapping[str, Json]
) -> tuple[str, str, str] | None:
    """Return pointer, value found and value expected of the first difference; None if equal.

    Only members that both answers have are compared.
    """
    for name, wanted in expected.items():
        if name in answer:
            compare = _of_sets if name == _UNORDERED else _of
            if (found := compare(answer[name], wanted, f"/{_escaped(name)}")) is not None:
                return found
    return None


def _of(found: Json, expected: Json, at: str) -> tuple[str, str, str] | None:
    if isinstance(found, dict) and isinstance(expected, dict):
        for name in (*expected, *found):
            below = f"{at}/{_escaped(name)}"
            if name not in found:
                return below, _NOTHING, _shown(expected[name])
            if name not in expected:
                return below, _shown(found[name]), _NOTHING
            if (first := _of(found[name], expected[name], below)) is not None:
                return first
        return None
    if isinstance(found, list) and isinstance(expected, list):
        for index, (mine, wanted) in enumerate(zip(found, expected, strict=False)):
            if (first := _of(mine, wanted, f"{at}/{index}")) is not None:
                return first
        return _of_lengths(found, expected, at)
    if type(found) is type(expected) and found == expected:
        return None
    return at, _shown(found), _shown(expected)


def _of_lengths(found: list[Any], expected: list[Any], at: str) -> tuple[str, str, str] | None:
    if len(found) > len(expected):
        return f"{at}/{len(expected)}", _shown(found[len(expected)]), _NOTHING
    if len(found) < len(expected):
        return f"{at}/{len(found)}", _NOTHING, _shown(expected[len(found)])
    return None


def _of_sets(found: Json, expected: list[Json], at: str) -> tuple[str, str, str] | None:
    """Compare lists without order; a missing element has its index in ``expected``."""
    if not isinstance(found, list):
        return _of(found, expected, at)
    left = Counter(map(in_order, found))
    for index, wanted in enumerate(expected):
        if not left[in_order(wanted)]:
            return f"{at}/{index}", _NOTHING, _shown(wanted)
        left[in_order(wanted)] -= 1
    for index, given in reversed([*enumerate(found)]):
        if left[in_order(given)]:
            return f"{at}/{index}", _shown(given), _NOTHING
    return None


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _shown(value: Json) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
