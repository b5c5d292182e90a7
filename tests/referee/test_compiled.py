"""The compiled exchange does what the Python one does: bytes of questions, answers, verdicts."""

from __future__ import annotations

import enum
import hashlib
import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from arena.hosting.process import BotProcess
from arena.hosting.sandbox.isolation import Launch
from arena.referee.ask import Asker
from arena.referee.channel import PipeChannel
from arena.referee.compiled import PURE, CompiledChannel, Exchange
from arena.referee.deadline import LATE_WAKE, GameClock
from arena.referee.protocol import Act, Ready, encode
from arena.referee.session import BotSession, Offence, RulesBroken
from arena.values.results import TimeControl
from tests.toy import ToyRules

ROOT = Path(__file__).parents[2]
RULES = ToyRules(2)
LEGAL = RULES.legal_actions(RULES.initial_state())
LIMIT = 4096
ALLOWED = 2.0
"""Seconds for an answer."""


@pytest.mark.slow  # not on every machine there is a compiler
def test_it_is_compiled_here() -> None:
    assert Exchange is not None or os.environ.get(PURE)


class Suit(enum.Enum):
    KNIGHT = "knight"
    QUOTE = 'a "quoted" one'


class Rank(enum.IntEnum):
    LOW = 1
    HIGH = 1_000_000


class Face(enum.StrEnum):
    UP = "up"


class Plain(msgspec.Struct, frozen=True):
    first: Any
    second: Any = None


class Tagged(msgspec.Struct, tag="a tag", tag_field="what", omit_defaults=True, rename="camel"):
    the_first: Any = None
    the_second: Any = ()
    third: Any = "x"


class Empty(msgspec.Struct):
    pass


class Listed(msgspec.Struct, array_like=True):
    first: Any


class Made(msgspec.Struct, omit_defaults=True):
    found: list[Any] = []
    others: Any = 7


TEXTS = st.text() | st.text(st.sampled_from('abcdefgh "\\\n\x1f\x20\x7f'), max_size=20)
LEAVES = st.one_of(
    TEXTS,
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-2, 10**7),
    st.floats(),
    st.binary(max_size=5),
    st.sampled_from([*Suit, *Rank, *Face, UNSET]),
    st.builds(msgspec.Raw, st.just(b'{"raw":1}')),
    st.just(Empty()),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(TEXTS, inner, max_size=3),
        st.builds(Plain, inner, inner),
        st.builds(Tagged, inner, inner, inner),
        st.builds(Listed, inner),
        st.builds(Made, st.lists(inner, max_size=2), inner),
    ),
    max_leaves=12,
)
MISSING = st.just(UNSET)


@given(
    VALUES | MISSING, st.lists(VALUES, max_size=2) | MISSING, VALUES, st.none() | st.floats(0, 9)
)
def test_a_question_has_the_same_bytes(
    observation: Any, events: Any, legal: Any, left: float | None
) -> None:
    if Exchange is None:
        pytest.skip("nothing is compiled here")
    act = Act("0123456789abcdef", left, observation, events, legal)
    for _ in range(2):  # with what is known from the first time
        has_the_bytes_of_msgspec(act)


@given(VALUES, VALUES)
def test_parts_that_return_are_encoded_as_they_are_now(part: Any, other: Any) -> None:
    if Exchange is None:
        pytest.skip("nothing is compiled here")
    grows, named = [other], {"x": other}
    held = ((part, "a text that is kept"), Plain(part, (grows,)), Plain(named, part), (grows, part))
    for _ in range(3):
        has_the_bytes_of_msgspec(Act("0123456789abcdef", None, held, [held, part], held[:2]))
        grows.append(part)
        named["y"] = named["x"] = part


def has_the_bytes_of_msgspec(act: Act) -> None:
    assert Exchange is not None
    exchange = Exchange(-1, -1, -1, -1, LIMIT, LATE_WAKE)
    try:
        expected = encode(act)
    except (TypeError, ValueError, RecursionError) as error:
        with pytest.raises(type(error)):
            exchange.put(act, 1)
        return
    assert exchange.put(act, 1) == len(expected)
    assert exchange.line == expected


@pytest.mark.parametrize("kind", [list, tuple])
def test_what_has_no_end_has_no_json(kind: type) -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = kind([deep])
    endless: list[Any] = []
    endless.append(endless)
    for variant in variants():
        with bot_that(["plain"], variant) as channel:
            for value in (deep, endless, object(), {1: object()}):
                with pytest.raises(RulesBroken, match="a question has no JSON"):
                    asker(channel).ask(value, [], LEGAL)
    while deep:
        deep = deep[0]  # nothing recurses when it goes


PLAIN = '{"type":"action","id":"ID","action":1}\n'
STEPS: dict[str, list[Any]] = {
    "plain": [PLAIN],
    "blanks": [' {"type" : "action" ,\t"id":"ID","action": 1 } \n'],
    "order": ['{"action":1,"id":"ID","type":"action"}\n'],
    "first action": [PLAIN.replace("1", "0")],
    "last action": [PLAIN.replace("1", str(len(LEGAL) - 1))],
    "beyond the last": [PLAIN.replace("1", str(len(LEGAL)))],
    "below the first": [PLAIN.replace("1", "-1")],
    "minus zero": [PLAIN.replace("1", "-0")],
    "leading zero": [PLAIN.replace("1", "01")],
    "fraction": [PLAIN.replace("1", "1.0")],
    "exponent": [PLAIN.replace("1", "1e0")],
    "many digits": [PLAIN.replace("1", "1" * 30)],
    "million": [PLAIN.replace("1", "1000001")],
    "true": [PLAIN.replace("1", "true")],
    "null": [PLAIN.replace("1", "null")],
    "text": [PLAIN.replace("1", '"1"')],
    "the action itself": [PLAIN.replace("1", '{"type":"say","number":1}')],
    "another action": [PLAIN.replace("1", '{"type":"say","number":77}')],
    "other id": [PLAIN.replace("ID", "0" * 16)],
    "longer id": [PLAIN.replace("ID", "ID0")],
    "escaped key": [PLAIN.replace("id", "\\u0069d")],
    "escaped type": [PLAIN.replace("action", "\\u0061ction")],
    "no id": ['{"type":"action","action":1}\n'],
    "no type": ['{"id":"ID","action":1}\n'],
    "no action": ['{"type":"action","id":"ID"}\n'],
    "other type": [PLAIN.replace("action", "ready", 1)],
    "twice": [PLAIN.replace("}", ',"action":2}')],
    "unknown key": [PLAIN.replace("}", ',"more":[1]}')],
    "info": [PLAIN.replace("}", ',"info":{"eval":3}}')],
    "bad info": [PLAIN.replace("}", ',"info":1e999}')],
    "comma": [PLAIN.replace("}", ",}")],
    "no comma": [PLAIN.replace(",", " ")],
    "no brace": [PLAIN.replace("}", "")],
    "array": ["[" + PLAIN.strip() + "]\n"],
    "more behind": [PLAIN.replace("\n", " x\n")],
    "nothing": ["\n\n" + PLAIN],
    "carriage return": [PLAIN.replace("\n", "\r\n")],
    "two lines": [PLAIN + PLAIN],
    "a line and a half": [PLAIN + '{"type"'],
    "blank line behind": [PLAIN + "\n"],
    "halves": [PLAIN[:9], 0.05, PLAIN[9:]],
    "after the first poll": [0.1, PLAIN],
    "bytes": [b"\xff\xfe\x00\n"],
    "mark": ["\ufeff" + PLAIN],
    "never": [60],
    "half and never": [PLAIN[:9], 60],
    "end": [],
    "half and end": [PLAIN[:9]],
    "answer and end": [PLAIN, "exit"],
    "closed": ["close", 60],
    "answer and closed": [PLAIN, "close", 60],
    "too long": ["x" * (LIMIT + 10) + "\n"],
    "flood": ["flood"],
    "as long as it may be": [PLAIN.replace("\n", " " * (LIMIT - 52) + "\n")],
    "remark first": ["error", PLAIN],
    "remark closed": ["close error", 0.02, PLAIN],
}
"""What a bot does when it is asked: texts to write (ID: that of the question), seconds, orders."""
BOT = """
import json, os, sys, time
steps = json.loads(sys.argv[1])
def read():
    line = b""
    while not line.endswith(b"\\n"):
        line += os.read(0, 1) or sys.exit()
    return json.loads(line)
while True:
    asked = read()
    for step in steps:
        if isinstance(step, (int, float)):
            time.sleep(step)
        elif step == "close":
            os.close(1)
        elif step == "close error":
            os.close(2)
        elif step == "error":
            os.write(2, b"a remark")
        elif step == "flood":
            for _ in range(300):
                os.write(1, b"x" * 1000)
        elif step == "exit":
            time.sleep(0.05)
            os._exit(3)
        else:
            data = step.encode("latin-1" if step.startswith("\\xff") else "utf-8")
            data = data.replace(b"ID", asked["id"].encode())
            while data:
                data = data[os.write(1, data):]
    if not steps:
        os._exit(3)
"""


def variants() -> list[bool]:
    return [False] + [True] * (Exchange is not None)


@contextmanager
def bot_that(
    steps: list[Any], is_compiled: bool, *, pondering: bool = True
) -> Iterator[PipeChannel]:
    """The channel to a bot that does these steps when it is asked."""
    texts = [step.decode("latin-1") if isinstance(step, bytes) else step for step in steps]
    process = BotProcess(Launch((sys.executable, "-S", "-c", BOT, json.dumps(texts)), "/"))
    kind = CompiledChannel if is_compiled else PipeChannel
    channel = kind(process, LIMIT, LIMIT, pondering)
    try:
        yield channel
    finally:
        channel.close()


def asker(channel: PipeChannel, allowed: float | None = ALLOWED) -> Asker:
    session = BotSession(channel, Ready(1))
    return Asker(session, RULES, 0, GameClock(TimeControl(move=allowed), 2))


def found(name: str, is_compiled: bool, *, pondering: bool = True) -> list[Any]:
    """What the referee makes of up to three questions to the bot."""
    steps = STEPS[name]
    with bot_that(steps, is_compiled, pondering=pondering) as channel:
        asking, answers = asker(channel, 0.4 if 60 in steps else ALLOWED), list[Any]()
        while len(answers) < 3 and not channel.is_closed:
            answer = asking.ask({"card": 7}, [{"what": "rolled"}], LEGAL)
            if isinstance(answer, Offence):
                line = answer.line.count(" ")  # its id differs each time
                answers.append((answer.kind, answer.detail, line, answer.exit_status))
                assert answer.waited > 0
            else:
                answers.append((answer[0], answer[1] and bytes(answer[1])))
        answers.append(channel.stderr())
    return answers


@pytest.mark.process
@pytest.mark.usefixtures("leaves_nothing")
@pytest.mark.parametrize("name", STEPS)
def test_every_answer_is_judged_alike(name: str) -> None:
    if Exchange is None:
        pytest.skip("nothing is compiled here")
    pure, compiled = (found(name, is_compiled) for is_compiled in (False, True))
    assert pure == compiled


@pytest.mark.process
@pytest.mark.usefixtures("leaves_nothing")
@pytest.mark.parametrize("name", ["plain", "halves", "never", "end"])
def test_a_bot_that_may_not_ponder_is_judged_alike(name: str) -> None:
    assert len({str(found(name, is_compiled, pondering=False)) for is_compiled in variants()}) == 1


@pytest.mark.process
@pytest.mark.usefixtures("leaves_nothing")
def test_a_bot_that_reads_nothing_is_judged_alike() -> None:
    answers = []
    for is_compiled in variants():
        with bot_that([60], is_compiled) as channel:
            big = "x" * 300_000  # more than the pipe holds
            offence = asker(channel, 0.3).ask(big, [], LEGAL)
            assert isinstance(offence, Offence)
            answers.append(offence[:3])
    assert len(set(answers)) == 1


def test_the_switch_turns_it_off() -> None:
    code = "from arena.referee.compiled import Exchange; raise SystemExit(Exchange is not None)"
    env = os.environ | {PURE: "1"}
    assert subprocess.run([sys.executable, "-c", code], env=env, check=False).returncode == 0


CHECKED = """
import importlib.util, sys, pytest
name = "arena.referee._exchange"
spec = importlib.util.spec_from_file_location(name, sys.argv[1])
sys.modules[name] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules[name])
raise SystemExit(pytest.main(sys.argv[2:]))
"""
"""Run the tests with another file of the compiled module."""


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.timeout(400)
def test_no_memory_is_misused(tmp_path: Path) -> None:
    """The tests of this file, with a module that checks every access and every operation."""
    source = ROOT / "arena/referee/_exchange.c"
    package = tmp_path / f"_exchange{sysconfig.get_config_var('EXT_SUFFIX')}"
    words = ["gcc", "-shared", "-fPIC", "-g", "-O1", "-Wall", "-Wextra", "-Werror"]
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    words += [f'-DARENA_SOURCE="{digest}"']
    words += ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
    include = f"-I{sysconfig.get_path('include')}"
    subprocess.run([*words, include, str(source), "-o", str(package)], check=True)
    library = subprocess.run(
        ["gcc", "-print-file-name=libasan.so"], check=True, capture_output=True, text=True
    ).stdout.strip()
    asked = "detect_leaks=0:quarantine_size_mb=16"  # of what is freed, the usual 256 MB are kept
    env = os.environ | {"LD_PRELOAD": library, "ASAN_OPTIONS": asked}
    checks = ["-q", "-p", "no:cacheprovider", "-m", "not slow", __file__, "-n", "0"]
    done = subprocess.run(
        [sys.executable, "-c", CHECKED, str(package), *checks],
        cwd=ROOT,
        env=env | {"PYTHONMALLOC": "malloc"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
