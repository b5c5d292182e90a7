from __future__ import annotations

import json
import subprocess
import zlib
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.referee.records import read as reading
from arena.referee.records.format import GZIP_HEADER, _compressed, digest_of, pack, schema
from arena.referee.records.read import RecordError, parse, unpack
from arena.referee.records.replay import verify
from tests.referee.records.games import forfeited, played, read
from tests.referee.scripted import SECRET, Late, Scripted, action, play
from tests.toy import NUMBERS, ToyRules

PACKED = played(1).record
TEXT = unpack(PACKED)
LINES = TEXT.splitlines(keepends=True)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(-1e300, 1e300) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=50)
@given(st.data())
def test_a_record_comes_back_as_it_was_played(data: st.DataObject) -> None:
    def answer(asked: dict[str, Any]) -> bytes:
        info = data.draw(json_values)
        return action(asked["id"], data.draw(st.integers(0, NUMBERS)), info=info)

    seats = data.draw(st.integers(1, 4))
    played = play(*(Scripted([Late(0.1, answer)] * 2) for _ in range(seats)))
    text = unpack(played.record)
    record, digest = parse(text)
    assert digest == played.result.digest
    assert pack(record) == (played.record, digest)
    assert digest == digest_of(b"".join(text.splitlines(keepends=True)[:-2]))
    verify(record, ToyRules(seats), SECRET)


@pytest.mark.process
def test_a_record_is_text_that_common_tools_show(tmp_path: Path) -> None:
    (tmp_path / "two.gz").write_bytes(PACKED + PACKED)
    shown = subprocess.run(["zcat", tmp_path / "two.gz"], capture_output=True, check=True).stdout
    assert shown == TEXT + TEXT
    kinds = [json.loads(line)["line"] for line in LINES]
    assert kinds == ["header", *["ply"] * (len(kinds) - 4), "end", "measured", "seal"]


def test_the_same_record_is_packed_alike_on_every_machine() -> None:
    assert PACKED[:10] == b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x04\xff"


def test_evidence_of_a_fault_comes_back() -> None:
    record = read(forfeited().record)
    assert [fault.kind for fault in record.end.faults] == ["timeout"]
    assert [evidence.seat for evidence in record.measured.evidence] == [1]


def line_of(position: int) -> int:
    """The 1-based line of a byte of the text."""
    return TEXT.count(b"\n", 0, position) + 1


@pytest.mark.parametrize("flip", [0x01, 0x20, 0xFF])
def test_every_changed_byte_is_noticed_in_its_line(flip: int) -> None:
    for position, byte in enumerate(TEXT):
        damaged = TEXT[:position] + bytes((byte ^ flip,)) + TEXT[position + 1 :]
        with pytest.raises(RecordError) as caught:
            parse(damaged)
        assert caught.value.line == line_of(position), damaged


def test_every_changed_line_and_every_cut_is_noticed() -> None:
    """A line end lost or put in, a line missing, doubled or exchanged, the end missing."""
    damaged = [
        TEXT[:position] + put + TEXT[position + 1 :] + b"x" * (TEXT[position] in put)
        for position in range(len(TEXT))
        for put in (b"\n", b"\r", b" ")
    ]
    for number in range(len(LINES)):
        before, after = LINES[:number], LINES[number + 1 :]
        swapped = LINES[number : number + 2][::-1]
        damaged += map(b"".join, (before + after, before + LINES[number : number + 1] * 2 + after))
        damaged.append(b"".join(before + swapped + LINES[number + 2 :]))
    damaged += [TEXT[:length] for length in range(len(TEXT))]
    for text in damaged:
        if text != TEXT:
            with pytest.raises(RecordError):
                parse(text)
    for length in range(len(PACKED)):
        with pytest.raises(RecordError):
            unpack(PACKED[:length])


def line_of_damage(packed: bytes) -> int | None:
    try:
        parse(unpack(packed))
    except RecordError as error:
        return error.line
    return None


def test_no_flipped_bit_of_a_member_changes_what_is_read() -> None:
    """Up to seven bits that fill the last byte of the deflate stream mean nothing."""
    unnoticed = []
    for position, byte in enumerate(PACKED):
        for bit in range(8):
            damaged = PACKED[:position] + bytes((byte ^ 1 << bit,)) + PACKED[position + 1 :]
            line = line_of_damage(damaged)
            if line is None:
                assert read(damaged) == read(PACKED)
                unnoticed.append(position)
            elif position >= len(GZIP_HEADER):
                assert 1 <= line <= len(LINES) + 1  # a line end may have come in
    assert len(unnoticed) <= 7
    assert set(unnoticed) <= {len(PACKED) - 9}


def test_damage_in_a_member_is_placed_in_its_line() -> None:
    """Stored instead of compressed, so that the test knows which byte belongs to which line."""
    packer = zlib.compressobj(0, wbits=-15)
    body = packer.compress(TEXT) + packer.flush()
    member = GZIP_HEADER + body + PACKED[-8:]
    assert unpack(member) == TEXT
    start = member.index(TEXT)
    for number, line in enumerate(LINES, 1):
        position = start + TEXT.index(line) + len(line) // 2
        damaged = member[:position] + bytes((member[position] ^ 1,)) + member[position + 1 :]
        with pytest.raises(RecordError) as caught:
            unpack(damaged)
        assert caught.value.line == number


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"hello",
        PACKED + b"\0",
        PACKED + PACKED,
        _compressed(b""),
        _compressed(b"\n" * 10),
        _compressed(TEXT + TEXT),
        _compressed(TEXT + b"\n"),
        _compressed(b"\n" + TEXT),
        _compressed(TEXT.replace(b"\n", b"\r\n")),
        _compressed(b"\xff" * 100),
        _compressed(b"[" * 100_000),
        zlib.compress(TEXT),
        TEXT,
    ],
)
def test_what_is_no_record(data: bytes) -> None:
    with pytest.raises(RecordError):
        parse(unpack(data))


@pytest.fixture
def most(monkeypatch: pytest.MonkeyPatch) -> int:
    """The bytes that may be unpacked: fewer than in earnest, which would be ours to hold."""
    monkeypatch.setattr(reading, "MAX_BYTES", 1 << 20)
    return reading.MAX_BYTES


def bomb(size: int) -> bytes:
    packer = zlib.compressobj(9, wbits=-15)
    return GZIP_HEADER + packer.compress(bytes(size)) + packer.flush()


@pytest.mark.parametrize(
    ("more", "tail", "message"),
    [
        (10_000_000, b"", "more than {most} bytes unpacked"),
        (10_000_000, b"damage!!", "more than {most} bytes unpacked"),
        (-1, b"damage!!", "damaged"),
    ],
)
def test_a_bomb_is_not_unpacked(most: int, more: int, tail: bytes, message: str) -> None:
    with pytest.raises(RecordError, match=message.format(most=most)):
        unpack(bomb(most + more) + tail)


def test_another_format_is_named() -> None:
    record = read(PACKED)
    later = msgspec.structs.replace(record.header, format=2)
    with pytest.raises(
        RecordError, match=r"line 1: expected the header line: .* 2 - at `\$.format`"
    ):
        read(pack(record._replace(header=later))[0])


def test_numbers_of_plies_must_agree() -> None:
    record = read(PACKED)
    for wrong in (
        record._replace(plies=record.plies[1:]),
        record._replace(plies=record.plies[:-1]),
        record._replace(end=msgspec.structs.replace(record.end, plies=99)),
        record._replace(measured=msgspec.structs.replace(record.measured, think_us=(1,))),
    ):
        with pytest.raises(RecordError, match="line "):
            read(pack(wrong)[0])


def test_the_schema_names_every_line() -> None:
    definitions = schema()["$defs"].values()
    lines = [each.get("properties", {}).get("line", {}) for each in definitions]
    tags = [line["enum"] for line in lines if "enum" in line]
    assert sorted(tags) == [["end"], ["header"], ["measured"], ["ply"], ["seal"]]
