"""What ``arena doctor --on`` prints of the workers of a cluster."""

from __future__ import annotations

import json
import re

import msgspec
import pytest

from arena.cli.terminal.console import Exit
from arena.extensions.machines import checkup
from arena.extensions.machines.checkup import Checkup, CheckupLine, Speed
from arena.extensions.machines.commands import doctor
from arena.extensions.machines.survey_report import Survey, Surveyed
from arena.hosting.sandbox.isolation import Level
from arena.values.bad_input import BadInput
from tests.cli.shell import exit_code


def surveyed(name: str, *levels: str, problem: str = "", notes: tuple[str, ...] = ()) -> Surveyed:
    """A worker that has these levels."""
    found = Checkup(
        arena="0.1.0",
        machine="box",
        system="Linux",
        release="6.1",
        architecture="x86_64",
        python="3.11.7",
        cores=2,
        programs={"cc": "12.2.0", "rustc": ""},
        speed=Speed("dragonheart", 1234.5, 0.987),
        findings=tuple(CheckupLine(checkup.ISOLATION, level, True, "") for level in levels),
    )
    return Surveyed(
        address=f"tls://{name}:1",
        name=name,
        label=f"{name} tls://{name}:1",
        machine="box" if levels else "",
        threads=2,
        round_trip_us=1234.0 if levels else None,
        problem=problem,
        notes=notes,
        checkup=found if levels else None,
    )


CLUSTER = (
    surveyed("one", "none", "limits", "landlock", "sandbox"),
    surveyed("two", "none", notes=("swap: on",)),
    surveyed("old", "none", "bubblewrap", problem="has arena 0.0.9, not 0.1.0"),
    surveyed("far", problem="does not answer"),
)


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> list[Surveyed]:
    """The workers of ``--on dask``, for the test to choose."""
    pytest.importorskip("distributed")
    from arena.extensions.machines import survey

    workers: list[Surveyed] = []
    monkeypatch.setattr(
        survey,
        "survey",
        lambda where: Survey(scheduler="tls://scheduler:8786", workers=tuple(workers)),
    )
    return workers


def test_all_workers_of_a_cluster_are_one_table(cluster, capsys) -> None:
    cluster[:] = CLUSTER
    doctor.examine(doctor.DoctorOptions(on="dask"))
    said = capsys.readouterr()
    rows = [re.split(r"  +", line.strip()) for line in said.out.splitlines()]
    assert "4 workers on 1 machine, 4 games at once" in said.out
    assert ["one tls://one:1", "box", "2", "2", "limits landlock"] in rows
    assert ["far tls://far:1", "–", "2", "–", "–"] in rows
    assert ["one tls://one:1", "0.1.0", "3.11.7", "1234", "98.7 %", "1.23 ms"] in rows
    assert ["far tls://far:1", *["–"] * 5] in rows
    assert ["one tls://one:1", "12.2.0", "fails"] in rows
    assert ["old tls://old:1", "has arena 0.0.9, not 0.1.0"] in rows
    assert ["far tls://far:1", "does not answer"] in rows
    assert ["two tls://two:1", "swap: on"] in rows
    assert "2 of 4 workers can play" in said.err


def test_what_is_told_of_a_cluster_fits(cluster, capsys) -> None:
    programs = dict.fromkeys(checkup.PROGRAMS, "17.0.15")
    notes = ("core: we had 13% of one for 0.5 s: others are busy here " * 3,)
    worker = surveyed("0", *Level, problem="", notes=notes)
    assert worker.checkup is not None
    found = msgspec.structs.replace(worker.checkup, programs=programs)
    label = "0 tls://192.168.100.123:34381"
    cluster[:] = [msgspec.structs.replace(worker, label=label, machine="m" * 64, checkup=found)]
    doctor.examine(doctor.DoctorOptions(on="dask"))
    said = capsys.readouterr().out
    assert max(map(len, said.splitlines())) <= 100
    assert "others are busy here" in said


@pytest.mark.parametrize(
    ("workers", "isolation", "told"),
    [
        (CLUSTER, "sandbox", "1 of 4 workers can play at isolation sandbox"),
        (CLUSTER, "bubblewrap", "no worker can play at isolation bubblewrap"),
        (CLUSTER[2:], None, "no worker can play"),
        ((), None, "no worker is there"),
    ],
)
def test_whether_any_worker_can_play_decides_the_exit_code(
    workers: tuple[Surveyed, ...],
    isolation: str | None,
    told: str,
    cluster: list[Surveyed],
    capsys: pytest.CaptureFixture[str],
) -> None:
    cluster[:] = workers
    options = doctor.DoctorOptions(on="dask", isolation=isolation, as_json=True)
    code = exit_code(lambda: doctor.examine(options))
    assert code == (Exit.INVALID_RUN if told.startswith("no ") else Exit.DONE)
    said = capsys.readouterr()
    assert told in said.err
    document = json.loads(said.out)
    assert (document["schema"], document["wanted"]) == ("arena.doctor-on/1", isolation)
    assert [each["name"] for each in document["workers"]] == [each.name for each in workers]


def test_an_address_open_to_everybody_is_refused() -> None:
    with pytest.raises(BadInput, match="expected tls://"):
        doctor.examine(doctor.DoctorOptions(on="tcp://10.0.0.5:8786"))
