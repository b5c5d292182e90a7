"""A file is read as another process appends to it."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from arena.extensions.browser.live import tail as module
from arena.extensions.browser.live.tail import Replaced, Tail
from arena.runs.disk import StoreError


class Line(msgspec.Struct):
    n: int


@pytest.fixture
def tail(tmp_path: Path) -> Tail[Line]:
    return Tail(tmp_path / "lines", Line, "line")


def numbers(tail: Tail[Line]) -> list[tuple[int, int]]:
    """Line numbers and what they hold, up to the end."""
    read = []
    while lines := tail.read():
        read += [(number, line.n) for number, line in lines]
    return read


def test_lines_are_read_once_as_they_come(tail: Tail[Line], tmp_path: Path) -> None:
    assert numbers(tail) == []
    with (tmp_path / "lines").open("ab", buffering=0) as file:
        file.write(b'{"n":1}\n{"n":2}\n{"n"')
        assert numbers(tail) == [(1, 1), (2, 2)]
        assert numbers(tail) == []
        file.write(b":3}\n")
        assert numbers(tail) == [(3, 3)]


def test_a_torn_line_that_is_cut_away_was_never_read(tail: Tail[Line], tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b'{"n":1}\n{"n"')
    assert numbers(tail) == [(1, 1)]
    with path.open("rb+") as file:
        file.truncate(8)
        file.seek(8)
        file.write(b'{"n":5}\n')
    assert numbers(tail) == [(2, 5)]


@pytest.mark.parametrize("size", [1, 7, 8, 9, 20])
def test_pieces_of_any_size(tail, tmp_path, monkeypatch, size) -> None:
    monkeypatch.setattr(module, "_CHUNK", size)
    (tmp_path / "lines").write_bytes(b"".join(b'{"n":%d}\n' % n for n in range(30)))
    assert numbers(tail) == [(n + 1, n) for n in range(30)]
    assert tail.share == 1


@pytest.mark.parametrize("change", ["shorter", "another", "gone"])
def test_another_file_is_noticed(tail: Tail[Line], tmp_path: Path, change: str) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b'{"n":1}\n{"n":2}\n')
    numbers(tail)
    match change:
        case "shorter":
            os.truncate(path, 8)
        case "another":
            (tmp_path / "new").write_bytes(path.read_bytes())
            (tmp_path / "new").replace(path)
        case "gone":
            path.unlink()
    with pytest.raises(Replaced):
        tail.read()


def test_a_bad_line_is_named(tail: Tail[Line], tmp_path: Path) -> None:
    (tmp_path / "lines").write_bytes(b'{"n":1}\nnothing\n')
    with pytest.raises(StoreError, match="lines:2: no line: "):
        numbers(tail)
