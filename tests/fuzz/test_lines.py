"""A small share of the fuzzing of lines on every run, and JSON as hypothesis makes it."""

from __future__ import annotations

import json
import random
import signal
from collections import Counter
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arena.referee.protocol import (
    INFO_LIMIT,
    BadMessage,
    Choice,
    LineBuffer,
    LineTooLong,
    decode,
    pack_info,
)
from tests.fuzz import lines
from tests.fuzz.mutate import MUTATIONS, cuts, noise

pytestmark = pytest.mark.slow

steady = settings(derandomize=True, database=None, deadline=None)

texts = st.text(st.characters(), max_size=8) | st.sampled_from(
    ["type", "action", "ready", "id", "info", "\ud800", "\u2028", "\0", "\ufeff", lines.TOKEN]
)
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(10**17, 10**25)
    | st.floats()
    | texts
    | st.sampled_from([10**400, -0.0, 5e-324])
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
messages = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["action", "ready", "act", "bye"]) | values,
        "id": st.just(lines.TOKEN) | values,
        "action": st.integers(-2, 40) | values,
        "info": values,
        "protocol": st.just(1) | values,
        "wants": st.lists(st.sampled_from(["legal", "events", "observation"])) | values,
        "x": values,
    },
)


@pytest.mark.soak
@settings(steady, max_examples=300)
@given(messages | values, st.booleans(), st.sampled_from(["utf-8", "utf-16", "utf-32"]))
@example({"type": "action", "id": lines.TOKEN, "action": 0, "info": "\ud800"}, True, "utf-8")
def test_whatever_is_json_has_a_verdict(value: Any, escaped: bool, encoding: str) -> None:
    text = json.dumps(value, ensure_ascii=escaped)
    line = text.encode(encoding, "surrogatepass")
    for place in lines.positions()[::20]:
        assert len(list(lines.check_line(line, place))) == 3


@pytest.mark.soak
@settings(steady, max_examples=200)
@given(st.dictionaries(texts, values) | values)
def test_an_action_that_is_no_action_is_nobodys(action: Any) -> None:
    """Only what the rules themselves list gets through, by index or spelt out."""
    try:
        line = msgspec.json.encode(Choice(lines.TOKEN, action))
    except (msgspec.MsgspecError, ValueError):
        return  # nothing that JSON can say
    for place in lines.positions()[::9]:
        list(lines.check_line(line, place))


@settings(steady, max_examples=200)
@given(values)
def test_info_is_packed_or_refused(info: Any) -> None:
    try:
        packed = pack_info(info)
    except BadMessage:
        return
    assert packed is None or len(bytes(packed)) <= INFO_LIMIT


@settings(steady, max_examples=30)
@given(
    st.lists(st.binary(max_size=12) | st.sampled_from([b"\r", b" \t", b"\xe2\x80\xa8"]), max_size=4)
)
def test_a_cut_at_any_place_changes_no_line(parts: list[bytes]) -> None:
    data = b"\n".join(parts)
    for limit in (8, 64):
        for cut in range(len(data) + 1):
            assert taken(limit, data[:cut], data[cut:]) == lines.expected_lines(data, limit)


def taken(limit: int, *pieces: bytes) -> tuple[list[bytes], bool]:
    """The lines in the pieces before one that is too long, and whether there is one."""
    buffer, found = LineBuffer(limit), []
    for piece in pieces:
        buffer.feed(piece)
        try:
            while (line := buffer.take()) is not None:
                found.append(line)
        except LineTooLong:
            return found, True
    return found, False


def test_the_stream_finds_nothing_and_reaches_everything() -> None:
    counts: Counter[str] = Counter()
    for batch in range(12):
        lines.run_batch("tests", batch, counts)
    assert sum(count for verdict, count in counts.items() if verdict.startswith("judged")) == (
        12 * lines.BATCH
    )
    reached = {verdict for verdict, count in counts.items() if count >= 10}
    assert reached >= {
        "decoded: bad message",
        "decoded: choice",
        "decoded: ready",
        "judged: let through",
        "judged: illegal",
        "judged: malformed",
        "judged: protocol",
        "at start: session",
        "at start: refused",
        "framed: all",
        "framed: a line too long",
    }


def test_the_seed_names_the_stream() -> None:
    first = [line for line, _ in lines.stream(7, 3)]
    assert first == [line for line, _ in lines.stream(7, 3)]
    assert first != [line for line, _ in lines.stream(8, 3)]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda each: each.__name__.strip("_"))
def test_every_mutation_changes_something_and_takes_anything(mutation: Any) -> None:
    rng, corpus = random.Random(1), [*lines.corpus(), b""]
    assert any(mutation(rng, line, corpus) != line for line in corpus[:40])
    for _ in range(50):
        assert isinstance(mutation(rng, noise(rng), corpus), bytes)
    assert isinstance(mutation(rng, b"", corpus), bytes)


def test_pieces_make_up_the_whole() -> None:
    data = bytes(range(256))
    assert b"".join(cuts(random.Random(1), data, 7)) == data


def test_a_line_that_is_taken_for_something_else_is_noticed(monkeypatch, capsys) -> None:
    def careless(line: bytes) -> Any:
        return msgspec.json.decode(line.replace(b"NaN", b"0"), type=Choice, strict=False)

    line = lines.answer(0).replace(b"0}", b"NaN}").replace(b":0,", b":NaN,")
    assert b"NaN" in line
    with pytest.raises(BadMessage):
        decode(line)
    monkeypatch.setattr(lines, "decode", careless)
    with pytest.raises(lines.Failed, match="accepted with NaN"):
        lines.check_everywhere(line)
    assert lines.main(["--lines", "1"]) == 1
    assert signal.getitimer(signal.ITIMER_VIRTUAL)[0] == 0, "no other test is interrupted"
    assert "seed 1, batch 0: " in (told := capsys.readouterr().err)
    assert "--hex " in told
