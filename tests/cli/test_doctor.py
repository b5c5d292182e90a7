from __future__ import annotations

import json
import os
from types import SimpleNamespace

import pytest
import typer

from arena.cli.commands import doctor
from arena.cli.terminal.console import Exit
from arena.documents.bad_input import BadInput
from arena.hosting.sandbox import probes
from arena.hosting.sandbox.isolation import Level
from arena.hosting.sandbox.probes import Probe


@pytest.mark.process
def test_every_level_and_mechanism_has_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    doctor.examine(doctor.DoctorOptions())
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("arena ")
    names = [line.split()[0] for line in lines if line.startswith("  ")]
    assert names[:5] == [*Level, "sandbox"]
    assert {"user", "landlock", "cgroup:", "bwrap", "node"} <= set(names)


def test_the_same_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    doctor.examine(doctor.DoctorOptions(as_json=True))
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "arena.doctor/1"
    (none,) = [found for found in document["findings"] if found["name"] == "none"]
    assert none["section"] == "isolation"
    assert none["good"] is True


@pytest.mark.usefixtures("without_sandbox")
def test_what_is_missing_is_told_and_can_end_a_script(capsys: pytest.CaptureFixture[str]) -> None:
    doctor.examine(doctor.DoctorOptions(isolation="limits"))
    with pytest.raises(typer.Exit) as ending:
        doctor.examine(doctor.DoctorOptions(isolation="sandbox"))
    assert ending.value.exit_code == Exit.INVALID_RUN
    said = capsys.readouterr()
    assert "sandbox     NO   neither landlock nor bubblewrap works here" in said.out
    assert "error: isolation sandbox: not available here: bubblewrap: not in this test" in said.err


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
def test_what_stays_open_is_told_for_this_machine(
    user: int, groups: dict[str, str], expected: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor.os, "geteuid", lambda: user)
    monkeypatch.setattr(doctor.cgroups, "describe", lambda: groups)
    assert {name for name, _ in doctor._gaps()} == expected


@pytest.mark.parametrize("user", [0, 1000])
@pytest.mark.parametrize(
    ("what", "word"), [("can_keep", "(ulimit -Hx)"), ("sees_others", "(hidepid)")]
)
def test_where_leftovers_cannot_be_found_it_is_told(
    what: str, word: str, user: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor.os, "geteuid", lambda: user)
    monkeypatch.setattr(doctor.cgroups, "describe", lambda: NO_GROUPS)
    for able in (True, False):
        monkeypatch.setattr(doctor.marks, what, lambda able=able: able)
        told = any(word in detail for _, detail in doctor._gaps())
        assert told is (not able and user != 0)


@pytest.mark.usefixtures("without_sandbox")
def test_too_little_room_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor.room, "cores", lambda: 1 << 20)
    doctor.examine(doctor.DoctorOptions())
    assert "open files (ulimit -n) can be had here, 1048576 workers need" in capsys.readouterr().out


def test_a_mistyped_level_is_bad_input() -> None:
    with pytest.raises(BadInput, match=r'found "sandbx", .*did you mean "sandbox"'):
        doctor.examine(doctor.DoctorOptions(isolation="sandbx"))


@pytest.fixture
def without_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    def told(level: Level) -> Probe:
        works = not level.at_least(Level.LANDLOCK)
        return Probe(level, works, "" if works else "not in this test")

    for module in (probes, doctor):
        monkeypatch.setattr(module, "probe", told)


@pytest.mark.parametrize(
    ("flags", "user", "good", "word"),
    [
        (0, 1000, False, "noatime"),
        (0, 0, True, "not for reads of bots"),
        (os.ST_NOATIME, 1000, True, "not kept"),
    ],
)
def test_times_of_reading(
    flags: int, user: int, good: bool, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor.os, "statvfs", lambda _: SimpleNamespace(f_flag=flags))
    monkeypatch.setattr(doctor.os, "geteuid", lambda: user)
    found = doctor._access_times()
    assert (found.good, word in found.detail) == (good, True)
