from __future__ import annotations

import json
from functools import partial

import pytest

from arena.cli.terminal.console import Exit
from arena.extensions.machines import checkup
from arena.extensions.machines.commands import doctor
from arena.hosting.sandbox import probes
from arena.hosting.sandbox.isolation import Level
from arena.hosting.sandbox.probes import Probe
from arena.values.bad_input import BadInput
from tests.cli.shell import exit_code
from tests.schemas import validator


@pytest.mark.slow
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
    validator(document["schema"]).validate(document)
    assert document["schema"] == "arena.doctor/1"
    (none,) = [found for found in document["findings"] if found["name"] == "none"]
    assert none["section"] == "isolation"
    assert none["good"] is True


@pytest.mark.slow
@pytest.mark.usefixtures("without_sandbox")
def test_what_is_missing_is_told_and_can_end_a_script(capsys: pytest.CaptureFixture[str]) -> None:
    for level, code in (("limits", Exit.DONE), ("sandbox", Exit.INVALID_RUN)):
        options = doctor.DoctorOptions(isolation=level)
        assert exit_code(partial(doctor.examine, options)) == code
    said = capsys.readouterr()
    assert "sandbox     NO   neither landlock nor bubblewrap works here" in said.out
    assert "error: isolation sandbox: not available here: not in this test" in said.err


@pytest.mark.usefixtures("without_sandbox")
def test_too_little_room_is_told(monkeypatch, capsys) -> None:
    monkeypatch.setattr(checkup.capacity, "cores", lambda: 1 << 20)
    doctor.examine(doctor.DoctorOptions())
    assert "open files (ulimit -n) can be had here, 1048576 workers need" in capsys.readouterr().out


def test_a_mistyped_level_is_bad_input() -> None:
    found = '--isolation: found "sandbx", expected'
    with pytest.raises(BadInput, match=rf'{found}.* \(did you mean "sandbox"\?\)'):
        doctor.COMMAND.main(["--isolation", "sandbx"], standalone_mode=False)


@pytest.fixture
def without_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    def told(level: Level) -> Probe:
        works = not level.at_least(Level.LANDLOCK)
        return Probe(level, works, "" if works else "not in this test")

    for module in (probes, checkup):
        monkeypatch.setattr(module, "probe", told)
