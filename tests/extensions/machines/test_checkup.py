"""What is found on a machine, from what the machine could be."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from arena.extensions.machines import checkup
from arena.extensions.machines.checkup import Checkup
from arena.games.registry import GAMES
from arena.hosting.machine import capacity
from arena.hosting.sandbox.isolation import Level

NO_GROUPS = dict.fromkeys(("memory", "processes", "fair shares", "freezing"), "no: not ours")
GROUPS = dict.fromkeys(NO_GROUPS, "version 2, /sys/fs/cgroup")


@pytest.mark.parametrize(
    ("user", "groups", "expected"),
    [
        (0, GROUPS, set()),
        (0, NO_GROUPS, {"memory", "time"}),
        (1000, GROUPS, {"files"}),
        (1000, NO_GROUPS, {"files", "memory", "end", "processes", "time"}),
        (1000, NO_GROUPS | {"freezing": "version 1, /x"}, {"files", "memory", "processes"}),
    ],
)
def test_what_stays_open_is_told_for_this_machine(user, groups, expected, monkeypatch) -> None:
    monkeypatch.setattr(checkup.os, "geteuid", lambda: user)
    monkeypatch.setattr(checkup.cgroups, "describe", lambda: groups)
    assert {name for name, _ in checkup._gaps()} == expected


@pytest.mark.parametrize("user", [0, 1000])
@pytest.mark.parametrize(
    ("what", "word"), [("can_keep", "(ulimit -Hx)"), ("sees_others", "(hidepid)")]
)
def test_where_leftovers_cannot_be_found_it_is_told(what, word, user, monkeypatch) -> None:
    monkeypatch.setattr(checkup.os, "geteuid", lambda: user)
    monkeypatch.setattr(checkup.cgroups, "describe", lambda: NO_GROUPS)
    for able in (True, False):
        monkeypatch.setattr(checkup.orphans, what, lambda able=able: able)
        told = any(word in detail for _, detail in checkup._gaps())
        assert told is (not able and user != 0)


@pytest.mark.parametrize(
    ("flags", "user", "good", "word"),
    [
        (0, 1000, False, "noatime"),
        (0, 0, True, "not for reads of bots"),
        (os.ST_NOATIME, 1000, True, "not kept"),
    ],
)
def test_times_of_reading(flags, user, good, word, monkeypatch) -> None:
    monkeypatch.setattr(checkup.os, "statvfs", lambda _: SimpleNamespace(f_flag=flags))
    monkeypatch.setattr(checkup.os, "geteuid", lambda: user)
    found = checkup._access_times()
    assert (found.good, word in found.detail) == (good, True)


@pytest.mark.slow
@pytest.mark.process
def test_a_checkup_tells_all_and_travels() -> None:
    found = checkup.check()
    assert msgspec.json.decode(msgspec.json.encode(found), type=Checkup) == found
    assert found.works("none")
    assert found.cores == capacity.cores()
    assert found.games == GAMES.sources()
    assert found.speed is not None
    assert found.speed.rate > 0
    told = [(each.section, each.name) for each in found.findings]
    assert len(set(told)) >= len(Level) + len(checkup.PROGRAMS)
    assert {("isolation", "sandbox"), ("folders", "cache"), ("timing", "core")} < set(told)


MISSING = " without a user's settings, which bots do not have"


def test_programs_are_found_with_their_versions(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(checkup, "PROGRAMS", ("cc", "go", "rustc"))
    paths = {"cc": "/usr/bin/cc", "rustc": "/usr/bin/rustc"}
    found = checkup._programs(paths, {"cc": "12.2.0", "rustc": ""})
    assert [(each.name, each.good, each.detail) for each in found] == [
        ("cc", True, "12.2.0  /usr/bin/cc"),
        ("go", False, "not found on PATH"),
        ("rustc", False, "/usr/bin/rustc shows no version" + MISSING),
    ]


def test_the_cache_is_looked_at_where_it_will_be(tmp_path, monkeypatch) -> None:
    cache = tmp_path / "not" / "yet"
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    found = checkup._cache()
    assert found.detail.startswith(f"{cache}/arena, ")
    assert not cache.exists()
    monkeypatch.setattr(checkup.os, "access", lambda *_: False)
    found = checkup._cache()
    assert not found.good
    assert "cannot be written: set XDG_CACHE_HOME" in found.detail


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkup.os, "statvfs", lambda _: SimpleNamespace(f_bavail=1, f_frsize=4096))
    found = checkup._cache()
    assert (found.good, "little room" in found.detail) == (False, True)


@pytest.mark.parametrize(("share", "good"), [(0.99, True), (0.4, False)])
def test_a_core_that_others_use_is_told(share: float, good: bool) -> None:
    *_, fast, core = checkup._timing(checkup.Speed("dragonheart", 1234.5, share))
    assert "1234 random games of dragonheart" in fast.detail
    assert (core.name, core.good) == ("core", good)
    assert ("others are busy" in core.detail) is not good


def test_speed_is_measured_on_the_same_games() -> None:
    found = checkup.measured(0.01)
    assert found.rate > 0
    assert 0 < found.share <= 1
    assert found.game in GAMES
