"""Packs that replace older ones while the disk fails or arena is killed."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from arena.extensions.data.export.pack import PackError, writing
from arena.extensions.publishing import folders
from tests.extensions.publishing.test_folders import Stop, stop_at_every_call

MANIFEST = b'{"schema": "arena.pack/1"}'
NAMES = ("pack", "pack.zip")


def pack(path: Path, text: bytes) -> None:
    with writing(path, "root", force=True) as sink:
        sink.add("manifest.json", MANIFEST)
        sink.add("games/1.jsonl", text)


def content(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else (path / "games/1.jsonl").read_bytes()


def test_a_pack_stays_if_its_successor_cannot_take_its_place(tmp_path, monkeypatch) -> None:
    path, rename = tmp_path / "pack", os.rename
    pack(path, b"old")

    def fail(source: Path, target: Path) -> None:
        if Path(target) == path and b"new" in content(Path(source)):
            raise OSError(errno.EIO, "Input/output error")
        rename(source, target)

    monkeypatch.setattr(os, "rename", fail)
    monkeypatch.setattr(folders, "_exchange", lambda new, target: False)
    with pytest.raises(OSError, match="Input/output"):
        pack(path, b"new")
    assert content(path) == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("stop", Stop)
@pytest.mark.parametrize("exchanges", [True, False])
def test_a_pack_is_old_or_new_wherever_its_successor_stops(tmp_path, stop, name, exchanges) -> None:
    folders = stop_at_every_call(
        tmp_path,
        lambda folder: pack(folder / name, b"old"),
        lambda folder: pack(folder / name, b"new"),
        stop,
        exchanges=exchanges,
    )
    pack(tmp_path / f"old-{name}", b"old")
    pack(tmp_path / f"new-{name}", b"new")
    whole = [content(tmp_path / f"old-{name}"), content(tmp_path / f"new-{name}")]
    for folder in folders:
        with pytest.raises(PackError, match="--force"), writing(folder / name, "root"):
            raise AssertionError
        assert content(folder / name) in whole
        if stop is Stop.KILLED:
            assert [path.name for path in folder.iterdir()] == [name]


def test_packs_are_on_disk_before_they_have_their_names(tmp_path, monkeypatch) -> None:
    synced, rename, replace, fsync = set[int](), os.rename, os.replace, os.fsync
    names = list[str]()

    def note(descriptor: int) -> None:
        synced.add(os.fstat(descriptor).st_ino)
        fsync(descriptor)

    def check(source: Path, target: Path) -> None:
        if Path(source).exists():
            names.append(Path(target).name)
            found = (Path(source), *Path(source).rglob("*"))
            assert {path.stat().st_ino for path in found} <= synced
        (replace if Path(source).is_file() else rename)(source, target)

    monkeypatch.setattr(os, "fsync", note)
    monkeypatch.setattr(os, "rename", check)
    monkeypatch.setattr(os, "replace", check)
    for name in NAMES:
        pack(tmp_path / name, b"new")
    assert names == [*NAMES]
    assert tmp_path.stat().st_ino in synced
