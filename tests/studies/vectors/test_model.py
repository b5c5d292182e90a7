"""Models that are right, wrong, or no models at all."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from arena.documents.bad_input import BadInput
from arena.games.registry import make_rules, rules_spec
from arena.studies.vectors.cases import NEEDED, CaseSelection, cases
from arena.studies.vectors.exploring import Layer
from arena.studies.vectors.model import (
    Agreement,
    Finding,
    Mismatch,
    ModelFailure,
    compare,
    first_difference,
)
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
"""Answers from a file, after a change."""
EXPECTED: Final[dict[str, Any]] = {
    "next": {"a": [1, {"b": None}], "c/d": True},
    "legal": [{"type": "x"}, {"type": "y", "n": 1}],
    "events": [None, {"type": "e"}],
}


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
        (
            {"next": {"a": [1, {"b": None}], "c/d": True, "~": 1}},
            ("/next/~0", "1", "nothing"),
        ),
        ({"legal": [{"type": "x"}]}, ("/legal/1", "nothing", '{"type":"y","n":1}')),
        ({"legal": [{"type": "x"}] * 2}, ("/legal/1", "nothing", '{"type":"y","n":1}')),
        (
            {"legal": [{"type": "x"}, {"type": "x"}, {"type": "y", "n": 1}]},
            ("/legal/1", '{"type":"x"}', "nothing"),
        ),
        ({"legal": {}}, ("/legal", "{}", '[{"type":"x"},{"type":"y","n":1}]')),
        ({"events": [None]}, ("/events/1", "nothing", '{"type":"e"}')),
    ],
)
def test_the_first_difference_has_its_place(
    change: dict[str, Any], found: tuple[str, str, str] | None
) -> None:
    first = first_difference(EXPECTED | change, EXPECTED)
    if first is None or found is None:
        assert first == found
    else:
        assert first[0] == found[0]
        assert [json.loads(each) if each != "nothing" else each for each in first[1:]] == [
            json.loads(each) if each != "nothing" else each for each in found[1:]
        ]


def test_what_only_one_has_is_not_compared() -> None:
    assert first_difference({"next": EXPECTED["next"], "more": 1}, EXPECTED) is None


def asked(
    folder: Path, monkeypatch: pytest.MonkeyPatch, code: str, layer: Layer, seconds: float
) -> Finding:
    rules = make_rules(rules_spec("dragonheart"))
    found = [*cases(rules, CaseSelection(layer, "1", 6, depth=2))]
    (folder / "answers.jsonl").write_text(
        "".join(json.dumps(case.line) + "\n" for case in found), "utf-8"
    )
    (folder / "model.py").write_text(code, "utf-8")
    monkeypatch.chdir(folder)
    return compare(command(), found, NEEDED[layer], seconds)


def command() -> str:
    return shlex.join([sys.executable, "model.py"])


@pytest.mark.process
@pytest.mark.parametrize("layer", Layer)
def test_a_right_model_agrees(
    layer: Layer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = asked(tmp_path, monkeypatch, RIGHT.replace("{change}", "pass"), layer, 60.0)
    assert isinstance(found, Agreement)
    assert found.cases == 6
    assert set(found.compared.values()) == {6}
    assert {*NEEDED[layer]} <= found.compared.keys()
    assert not found.missing


@pytest.mark.process
def test_a_model_tells_only_what_it_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change = 'answer = {name: answer[name] for name in ("next", "legal")}'
    found = asked(tmp_path, monkeypatch, RIGHT.replace("{change}", change), Layer.STEPS, 60.0)
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
def test_a_wrong_model_is_told_where(
    change: str,
    pointer: str,
    expected: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = asked(tmp_path, monkeypatch, RIGHT.replace("{change}", change), Layer.STEPS, 60.0)
    assert isinstance(found, Mismatch)
    assert (found.pointer, found.case.question["ply"]) == (pointer, 3)
    assert expected in (None, found.expected)


HOSTILE: Final = {
    "says nothing": ("input(); print('{}'); input()", "the answer has no `next`, `legal`"),
    "hangs": ("import time; time.sleep(600)", "did not answer within"),
    "never ends a line": (
        "import time; print('{', end='', flush=True); time.sleep(600)",
        "did not answer within",
    ),
    "drips": (
        "import time\nwhile True: print('x', end='', flush=True); time.sleep(0.05)",
        "did not answer within",
    ),
    "ends": ("pass", "ended with exit status 0"),
    "crashes": ("input(); raise SystemExit('no idea')", "ended with exit status 1"),
    "is killed": ("import os; os.kill(os.getpid(), 11)", "ended by signal 11"),
    "babbles": ("print('hello'); input()", 'found "hello", expected a JSON object'),
    "says a number": ("print(7); input()", 'found "7", expected a JSON object'),
    "nests": ("print('[' * 100000); input()", "expected a JSON object"),
    "sends bytes": (
        "import sys; sys.stdout.buffer.write(bytes([255, 0, 10])); sys.stdout.flush(); input()",
        "expected a JSON object",
    ),
    "floods a line": ("while True: print('x' * 65536, end='')", "a line of more than 1048576"),
    "floods lines": ("while True: print('x' * 100)", "expected a JSON object"),
    "floods standard error": (
        "import sys\nwhile True: print('x' * 65536, file=sys.stderr)",
        "did not answer within",
    ),
    "closes its pipes": (
        "import os, time; os.close(0); os.close(1); time.sleep(600)",
        "did not answer within",
    ),
    "ignores the end": (
        "import signal, time\n"
        "for each in (1, 2, 13, 15): signal.signal(each, signal.SIG_IGN)\n"
        "while True: time.sleep(1)",
        "did not answer within",
    ),
}


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize("kind", HOSTILE)
def test_no_model_holds_anything_up(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, what = HOSTILE[kind]
    waits = what.startswith("did not")
    found = asked(tmp_path, monkeypatch, code, Layer.STEPS, 1.0 if waits else 60.0)
    assert isinstance(found, ModelFailure)
    assert what in found.what
    assert "\n" not in found.what + found.stderr
    if kind == "crashes":
        assert found.stderr == "no idea"


@pytest.mark.process
def test_two_lines_for_one_question_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = "print(json.dumps(answer), flush=True)"
    found = asked(tmp_path, monkeypatch, RIGHT.replace("{change}", change), Layer.STEPS, 60.0)
    assert isinstance(found, ModelFailure)
    assert (found.what, found.case.question["ply"]) == (
        "more than one line came for one question",
        1,
    )


@pytest.mark.parametrize("command", ["", "no-such-program-anywhere x", "'half"])
def test_what_cannot_be_started_is_bad_input(command: str) -> None:
    with pytest.raises(BadInput, match="--against: "):
        compare(command, [], (), 1.0)


@pytest.mark.slow
@pytest.mark.process
def test_the_command_tells_in_a_sentence(tmp_path: Path) -> None:
    words = ("vectors", "dragonheart", "--count", "6")
    written = arena(tmp_path, *words)
    (tmp_path / "answers.jsonl").write_text(written.out)
    model = tmp_path / "model.py"
    model.write_text(RIGHT.replace("{change}", "del answer['events']"))
    right = arena(tmp_path, *words, "--against", command())
    assert (written.code, right.code, right.out) == (
        3,
        3,
        "6 steps agree: seat, legal, next, observations, scores, places\n",
    )
    assert arena(tmp_path, *words, "--against", command(), "--allow-unmet").code == 0
    given, met, never, advice = right.err.splitlines()
    unmet, same = written.err.splitlines()
    assert (unmet, same) == ("never met: action take, action steal", advice)
    assert never.startswith(unmet)
    assert given == "not given, so not compared: events"
    assert met.startswith("met: 1 game; play ")
    assert met.endswith(", shuffle 2, starter 1")
    assert never.startswith("never met: action take, action steal, ")
    assert never.endswith(", over in events")
    model.write_text(RIGHT.replace("{change}", 'answer["next"]["turn"] += 1'))
    wrong = arena(tmp_path, *words, "--against", command())
    sentence, question = wrong.out.splitlines()
    assert wrong.code == 1
    assert sentence == "game 0, ply 0: /next/turn: found 1, expected 0"
    assert json.loads(question).items() <= json.loads(written.out.splitlines()[0]).items()
    model.write_text("import sys; sys.exit('\\x1b[31mno')")
    broken = arena(tmp_path, *words, "--against", command())
    assert broken.code == 1
    assert "\x1b" not in broken.out
    assert broken.out.startswith("game 0, ply 0: it ended with exit status 1 and did not answer; ")
    assert arena(tmp_path, *words, "--against", "no-such-program").code == 2
    assert arena(tmp_path, *words, "--seconds", "2").code == 2
