from __future__ import annotations

import errno
import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.runs import disk
from arena.runs import store as module
from arena.runs.disk import StoreError, write_atomically
from arena.runs.live import locked
from arena.runs.manifest import read_manifest
from arena.runs.store import (
    GAMES,
    RECORDS,
    RecordLocation,
    Store,
    all_lines,
    escaped,
    read_opening,
    read_record,
    stored_voids,
    unescaped,
    wire_file,
)
from arena.runs.voids import VOIDS, Void
from arena.schedule.seeds import Opening
from arena.values.results import GameDone, GameResult, GameVoid, Termination, VoidCause
from tests.toy import toy_spec

pytestmark = pytest.mark.usefixtures("leaves_nothing")


def done(number: int, stderr: tuple[str, ...] = ("", "")) -> GameDone:
    spec = toy_spec(2, f"game{number}")
    result = GameResult(spec, Termination.COMPLETED, (1, 2), 3, f"digest{number}", (1, 0))
    return GameDone(result, f"record {number} ".encode() * (number + 1), stderr)


def fill(folder: Path, *numbers: int) -> None:
    with Store(folder) as store:
        for number in numbers:
            store.add(done(number))


def found(folder: Path) -> list[tuple[str, bytes]]:
    """Every stored game with its record."""
    return [(s.result.digest, read_record(folder, s.record)) for _, s in all_lines(folder)]


def expected(*numbers: int) -> list[tuple[str, bytes]]:
    return [(done(n).result.digest, done(n).record) for n in numbers]


# What is stored


def test_games_come_back_in_order_of_arrival(tmp_path: Path) -> None:
    assert found(tmp_path) == []
    fill(tmp_path)
    assert found(tmp_path) == []
    fill(tmp_path, 3, 1)
    fill(tmp_path, 2)
    assert found(tmp_path) == expected(3, 1, 2)
    results = [stored.result for _, stored in all_lines(tmp_path)]
    assert results == [done(n).result for n in (3, 1, 2)]


def test_a_game_and_a_void_say_which_machine_played_them(tmp_path: Path) -> None:
    """Nothing where that is the one with the run, so that lines stay as they were."""
    with Store(tmp_path) as store:
        store.add(msgspec.structs.replace(done(1), machine="far"))
        store.add(done(2))
        for machine in ("far", ""):
            void = GameVoid("g", VoidCause.WORKER, "died", machine)
            store.add_void(Void.of(void, ("a", "b")))
    assert [stored.machine for _, stored in all_lines(tmp_path)] == ["far", ""]
    assert [void.machine for void in stored_voids(tmp_path)] == ["far", ""]
    for name in (GAMES, VOIDS):
        lines = (tmp_path / name).read_text().splitlines()
        assert ['"machine"' in line for line in lines] == [True, False]


def test_games_count_after_a_flush_which_is_due_after_a_while_or_many_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(tmp_path) as store:
        store.add(done(1))
        assert found(tmp_path) == []
        store.flush_if_due()
        assert found(tmp_path) == []
        store.flush()
        assert found(tmp_path) == expected(1)
        monkeypatch.setattr(module, "_FLUSH_SECONDS", 0.0)
        store.add(done(2))
        store.flush_if_due()
        assert found(tmp_path) == expected(1, 2)
        monkeypatch.setattr(module, "_FLUSH_GAMES", 3)
        for number in (3, 4, 5):
            store.add(done(number))
        assert found(tmp_path) == expected(1, 2, 3, 4, 5)


def test_records_are_on_disk_before_their_games_count(tmp_path, monkeypatch) -> None:
    calls: list[tuple[str, str]] = []
    files = tmp_path / RECORDS, tmp_path / GAMES

    def noting(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(descriptor: int, *rest: Any) -> Any:
            number = os.fstat(descriptor).st_ino
            calls.extend((name, file.name) for file in files if file.stat().st_ino == number)
            return real(descriptor, *rest)

        return call

    with Store(tmp_path) as store:
        store.add(done(1))
        with monkeypatch.context() as patch:
            for module, name in ((os, "write"), (disk, "flush")):
                patch.setattr(module, name, noting(name, getattr(module, name)))
            store.flush()
    records, games = (each.name for each in files)
    assert calls == [("write", records), ("flush", records), ("write", games), ("flush", games)]


@pytest.mark.parametrize("refused", [False, True], ids=["to the disk", "where it cannot"])
def test_what_the_disk_holds_in_its_own_memory_is_no_disk(refused, tmp_path, monkeypatch) -> None:
    """The way of macOS, whose ``fsync`` ends earlier."""
    calls: list[object] = []

    def control(descriptor: int, request: int) -> None:
        calls.append(request)
        if refused:
            raise OSError(errno.ENOTSUP, "no")

    monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", control)
    monkeypatch.setattr(os, "fsync", lambda _: calls.append("fsync"))
    disk.sync(tmp_path)
    assert calls == [51, "fsync"][: 1 + refused]


def test_an_interrupted_session_keeps_what_it_was_given(tmp_path: Path) -> None:
    def use() -> None:
        with Store(tmp_path) as store:
            store.add(done(1))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        use()
    assert found(tmp_path) == expected(1)


@pytest.mark.parametrize(
    ("limit", "kept"),
    [
        (40, "== game1:0\noops\n== game2:0\nx" + 12 * "x"),
        (25, "== game1:0\noops\n"),  # no part of a heading
    ],
)
def test_standard_error_of_bots_is_kept_in_bounds(tmp_path, monkeypatch, limit, kept) -> None:
    monkeypatch.setattr(module, "_STDERR_FILE_LIMIT", limit)
    with Store(tmp_path) as store:
        store.add(done(1, ("oops", "")))
        store.add(done(2, ("x" * 100, "")))
    assert (tmp_path / "logs" / "a.stderr").read_text() == kept
    assert not (tmp_path / "logs" / "b.stderr").exists()


def wired(number: int) -> GameDone:
    return msgspec.structs.replace(done(number), wire={1: b"%d" % number * 100})


def test_exchanges_are_kept_by_bot_game_and_seat_and_in_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "_WIRE_LIMIT", 250)
    for numbers in ((1,), (2, 3, 4)):
        with Store(tmp_path) as store:
            for number in numbers:
                store.add(wired(number))
    (folder,) = (tmp_path / "wire").iterdir()
    assert folder.name == "b"
    assert {path.name: path.read_bytes()[:1] for path in folder.iterdir()} == {
        "game1:0.seat1.jsonl": b"1", "game2:0.seat1.jsonl": b"2",
    }  # fmt: skip
    assert [line for line in caplog.messages if "no more exchanges" in line] != []
    assert len(caplog.messages) == 1
    assert found(tmp_path) == expected(1, 2, 3, 4)


def test_an_exchange_that_cannot_be_kept_loses_no_game(tmp_path: Path) -> None:
    (tmp_path / "wire").write_text("")
    with Store(tmp_path) as store:
        store.add(wired(1))
    assert found(tmp_path) == expected(1)


def test_the_name_of_an_exchange_fits_whatever_the_game_is_called() -> None:
    spec = toy_spec(2, "game")
    long = [msgspec.structs.replace(spec, game_id=f"d-2/{'x' * 900}{tail}") for tail in "ab"]
    first, second = (wire_file(Path("run"), each, 0).name for each in long)
    assert first != second
    assert max(len(first), len(second)) < 255
    assert wire_file(Path("run"), spec, 1) == Path("run/wire/b/game:0.seat1.jsonl")


WORDS = [
    "== game2:0\nforged",
    "before\n== game2:0\nforged",
    "\n== game2:0",
    "\\== game2:0\n\\\\== game2:0\n== ",
    "==game2:0\n === game2:0\n\\\\ == \\",
    "\r== game2:0\r\n\x0b== game2:0\u2028== game2:0",
]


@pytest.mark.parametrize("text", WORDS)
def test_a_bot_forges_no_heading_and_its_words_come_back(tmp_path: Path, text: str) -> None:
    with Store(tmp_path) as store:
        store.add(done(1, (text, "")))
        store.add(done(2, ("true", "")))
    lines = (tmp_path / "logs" / "a.stderr").read_bytes().split(b"\n")
    assert [line for line in lines if line.startswith(b"== ")] == [b"== game1:0", b"== game2:0"]
    assert unescaped(escaped(text.encode())) == text.encode()


# What a kill leaves behind


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("three")
    fill(folder, 1, 2, 3)
    return folder


@pytest.fixture
def copy(three: Path, tmp_path: Path) -> Path:
    return shutil.copytree(three, tmp_path / "copy")


def cut_lines(folder: Path) -> Iterator[int]:
    """Every length of games.jsonl within its last line."""
    lines = (folder / GAMES).read_bytes().splitlines(keepends=True)
    before = len(b"".join(lines[:-1]))
    return iter(range(before, before + len(lines[-1])))


def test_a_line_cut_anywhere_is_cut_away_and_its_game_played_again(copy: Path) -> None:
    lengths = list(cut_lines(copy))
    assert len(lengths) > 100
    for length in lengths:
        os.truncate(copy / GAMES, length)
        assert found(copy) == expected(1, 2)
        fill(copy, 3)
        assert found(copy) == expected(1, 2, 3)


def test_a_record_cut_anywhere_before_its_line_was_written(copy: Path) -> None:
    before = len(done(1).record + done(2).record)
    for length in range(before, before + len(done(3).record) + 1):
        os.truncate(copy / GAMES, next(cut_lines(copy)))
        os.truncate(copy / RECORDS, length)
        fill(copy, 3)
        assert found(copy) == expected(1, 2, 3)


@pytest.mark.parametrize("kept", [0, 2], ids=["none", "two"])
def test_records_that_are_lost_are_told_before_anything_is_written(copy: Path, kept: int) -> None:
    """``runs.damage`` sets such games aside before a run is opened."""
    os.truncate(copy / RECORDS, sum(len(done(n).record) for n in (1, 2, 3)[:kept]) + 5)
    before = (copy / GAMES).read_bytes()
    with pytest.raises(StoreError, match="records are lost"):
        fill(copy)
    assert (copy / GAMES).read_bytes() == before


GARBAGE = {
    "text": b"hello\n",
    "empty line": b"\n",
    "other JSON": b"{}\n",
    "bad UTF-8": b'{"result":{"spec":{"game_id":"\xff"}}}\n',
    "zeros": b"\0" * 20 + b"\n",
    "too deep": b"[" * 100_000 + b"\n",
}


@pytest.mark.parametrize("garbage", GARBAGE.values(), ids=GARBAGE)
def test_garbage_among_the_lines_is_told_with_its_line(copy: Path, garbage: bytes) -> None:
    lines = (copy / GAMES).read_bytes().splitlines(keepends=True)
    (copy / GAMES).write_bytes(lines[0] + garbage + lines[1])
    games = all_lines(copy)
    assert next(games)[1].result.digest == "digest1"
    with pytest.raises(StoreError, match=r"games\.jsonl:2: no stored game"):
        next(games)
    with pytest.raises(StoreError, match=r"games\.jsonl:2: no stored game"):
        Store(copy)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"places":[', '"places":[2,'),
        ('"places":[1,2]', '"places":[]'),
        ('"entrants":["a","b"]', '"entrants":[]'),
        ('"digest"', '"faults":[{"seat":7,"kind":"crash","ply":0,"detail":""}],"digest"'),
    ],
)
def test_a_game_that_makes_no_sense_is_named(copy: Path, old: str, new: str) -> None:
    text = (copy / GAMES).read_text()
    assert old in text
    (copy / GAMES).write_text(text.replace(old, new))
    with pytest.raises(StoreError, match=r"games\.jsonl:1: no stored game: "):
        list(all_lines(copy))


@pytest.mark.parametrize(
    ("location", "what"),
    [
        (RecordLocation("../secret", 0, 3), "outside the run folder"),
        (RecordLocation("/etc/passwd", 0, 3), "outside the run folder"),
        (RecordLocation("records/none", 0, 3), "cannot be read"),
        (RecordLocation("records", 0, 3), "no regular file"),
        (RecordLocation(RECORDS, -1, 3), "records are lost"),
        (RecordLocation(RECORDS, 0, -1), "records are lost"),
        (RecordLocation(RECORDS, 5, 10**9), "records are lost"),
        (RecordLocation(RECORDS, 2**70, 2**70), "records are lost"),
        (RecordLocation("a\0b", 0, 3), "cannot be read"),
    ],
)
def test_a_record_is_only_read_where_records_are(copy, location, what) -> None:
    (copy.parent / "secret").write_bytes(b"secret")
    with pytest.raises(StoreError, match=what):
        read_record(copy, location)


# When the disk does not take it


class Disk:
    """Takes so many bytes, then no more; in small pieces."""

    def __init__(self, room: int) -> None:
        self.room = room
        self._write = os.write

    def write(self, descriptor: int, data: Any) -> int:
        if self.room == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = self._write(descriptor, data[: min(7, self.room)])
        self.room -= written
        return written


def test_a_full_disk_is_told_and_the_run_can_be_resumed(tmp_path, monkeypatch) -> None:
    (tmp_path / "whole").mkdir()
    fill(tmp_path / "whole", 1, 2, 3)
    size = sum((tmp_path / "whole" / name).stat().st_size for name in (RECORDS, GAMES))
    for room in range(0, size, 5):
        folder = tmp_path / str(room)
        folder.mkdir()
        with pytest.raises(StoreError, match="cannot be written: No space left on device"):
            full(folder, Disk(room), monkeypatch)
        counted = len(list(all_lines(folder)))
        assert found(folder) == expected(1, 2, 3)[:counted]
        fill(folder, *(1, 2, 3)[counted:])
        assert found(folder) == expected(1, 2, 3)


def full(folder: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(folder) as store, monkeypatch.context() as patch:
        patch.setattr(os, "write", disk.write)
        for number in (1, 2, 3):
            store.add(done(number))
        store.flush()


@pytest.mark.parametrize("calls_before", [0, 1])
@pytest.mark.parametrize("failing", ["fsync", "ftruncate", "open"])
def test_a_folder_that_cannot_be_opened_leaves_nothing_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str, calls_before: int
) -> None:
    fill(tmp_path, 1)
    real, calls = getattr(os, failing), count()

    def fail(*arguments: Any) -> Any:
        if next(calls) == calls_before:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return real(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(os, failing, fail)
        with pytest.raises(StoreError, match="cannot be written: Read-only file system"):
            Store(tmp_path)
    assert found(tmp_path) == expected(1)


def test_a_folder_where_a_file_should_be(tmp_path: Path) -> None:
    (tmp_path / GAMES).mkdir()
    with pytest.raises(StoreError, match=r"games\.jsonl: found something that is no regular"):
        Store(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="Not a directory"), locked(tmp_path / "file" / "run"):
        pass


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("run.json", read_manifest),
        ("seed.json", read_opening),
        (GAMES, lambda folder: list(all_lines(folder))),
    ],
)
def test_what_never_ends_is_not_read(tmp_path, name, read) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(StoreError, match=r"no regular file|found no run\.json"):
        read(tmp_path)


# The lock


def test_a_folder_is_played_by_one_process(tmp_path: Path) -> None:
    with (
        locked(tmp_path / "new" / "run") as _,
        pytest.raises(StoreError, match="another arena is playing this run"),
        locked(tmp_path / "new" / "run"),
    ):
        pass
    with locked(tmp_path / "new" / "run"):
        pass


@pytest.mark.parametrize("removed", ["lock", "records", GAMES])
def test_no_file_that_is_removed_takes_the_lock_away(tmp_path: Path, removed: str) -> None:
    fill(tmp_path, 1)
    with locked(tmp_path):
        path = tmp_path / removed
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        with pytest.raises(StoreError, match="another arena"), locked(tmp_path):
            pass


@pytest.mark.parametrize("shared", ["records", "folder"])
def test_each_of_the_two_locks_is_enough(tmp_path: Path, shared: str) -> None:
    """Of a folder that machines share over a network, only files may be locked for all."""
    fill(tmp_path, 1)
    with (tmp_path / RECORDS).open("rb") as records:
        folder = os.open(tmp_path, os.O_RDONLY)
        fcntl.flock(records if shared == "records" else folder, fcntl.LOCK_EX)
        with pytest.raises(StoreError, match="another arena"), locked(tmp_path):
            pass
        os.close(folder)


def test_the_lock_dies_with_its_holder(tmp_path: Path) -> None:
    code = f"""
import os, pathlib
from arena.runs.live import locked
from arena.runs.manifest import read_manifest
with locked(pathlib.Path({str(tmp_path)!r})):
    os.kill(os.getpid(), 9)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
    with locked(tmp_path):
        pass


def test_what_goes_wrong_under_the_lock_is_not_blamed_on_it(tmp_path: Path) -> None:
    with pytest.raises(BlockingIOError), locked(tmp_path):
        raise BlockingIOError


# seed.json


def test_what_is_missing_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"seed\.json: cannot be read: No such file"):
        read_opening(tmp_path)


def test_a_secret_is_written_for_its_owner_only(tmp_path: Path) -> None:
    write_atomically(tmp_path / "seed.json", msgspec.json.encode(Opening("s", "t")), 0o600)
    assert (tmp_path / "seed.json").stat().st_mode & 0o777 == 0o600
    assert read_opening(tmp_path) == Opening("s", "t")


@pytest.mark.parametrize(("owner", "failing"), [(os, "fsync"), (Path, "replace")])
def test_a_failed_replacement_leaves_the_old_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: object, failing: str
) -> None:
    write_atomically(tmp_path / "file", b"old")

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(owner, failing, fail)
    with pytest.raises(OSError, match="No space"):
        write_atomically(tmp_path / "file", b"new")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]
