"""Models that are right, wrong, or no models at all."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from arena.extensions.authors.vectors.cases import NEEDED, CaseSelection, cases
from arena.extensions.authors.vectors.exploring import Layer
from arena.extensions.authors.vectors.model import (
    Agreement,
    Finding,
    Mismatch,
    ModelFailure,
    compare,
    first_difference,
)
from arena.games.registry import make_rules, rules_spec
from arena.values.bad_input import BadInput
from tests.cli.shell import arena

RIGHT: Final = """
import json, sys
answers = [json.loads(line) for line in open("answers.jsonl")]
for line, answer in zip(sys.stdin, answers):
    question = json.loads(line)
    assert question.items() <= answer.items()
    for name in question:
        del answer[name]
    {change}
    print(json.dumps(answer), flush=True)
"""
EXPECTED: Final[dict[str, Any]] = {
    "next": {"a": [1, {"b": None}], "c/d": True},
    "legal": [{"type": "x"}, {"type": "y", "n": 1}],
    "events": [None, {"type": "e"}],
}


def legal(*types: str) -> dict[str, Any]:
    """Legal actions of these types."""
    return {"legal": [{"type": each} | ({"n": 1} if each == "y" else {}) for each in types]}


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({}, None),
        ({"legal": [{"n": 1, "type": "y"}, {"type": "x"}]}, None),
        ({"more": 1}, None),
        ({"next": None}, ("/next", "null", '{"a":[1,{"b":null}],"c/d":true}')),
        ({"next": {"a": [1, {"b": None}]}}, ("/next/c~1d", "nothing", "true")),
        ({"next": {"a": [1, {}], "c/d": True}}, ("/next/a/1/b", "nothing", "null")),
        ({"next": {"a": [1, {"b": 0}], "c/d": True}}, ("/next/a/1/b", "0", "null")),
        ({"next": {"a": [True, {"b": None}], "c/d": True}}, ("/next/a/0", "true", "1")),
        ({"next": {"a": [1.0, {"b": None}], "c/d": True}}, ("/next/a/0", "1.0", "1")),
        ({"next": {"a": [1], "c/d": True}}, ("/next/a/1", "nothing", '{"b":null}')),
        ({"next": {"a": [1, {"b": None}, 2], "c/d": True}}, ("/next/a/2", "2", "nothing")),
        ({"next": {"a": [1, {"b": None}], "c/d": True, "~": 1}}, ("/next/~0", "1", "nothing")),
        (legal("x"), ("/legal/1", "nothing", '{"type":"y","n":1}')),
        (legal("x", "x"), ("/legal/1", "nothing", '{"type":"y","n":1}')),
        (legal("x", "x", "y"), ("/legal/1", '{"type":"x"}', "nothing")),
        ({"legal": {}}, ("/legal", "{}", '[{"type":"x"},{"type":"y","n":1}]')),
        ({"events": [None]}, ("/events/1", "nothing", '{"type":"e"}')),
    ],
)
def test_the_first_difference_has_its_place(change, found) -> None:
    def read(first: tuple[str, str, str] | None) -> Any:
        values = (each if each == "nothing" else json.loads(each) for each in (first or ())[1:])
        return first and (first[0], *map(repr, values))

    assert read(first_difference(EXPECTED | change, EXPECTED)) == read(found)


def test_what_only_one_has_is_not_compared() -> None:
    assert first_difference({"next": EXPECTED["next"], "more": 1}, EXPECTED) is None


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Finding]:
    """Asks a model six cases."""
    monkeypatch.chdir(tmp_path)

    def asked(code: str, layer: Layer = Layer.STEPS, seconds: float = 60.0) -> Finding:
        rules = make_rules(rules_spec("dragonheart"))
        found = [*cases(rules, CaseSelection(layer, "1", 6, depth=2))]
        lines = "".join(json.dumps(case.line) + "\n" for case in found)
        Path("answers.jsonl").write_text(lines, "utf-8")
        Path("model.py").write_text(code, "utf-8")
        return compare(command(), found, NEEDED[layer], seconds)

    return asked


def right(change: str) -> str:
    """A model that answers from a file, after a change."""
    return RIGHT.replace("{change}", change)


def command() -> str:
    return shlex.join([sys.executable, "model.py"])


@pytest.mark.process
@pytest.mark.parametrize("layer", Layer)
def test_a_right_model_agrees(layer: Layer, asked: Any) -> None:
    found = asked(right("pass"), layer)
    assert isinstance(found, Agreement)
    assert found.cases == 6
    assert set(found.compared.values()) == {6}
    assert {*NEEDED[layer]} <= found.compared.keys()
    assert not found.missing


@pytest.mark.process
def test_a_model_tells_only_what_it_has(asked: Any) -> None:
    found = asked(right('answer = {name: answer[name] for name in ("next", "legal")}'))
    assert isinstance(found, Agreement)
    assert [*found.compared] == ["legal", "next"]
    assert found.missing == ("seat", "observations", "events", "scores", "places")


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize(
    ("change", "pointer", "expected"),
    [
        ('question["ply"] == 3 and answer["next"].update(turn=77)', "/next/turn", "2"),
        ('question["ply"] == 3 and answer["observations"].pop()', "/observations/1", None),
        ('question["ply"] == 3 and answer.update(scores=[0, 0])', "/scores", "null"),
    ],
)
def test_a_wrong_model_is_told_where(change, pointer, expected, asked) -> None:
    found = asked(right(change))
    assert isinstance(found, Mismatch)
    assert (found.pointer, found.case.question["ply"]) == (pointer, 3)
    assert expected in (None, found.expected)


LATE: Final = "did not answer within"
NO_OBJECT: Final = "expected a JSON object"
HOSTILE: Final = {
    "says nothing": ("input(); print('{}'); input()", "the answer has no `next`, `legal`"),
    "hangs": ("import time; time.sleep(600)", LATE),
    "never ends a line": ("import time; print('{', end='', flush=True); time.sleep(600)", LATE),
    "drips": ("import time\nwhile True: print('x', end='', flush=True); time.sleep(0.05)", LATE),
    "ends": ("pass", "ended with exit status 0"),
    "crashes": ("input(); raise SystemExit('no idea')", "ended with exit status 1"),
    "is killed": ("import os; os.kill(os.getpid(), 11)", "ended by signal 11"),
    "babbles": ("print('hello'); input()", f'found "hello", {NO_OBJECT}'),
    "says a number": ("print(7); input()", f'found "7", {NO_OBJECT}'),
    "nests": ("print('[' * 100000); input()", NO_OBJECT),
    "sends bytes": (
        "import sys; sys.stdout.buffer.write(bytes([255, 0, 10])); sys.stdout.flush(); input()",
        NO_OBJECT,
    ),
    "floods a line": ("while True: print('x' * 65536, end='')", "a line of more than 1048576"),
    "floods lines": ("while True: print('x' * 100)", NO_OBJECT),
    "floods standard error": ("import sys\nwhile True: print('x' * 65536, file=sys.stderr)", LATE),
    "closes its pipes": ("import os, time; os.close(0); os.close(1); time.sleep(600)", LATE),
    "ignores the end": (
        "import signal, time\n"
        "for each in (1, 2, 13, 15): signal.signal(each, signal.SIG_IGN)\n"
        "while True: time.sleep(1)",
        LATE,
    ),
}


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize("kind", HOSTILE)
def test_no_model_holds_anything_up(kind: str, asked: Any) -> None:
    code, what = HOSTILE[kind]
    found = asked(code, seconds=1.0 if what == LATE else 60.0)
    assert isinstance(found, ModelFailure)
    assert what in found.what
    assert "\n" not in found.what + found.stderr
    if kind == "crashes":
        assert found.stderr == "no idea"


@pytest.mark.process
def test_two_lines_for_one_question_are_told(asked: Any) -> None:
    found = asked(right("print(json.dumps(answer), flush=True)"))
    assert isinstance(found, ModelFailure)
    assert found.what == "more than one line came for one question"
    assert found.case.question["ply"] == 1


@pytest.mark.parametrize("command", ["", "no-such-program-anywhere x", "'half"])
def test_what_cannot_be_started_is_bad_input(command: str) -> None:
    with pytest.raises(BadInput, match="--model: "):
        compare(command, [], (), 1.0)


@pytest.mark.slow
@pytest.mark.process
def test_the_command_tells_in_a_sentence(tmp_path: Path) -> None:
    words = ("vectors", "dragonheart", "--count", "6")
    written = arena(tmp_path, *words)
    (tmp_path / "answers.jsonl").write_text(written.out)
    model = tmp_path / "model.py"
    model.write_text(right("del answer['events']"))
    agrees = arena(tmp_path, *words, "--model", command())
    assert (written.code, agrees.code) == (3, 3)
    assert agrees.out == "6 steps agree: seat, legal, next, observations, scores, places\n"
    assert arena(tmp_path, *words, "--model", command(), "--allow-unmet").code == 0
    given, met, never, advice = agrees.err.splitlines()
    unmet, same = written.err.splitlines()
    assert (unmet, same) == ("never met: action take, action steal", advice)
    assert never.startswith(unmet)
    assert given == "not given, so not compared: events"
    assert met.startswith("met: 1 game; play ")
    assert met.endswith(", shuffle 2, starter 1")
    assert never.startswith("never met: action take, action steal, ")
    assert never.endswith(", over in events")
    model.write_text(right('answer["next"]["turn"] += 1'))
    wrong = arena(tmp_path, *words, "--model", command())
    sentence, question = wrong.out.splitlines()
    assert wrong.code == 1
    assert sentence == "game 0, ply 0: /next/turn: found 1, expected 0"
    assert json.loads(question).items() <= json.loads(written.out.splitlines()[0]).items()
    model.write_text("import sys; sys.exit('\\x1b[31mno')")
    broken = arena(tmp_path, *words, "--model", command())
    assert broken.code == 1
    assert "\x1b" not in broken.out
    assert broken.out.startswith("game 0, ply 0: it ended with exit status 1 and did not answer; ")
    assert arena(tmp_path, *words, "--model", "no-such-program").code == 2
    assert arena(tmp_path, *words, "--seconds", "2").code == 2
