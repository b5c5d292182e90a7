"""The JSON readers of languages whose library has none read what Python's reads."""

from __future__ import annotations

import json
import random
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from arena.extensions.authors.kit.folder import create
from arena.games.registry import GAMES
from tests.extensions.authors.kit.toolchains import language

pytestmark = [pytest.mark.slow, pytest.mark.process]

READERS: Final = Path(__file__).parent / "readers"
BUILDS: Final = {
    "cpp": (["g++", "-std=c++17", "-O0", "-o", "reader", "reader.cpp"], ["./reader"]),
    "rust": (["rustc", "--edition=2021", "-o", "reader", "reader.rs"], ["./reader"]),
    "java": (["javac", "-d", "build", "Reader.java"], ["java", "-cp", "build", "Reader"]),
}

GOOD: Final = [
    "null", "true", "false", '""', "[]", "{}", " [ ] ", "\t{ }\r", "[[]]", '{"a":{"b":[{}]}}',
    "0", "-0", "-0.0", "7", "-12", "1.5", "0.1", "1e3", "1E+3", "1e-3", "-2.5e-7", "123456789012",
    "9007199254740991", "1.7976931348623157e308", "5e-324", "0.30000000000000004", "1e400",
    '"a b"', '"\\"\\\\\\/\\b\\f\\n\\r\\t"', '"\\u0041"', '"\\u00e9\\u20AC"', '"\\uD83D\\uDE00"',
    '"\\u0000"', '"é€😀"', '"\u007f"', '"\u2028"', '{"":0}', '{"a":1,"b":2,"a b":3}',
    '{"z":1,"a":2}', "[1,2,3]", "[ 1 , 2 ]", '{ "a" : [ true , null ] }', '[{"a":[1,{"b":"c"}]}]',
    "[" * 100 + "]" * 100, '"' + "x" * 100_000 + '"', "[" + "0," * 20_000 + "0]",
    '{"type":"act","id":"3f2a9c417be05d68","time_left":1.0,"legal":[{"type":"end"}]}',
]  # fmt: skip
BAD: Final = [
    "", " ", "nul", "nulll", "True", "tru", "NaN", "Infinity", "-", "+1", "01", "-01", "1.", ".5",
    "1e", "1e+", "1.e3", "0x10", "1 2", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{", "}",
    '{"a"', '{"a":', '{"a":1', '{"a":1,', '{"a":1,}', "{,}", "{a:1}", "{'a':1}", '{1:2}', '{"a" 1}',
    '"', '"a', '"\\"', '"\\x"', '"\\u12"', '"\\u12g4"', '"\\u+123"', '"\t"', "'a'", "[1]]", "{}{}",
    '"a"b', "// a", "[1]//", "[" * 100, "[" * 5000 + "]" * 5000,
]  # fmt: skip
"""Reading says that these are none; no reader has to, but none may hang or break down."""


@pytest.fixture(scope="module", params=BUILDS)
def reader(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Lines as the reader of a kit understands them."""
    name: str = request.param
    home = tmp_path_factory.mktemp(name) / "bot"
    create(home, language(name), [GAMES["dragonheart"]])
    for file in READERS.iterdir():
        shutil.copy(file, home)
    build, command = BUILDS[name]
    subprocess.run(build, cwd=home, check=True, capture_output=True)

    def read(lines: list[str]) -> list[str]:
        said = "".join(f"{line}\n" for line in lines).encode()
        done = subprocess.run(command, cwd=home, input=said, capture_output=True, check=True)
        return done.stdout.decode().splitlines()

    return read


def shown(value: Any) -> str:
    """As the programs in readers/ say it."""
    match value:
        case None:
            return "n"
        case bool():
            return "t" if value else "f"
        case int() | float():
            return f"#{struct.unpack('>Q', struct.pack('>d', value))[0]:016x}"
        case str():
            return f'"{value.encode().hex()}'
        case list():
            return f"[{''.join(f'{shown(each)},' for each in value)}]"
    entries = sorted((shown(key), shown(each)) for key, each in value.items())
    return f"{{{''.join(f'{key}:{each},' for key, each in entries)}}}"


def test_what_is_json_is_read_as_by_python(reader: Any) -> None:
    expected = [shown(json.loads(text, parse_int=float)) for text in GOOD]
    for text, found, right in zip(GOOD, reader(GOOD), expected, strict=True):
        assert found == right, text[:100]


def test_what_is_no_json_is_told(reader: Any) -> None:
    for text, found in zip(BAD, reader(BAD), strict=True):
        assert found == "bad", text[:100]


def test_whatever_can_be_written_is_read(reader: Any) -> None:
    rng = random.Random(1)
    many = [value(rng, 4) for _ in range(1000)]
    for is_ascii in (True, False):
        lines = [json.dumps(each, ensure_ascii=is_ascii) for each in many]
        assert reader(lines) == [shown(each) for each in many]


def value(rng: random.Random, depth: int) -> Any:
    """Any value, of all characters that can stand in a text."""
    match rng.randrange(4 if depth == 0 else 6):
        case 0:
            return rng.choice([None, True, False])
        case 1:
            return rng.uniform(-1, 1) * 10.0 ** rng.randrange(-300, 300)
        case 2 | 3:
            points = [rng.choice([0x20, 0x60, 0x800, 0xD800, 0x110000]) for _ in range(8)]
            codes = [rng.randrange(most) for most in points]
            return "".join(chr(code) for code in codes if not 0xD800 <= code < 0xE000)
        case 4:
            return [value(rng, depth - 1) for _ in range(rng.randrange(4))]
    return {str(value(rng, 0)): value(rng, depth - 1) for _ in range(rng.randrange(4))}
