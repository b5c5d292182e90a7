from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.referee.protocol import LineBuffer, LineTooLong

LIMIT = 16


def taken(chunks: Iterable[bytes], limit: int = LIMIT) -> list[bytes]:
    """Every line, taken as soon as it can be."""
    buffer, lines = LineBuffer(limit), []
    for chunk in chunks:
        buffer.feed(chunk)
        while (line := buffer.take()) is not None:
            lines.append(line)
    return lines


def one_by_one(data: bytes) -> list[bytes]:
    return [bytes((byte,)) for byte in data]


lines = st.binary(max_size=LIMIT - 1).filter(lambda line: b"\n" not in line)


@given(st.lists(lines), st.data())
def test_pieces_do_not_matter(sent: list[bytes], data: st.DataObject) -> None:
    text = b"".join(line + b"\n" for line in sent)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)))))
    pieces = [text[i:j] for i, j in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    expected = [line.removesuffix(b"\r") for line in sent if line.strip()]
    assert taken(pieces) == taken([text]) == taken(one_by_one(text)) == expected


@pytest.mark.parametrize("split", [lambda data: [data], one_by_one])
def test_the_limit_counts_the_newline(split: Any) -> None:
    assert taken(split(b"x" * 15 + b"\n")) == [b"x" * 15]
    with pytest.raises(LineTooLong):
        taken(split(b"x" * 16 + b"\n"))


def test_a_line_too_long_is_known_before_its_end() -> None:
    """The lines before it are given out, its pieces are not collected."""
    buffer = LineBuffer(LIMIT)
    buffer.feed(b"one\n" + b"x" * 15)
    assert (buffer.take(), buffer.take()) == (b"one", None)
    buffer.feed(b"x")
    with pytest.raises(LineTooLong):
        buffer.take()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"a\r\nb\n", [b"a", b"b"]),
        (b"a\r\r\n", [b"a\r"]),
        (b"\n\r\n \t\n\na\n\n", [b"a"]),
        (b"a\rb\n", [b"a\rb"]),
        ("\u2028\n".encode(), ["\u2028".encode()]),
        (b"\x00\n", [b"\x00"]),
        (b"a", []),
        (b"", []),
    ],
)
def test_line_ends(text: bytes, expected: list[bytes]) -> None:
    assert taken([text]) == taken(one_by_one(text)) == expected


def test_blank_lines_are_not_kept() -> None:
    buffer = LineBuffer(LIMIT)
    buffer.feed(b"\n" * 1_000_000)
    assert buffer.take() is None
    assert len(buffer) == 0


@pytest.mark.parametrize(("held", "rest"), [(b"", b""), (b"\r\n \n", b""), (b"\n{", b"{")])
def test_blank_rests_are_nothing(held: bytes, rest: bytes) -> None:
    buffer = LineBuffer(LIMIT)
    buffer.feed(b"answer\n" + held)
    assert buffer.take() == b"answer"
    assert buffer.rest() == rest
