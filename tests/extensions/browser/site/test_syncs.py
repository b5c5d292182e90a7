"""The list of a site names only files that are on disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.extensions.browser.site.folder import MANIFEST, Counts, Folder

NAMES = ("index.html", "games/1.html", "games/2.html")


@pytest.mark.parametrize("is_whole", [True, False])
def test_files_are_on_disk_before_they_are_listed(tmp_path, monkeypatch, is_whole) -> None:
    synced, replace, fsync = set[int](), os.replace, os.fsync
    lists = list[bool]()
    site = tmp_path / "site"

    def note(descriptor: int) -> None:
        synced.add(os.fstat(descriptor).st_ino)
        fsync(descriptor)

    def check(source: Path, target: Path) -> None:
        if Path(target).name == MANIFEST:
            found = [site / name for name in NAMES if (site / name).exists()]
            if found:
                found += [site, site / "games", Path(source)]
            lists.append({path.stat().st_ino for path in found} <= synced)
        replace(source, target)

    monkeypatch.setattr(os, "fsync", note)
    monkeypatch.setattr(os, "replace", check)
    try:
        with Folder(site, "run", b"") as folder:
            for name in NAMES:
                folder.put(name, b"inputs", lambda: b"page")
            if not is_whole:
                raise KeyboardInterrupt
            folder.finish(b"inputs", Counts())
    except KeyboardInterrupt:
        assert not is_whole
    assert lists == [True, True]
    assert (site / MANIFEST).stat().st_ino in synced
    assert sorted(path.name for path in site.iterdir()) == ["games", "index.html", MANIFEST]
