"""Damage to bytes: what a careless or hostile author makes of a valid line or document.

Everything is drawn from the ``random.Random`` that is given, so a seed names every result.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*"|[-+.\w]+|\s+|.', re.DOTALL)
_LONGEST: Final = 1 << 20
"""Nothing grows beyond."""
_MOST_MUTATIONS: Final = 6

NUMBERS: Final = (
    b"0",
    b"-0",
    b"-1",
    b"1.0",
    b"-0.0",
    b"1e0",
    b"1E400",
    b"1e999",
    b"-1e999",
    b"5e-324",
    b"1e-999",
    b"00",
    b"+1",
    b".5",
    b"1.",
    b"0x10",
    b"NaN",
    b"Infinity",
    b"-Infinity",
    b"9007199254740993",
    b"9223372036854775807",
    b"9223372036854775808",
    b"-9223372036854775809",
    b"18446744073709551616",
    b"123456789012345678901234567890",
    b"9" * 400,
    b"9" * 4301,
)
WORDS: Final = (
    b"null",
    b"true",
    b"false",
    b"True",
    b"None",
    b"~",
    b"[]",
    b"{}",
    b'""',
    b'"a"',
    b'"type"',
    b'"action"',
    b'"ready"',
    b'"id"',
    b'"info"',
    b'"wants"',
    b'"protocol"',
)
PIECES: Final = (
    b'"',
    b"\\",
    b"\\u",
    b"\\u0000",
    b"\\ud800",
    b"\\udc00",
    b"\\ud83d\\ude00",
    b"\\u2028",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b",,",
    b"//",
    b"/*",
    b"#",
    b"\0",
    b"\x1b[2J",
    b"\x7f",
    b"\xff",
    b"\xc0\x80",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xe2\x80\xa8",
    b"\xc2\x85",
    b"\r",
    b"\n",
    b"\r\n",
    b"\t",
    b" ",
    b"\x0b",
    b"\x0c",
)
SCALARS: Final[tuple[Any, ...]] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    2,
    65,
    10**7,
    2**53 + 1,
    2**63,
    -(2**63),
    10**30,
    0.5,
    -0.0,
    1e308,
    "",
    "a",
    "..",
    "/",
    "a" * 300,
    "\0",
    "\x1b[2J",
    "\ud7ff\ue000",
    "\u2028",
    "1 s",
    "1e300 s",
    "99999999999999999999 GiB",
    "-1 s",
    "0",
    "/dev/zero",
    "/dev/stdin",
    "../../*/*",
    "[",
    "%s{0}",
)
_ENCODINGS: Final = ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "utf-7", "cp037")

Mutation = Callable[[random.Random, bytes, Sequence[bytes]], bytes]


def mutated(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    """``data`` after one or several mutations; ``corpus`` is where foreign parts come from."""
    for _ in range(1 + int(rng.random() ** 3 * _MOST_MUTATIONS)):
        data = rng.choice(MUTATIONS)(rng, data, corpus)
    return data[:_LONGEST]


def noise(rng: random.Random, most: int = 120) -> bytes:
    """Bytes without any sense: uniform, or pieces of JSON in no order."""
    if rng.random() < 0.5:
        return rng.randbytes(rng.randrange(most))
    pieces = (*NUMBERS[:20], *WORDS, *PIECES)
    return b"".join(rng.choices(pieces, k=rng.randrange(1, 24)))


def cuts(rng: random.Random, data: bytes, most: int) -> list[bytes]:
    """The data in pieces of 1 to ``most`` bytes."""
    pieces, start = [], 0
    while start < len(data):
        end = start + rng.randrange(1, most + 1)
        pieces.append(data[start:end])
        start = end
    return pieces


def _span(rng: random.Random, data: bytes) -> tuple[int, int]:
    """A place and, most often, a short piece behind it."""
    start = int(rng.random() * (len(data) + 1))
    length = int(rng.random() ** 4 * 40) + (rng.random() < 0.5)
    return start, min(len(data), start + length)


def _drop(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    start, end = _span(rng, data)
    return data[:start] + data[end:]


def _cut(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    start, _ = _span(rng, data)
    return data[:start]


def _repeat(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    start, end = _span(rng, data)
    times = rng.choice((2, 2, 3, 50))
    return data[:start] + data[start:end] * times + data[end:]


def _swap(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    (a, b), (c, d) = sorted((_span(rng, data), _span(rng, data)))
    return data if b > c else data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def _flip(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    if not data:
        return data
    at = int(rng.random() * len(data))
    return data[:at] + bytes((data[at] ^ 1 << rng.randrange(8),)) + data[at + 1 :]


def _overwrite(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    start, end = _span(rng, data)
    return data[:start] + rng.randbytes(end - start) + data[end:]


def _insert(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    start = rng.choice((0, len(data), _span(rng, data)[0]))
    return data[:start] + rng.choice(PIECES) + data[start:]


def _tokens(data: bytes) -> list[bytes]:
    return _TOKEN.findall(data[:_LONGEST])


def _replace_token(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    tokens = _tokens(data)
    if not tokens:
        return data
    other = rng.choice((NUMBERS, WORDS, PIECES))
    tokens[int(rng.random() * len(tokens))] = rng.choice(other)
    return b"".join(tokens)


def _move_token(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    """Drop, double or exchange whole tokens."""
    tokens = _tokens(data)
    if not tokens:
        return data
    a, b = int(rng.random() * len(tokens)), int(rng.random() * len(tokens))
    match rng.randrange(3):
        case 0:
            del tokens[a]
        case 1:
            tokens.insert(b, tokens[a])
        case _:
            tokens[a], tokens[b] = tokens[b], tokens[a]
    return b"".join(tokens)


def _splice(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    """The beginning of one and the end of another."""
    other = rng.choice(corpus)
    return data[: _span(rng, data)[0]] + other[_span(rng, other)[0] :]


def _graft(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    """A whole other one in the middle."""
    start, end = _span(rng, data)
    return data[:start] + rng.choice(corpus) + data[end:]


def _member(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    """One more member of an object, its key perhaps there already."""
    braces = [at for at, byte in enumerate(data[:4096]) if byte == 0x7B]
    if not braces:
        return data
    keys = re.findall(rb'"[^"]{1,30}"(?=\s*:)', data[:4096]) or [b'"x"']
    value = rng.choice(rng.choice((NUMBERS, WORDS)))
    at = rng.choice(braces) + 1
    return data[:at] + rng.choice((*keys, b'"x"')) + b":" + value + b"," + data[at:]


def _nest(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    """A token in brackets, few or very many."""
    depth = rng.choice((1, 2, 30, 61, 62, 63, 64, 65, 200, 1100, 3000))
    left, right = rng.choice(((b"[", b"]"), (b'{"a":', b"}"), (b"[{},", b"]"), (b"[", b"")))
    tokens = _tokens(data) or [b"0"]
    at = int(rng.random() * len(tokens))
    tokens[at] = left * depth + tokens[at] + right * depth
    return b"".join(tokens)


def _encode(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    return data.decode("utf-8", "replace").encode(rng.choice(_ENCODINGS), "replace")


def _space(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    """Room between two tokens, where JSON and YAML mostly allow it."""
    tokens = _tokens(data)
    tokens.insert(int(rng.random() * (len(tokens) + 1)), rng.choice((b" ", b"\t", b"\r", b"  ")))
    return b"".join(tokens)


def _digit(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    """Another digit in a number."""
    places = [at for at, byte in enumerate(data[:4096]) if byte in b"0123456789"]
    if not places:
        return data
    at = rng.choice(places)
    return data[:at] + b"%d" % rng.randrange(12) + data[at + 1 :]


def _escape(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    """A letter in the spelling of JSON's escapes."""
    if not data:
        return data
    at = int(rng.random() * len(data))
    return data[:at] + b"\\u%04x" % data[at] + data[at + 1 :]


MUTATIONS: Final[tuple[Mutation, ...]] = (
    _drop,
    _cut,
    _repeat,
    _swap,
    _flip,
    _overwrite,
    _insert,
    _insert,
    _replace_token,
    _replace_token,
    _move_token,
    _splice,
    _graft,
    _member,
    _member,
    _nest,
    _encode,
    _escape,
    _space,
    _space,
    _digit,
    _digit,
)


def changed(rng: random.Random, value: Any) -> Any:
    """Parsed JSON or YAML after one or several changes of its structure; ``value`` stays."""
    for _ in range(1 + int(rng.random() ** 3 * _MOST_MUTATIONS)):
        value = _changed(rng, value, rng.choice(list(_paths(value, ()))), value)
    return value


def _paths(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Where anything stands."""
    yield path
    if isinstance(value, dict | list):
        for key, below in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _paths(below, (*path, key))


def _changed(rng: random.Random, value: Any, path: tuple[Any, ...], whole: Any) -> Any:
    if not path:
        return _other(rng, value, whole)
    key, *below = path
    if below:
        inner = _changed(rng, value[key], tuple(below), whole)
        return _put(value, key, inner)
    match rng.randrange(6):
        case 0:
            return _without(value, key)
        case 1 if isinstance(value, list):
            return [*value[:key], value[key], *value[key:]]
        case 1:
            return _without(value, key) | {rng.choice(("", "x", f"{key}x", "\x1b")): value[key]}
        case _:
            return _put(value, key, _other(rng, value[key], whole))


def _put(value: Any, key: Any, inner: Any) -> Any:
    copy = value.copy()
    copy[key] = inner
    return copy


def _without(value: Any, key: Any) -> Any:
    copy = value.copy()
    del copy[key]
    return copy


def _other(rng: random.Random, value: Any, whole: Any) -> Any:
    """Something in the place of ``value``."""
    match rng.randrange(8):
        case 0:
            return [value]
        case 1:
            return {"a": value}
        case 2 if isinstance(value, int | float):
            return rng.choice((value + 1, value - 1, -value, value * 10**9))
        case 3 if isinstance(value, list):
            return value[: rng.randrange(len(value) + 1)] * rng.choice((1, 2, 30))
        case 4:
            path = rng.choice(list(_paths(whole, ())))
            for key in path:
                whole = whole[key]
            return whole
        case 5 if isinstance(value, str):
            return rng.choice((value + "x", value.upper(), value * 20, value + "\n", f" {value}"))
        case _:
            return rng.choice(SCALARS)
