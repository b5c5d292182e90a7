"""The text of a fault says what its evidence shows."""

from __future__ import annotations

import contextlib
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.referee.channel import Silence
from arena.referee.deadline import NO_DELAY
from arena.referee.protocol import BadMessage, LineBuffer, LineTooLong, decode
from arena.referee.session import silent

WRITTEN = st.lists(st.sampled_from([b"\n", b"\r\n", b" ", b"\t", b"x", b'{"a":1}']), max_size=6)


def channel(buffer: LineBuffer) -> Any:
    return SimpleNamespace(
        rest=buffer.rest,
        exit_status=lambda: 3,
        over_limit=lambda: "used more than 1 GiB of memory",
        scheduler_delay=lambda: NO_DELAY,
    )


def expected(written: bytes) -> str:
    """Of a bot that wrote this and was too late, by its bytes alone."""
    if not written:
        return "nothing was written or flushed"
    lines = written.split(b"\n")
    if any(line.strip() for line in lines[:-1]):
        return "it came later"
    if lines[-1].strip():
        return "what was written has no line end"
    return "only blank lines were written"


@given(parts=WRITTEN)
def test_of_a_bot_whose_time_is_up_its_bytes_decide_the_words(parts: list[bytes]) -> None:
    """However they arrived; blanks without a line end are nothing that anybody can see."""
    written, buffer = b"".join(parts), LineBuffer(100)
    line = None
    for part in parts:
        buffer.feed(part)
        line = line or buffer.take()
    if line is not None:  # it was read, and came too late
        buffer.put_back(line)
    found = silent(Silence.TIMED_OUT, channel(buffer), within="1 s")
    if b"\n" in written or written.strip():
        assert found.detail == f"no line within 1 s: {expected(written)}"
    else:
        assert found.detail.endswith("nothing was written or flushed")
    assert bool(found.line) == bool(written.strip())


@given(
    parts=WRITTEN, silence=st.sampled_from([Silence.ENDED, Silence.OVER_LIMIT, Silence.TOO_LONG])
)
def test_other_ends_show_what_was_written(parts: list[bytes], silence: Silence) -> None:
    buffer = LineBuffer(4 if silence is Silence.TOO_LONG else 100)
    for part in parts:
        buffer.feed(part)
    with contextlib.suppress(LineTooLong):
        buffer.take()
    found = silent(silence, channel(buffer), within="1 s")
    assert "written" not in found.detail
    assert bool(found.line) == bool(buffer.held.strip())


@pytest.mark.parametrize(
    "text", [r"\ud800", r"\udc00", r"\ud800x", r"\ud800\u0041", r"\ud800\ud800", r"a\uDBFFb"]
)
def test_half_of_a_pair_is_named(text: str) -> None:
    line = f'{{"type":"action","id":"x","action":0,"info":{{"said":["{text}"]}}}}'
    half = text.lower().replace("a", "", 1)[:6] if text[0] == "a" else text[:6]
    with pytest.raises(BadMessage) as error:
        decode(line.encode())
    assert str(error.value) == f"half of a surrogate pair, {half}, is no character"


def test_a_line_that_is_cut_is_still_called_so() -> None:
    with pytest.raises(BadMessage, match="truncated"):
        decode(b'{"type":"action","id":"\\ud8')
