from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.runs.disk import StoreError
from arena.runs.store import Store, stored_voids
from arena.runs.voids import VOIDS, Void
from arena.values.results import GameVoid, VoidCause

pytestmark = pytest.mark.usefixtures("leaves_nothing")


def void(number: int) -> Void:
    return Void(f"d/a+b:{number}:0", VoidCause.MACHINE, "busy", ("a", "b"))


def fill(folder: Path, *numbers: int) -> None:
    with Store(folder) as store:
        for number in numbers:
            store.add_void(void(number))


def test_voids_come_back_in_order_from_several_sessions(tmp_path: Path) -> None:
    fill(tmp_path)
    assert list(stored_voids(tmp_path)) == []
    assert not (tmp_path / VOIDS).exists()
    fill(tmp_path, 1, 2)
    fill(tmp_path, 1)
    assert list(stored_voids(tmp_path)) == [void(1), void(2), void(1)]


def test_a_line_cut_anywhere_is_cut_away(tmp_path: Path) -> None:
    fill(tmp_path, 1, 2)
    whole = (tmp_path / VOIDS).read_bytes()
    second = whole.index(b"\n") + 1
    for length in range(second, len(whole)):
        os.truncate(tmp_path / VOIDS, length)
        assert list(stored_voids(tmp_path)) == [void(1)]
        fill(tmp_path, 2)
        assert (tmp_path / VOIDS).read_bytes() == whole


@pytest.mark.parametrize("garbage", [b"hello\n", b"\n", b"{}\n", b"\xff\n", b"[" * 100_000 + b"\n"])
def test_garbage_is_told_with_its_line(tmp_path: Path, garbage: bytes) -> None:
    fill(tmp_path, 1)
    with (tmp_path / VOIDS).open("ab") as file:
        file.write(garbage)
    with pytest.raises(StoreError, match=r"voids\.jsonl:2: no void game"):
        list(stored_voids(tmp_path))


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_file_is_told(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / VOIDS)
    with pytest.raises(StoreError, match="no regular file"):
        list(stored_voids(tmp_path))
    with pytest.raises(StoreError, match="no regular file"):
        Store(tmp_path)


@pytest.mark.parametrize(
    ("reason", "kept"),
    [
        ("Traceback\n  File\nKeyError: 'x'\n", "KeyError: 'x'"),
        ("", ""),
        ("\x1b[2Jhello", "\\x1b[2Jhello"),
        ("x" * 10_000, "x" * 300),
    ],
)
def test_a_reason_is_one_line_with_a_bound(reason: str, kept: str) -> None:
    line = Void.of(GameVoid("d/a:0:0", VoidCause.ARENA, reason), ("a",))
    assert line == Void("d/a:0:0", VoidCause.ARENA, kept, ("a",))
