"""A run whose files are damaged and repaired again and again is the run that was never damaged."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from arena.runs import damage
from arena.runs.damage import set_damage_aside
from arena.runs.disk import StoreError
from arena.runs.reader import StoredRun
from arena.runs.store import GAMES, LOST, RECORDS
from arena.runs.verify import RunVerifier
from arena.runs.voids import VOIDS
from tests.runs.sharded import Table, manifest, of_shard, played, toys
from tests.toy import at_toys

OWN = manifest(toys((2, 2), names=("anna", "berta", "clara")))
SHARD = of_shard(OWN, 1, 2)


class Killed(BaseException):
    """The end of the process."""


def results(folder: Path) -> dict[str, Any]:
    return {game.result.spec.game_id: game.result for game in StoredRun(folder).games()}


def findings(folder: Path) -> list[str]:
    verifier = RunVerifier(folder)
    found = list(verifier.findings)
    for checked in verifier.games():
        found += checked.findings
    return [*map(str, found), *(["games are missing"] if verifier.missing else [])]


class Damaged(RuleBasedStateMachine):
    """Bytes change, files are cut, lines go, repairs are killed; then all is as it should be."""

    own = OWN
    never_damaged: ClassVar[dict[str, Any]] = {}

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp()) / "run"
        self.table = Table({"berta": 0.3}, voids=0.2)

    def play(self, most: int | None) -> None:
        played(self.folder, self.own, self.table, most)

    @rule(most=st.integers(1, 15))
    def continue_run(self, most: int) -> None:
        if self.folder.exists():
            set_damage_aside(self.folder)
        self.play(most)

    @precondition(lambda self: self.folder.exists())
    @rule(file=st.sampled_from([GAMES, RECORDS, VOIDS]), at=st.floats(0, 1), by=st.integers(1, 255))
    def change_a_byte(self, file: str, at: float, by: int) -> None:
        path = self.folder / file
        data = bytearray(path.read_bytes() if path.exists() else b"")
        if data:
            data[min(int(at * len(data)), len(data) - 1)] ^= by
            path.write_bytes(data)

    @precondition(lambda self: (self.folder / RECORDS).exists())
    @rule(at=st.floats(0, 1))
    def cut_the_records(self, at: float) -> None:
        os.truncate(self.folder / RECORDS, int(at * (self.folder / RECORDS).stat().st_size))

    @precondition(lambda self: (self.folder / RECORDS).exists())
    @rule(at=st.floats(0, 1), length=st.integers(1, 3000))
    def blank_some_records(self, at: float, length: int) -> None:
        data = bytearray((self.folder / RECORDS).read_bytes())
        start = int(at * len(data))
        data[start : start + length] = bytes(len(data[start : start + length]))
        (self.folder / RECORDS).write_bytes(data)

    @precondition(lambda self: self.folder.exists())
    @rule(file=st.sampled_from([GAMES, VOIDS]), at=st.floats(0, 1))
    def remove_a_line(self, file: str, at: float) -> None:
        path = self.folder / file
        lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
        if lines:
            del lines[min(int(at * len(lines)), len(lines) - 1)]
            path.write_bytes(b"".join(lines))

    @precondition(lambda self: self.folder.exists())
    @rule(writes=st.integers(0, 3))
    def kill_a_repair(self, writes: int) -> None:
        left = iter(range(writes))

        def mortal(write: Any) -> Any:
            def written(*given: object) -> None:
                if next(left, None) is None:
                    raise Killed
                write(*given)

            return written

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(damage, "append_line", mortal(damage.append_line))
            patch.setattr(damage, "write_atomically", mortal(damage.write_atomically))
            with contextlib.suppress(Killed):
                set_damage_aside(self.folder)

    def teardown(self) -> None:
        try:
            if self.folder.exists():
                set_damage_aside(self.folder)
            self.play(None)
            assert findings(self.folder) == []
            assert set_damage_aside(self.folder) == 0
            assert results(self.folder) == self.never_damaged
        finally:
            shutil.rmtree(self.folder.parent)


@pytest.mark.parametrize("own", [OWN, SHARD], ids=["run", "shard"])
def test_whatever_is_damaged_is_played_again(own, tmp_path, monkeypatch) -> None:
    at_toys(monkeypatch)
    played(tmp_path / "run", own, Table({"berta": 0.3}, voids=0.2))

    class Machine(Damaged):
        never_damaged = results(tmp_path / "run")

    Machine.own = own
    own_settings = settings(
        max_examples=15,
        stateful_step_count=8,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
    )
    run_state_machine_as_test(Machine, settings=own_settings)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    at_toys(monkeypatch)
    played(tmp_path / "run", OWN, Table())
    return tmp_path / "run"


def flip(folder: Path, number: int) -> None:
    """A byte in the middle of the record of a game."""
    place = json.loads((folder / GAMES).read_text().splitlines()[number - 1])["record"]
    data = bytearray((folder / RECORDS).read_bytes())
    data[place["offset"] + place["length"] // 2] ^= 1
    (folder / RECORDS).write_bytes(data)


def test_what_was_damaged_is_kept_and_named(run: Path, caplog: pytest.LogCaptureFixture) -> None:
    line, records = (run / GAMES).read_bytes().splitlines(keepends=True)[4], run / RECORDS
    before = records.read_bytes()
    flip(run, 5)
    damaged = records.read_bytes()
    assert set_damage_aside(run) == 1
    assert "games.jsonl:5: record: line" in caplog.text
    assert "1 game is damaged and played again; what was there is kept in lost.jsonl" in caplog.text
    kept, part = [json.loads(each) for each in (run / LOST).read_text().splitlines()]
    assert kept["line"].encode("latin-1") == line
    place = json.loads(line)["record"]
    assert (part["offset"], part["length"]) == (place["offset"], place["length"])
    played(run, OWN, Table())
    assert records.read_bytes()[: len(before)] == damaged
    verifier = RunVerifier(run)
    assert [each.findings for each in verifier.games() if each.findings] == []
    said = f"lost.jsonl: 1 damaged lines and {place['length']} bytes of records are set aside"
    assert verifier.remarks == [f"{said}; their games were played again"]


def test_an_intact_game_that_was_set_aside_for_another_result_is_found(run: Path) -> None:
    lines = (run / GAMES).read_text().splitlines(keepends=True)
    (run / GAMES).write_text("".join([*lines[:4], *lines[5:]]))
    loss = {"at": "", "file": GAMES, "why": "", "line": lines[4]}
    (run / LOST).write_text(json.dumps(loss) + "\n")
    set_damage_aside(run)
    played(run, OWN, Table(dict.fromkeys(["anna", "berta", "clara"], 1.0)))
    assert any("lost.jsonl line 1: sets another result" in each for each in findings(run))


def test_what_is_no_loss_is_found(run: Path) -> None:
    (run / LOST).write_text("{}\n")
    assert any("lost.jsonl:1: no loss" in each for each in findings(run))
    with pytest.raises(StoreError, match=r"lost\.jsonl:1: no loss"):
        played(run, OWN, Table())


def test_records_that_lead_nowhere_are_found(run: Path) -> None:
    (run / RECORDS).unlink()
    (run / RECORDS).symlink_to("0.jsonl.gz")
    assert any("cannot be read: Too many levels" in each for each in findings(run))


def test_a_line_that_stands_twice_is_set_aside(run: Path) -> None:
    before = results(run)
    lines = (run / GAMES).read_text().splitlines(keepends=True)
    (run / GAMES).write_text("".join([*lines, lines[2]]))
    assert any("stored twice" in each for each in findings(run))
    assert set_damage_aside(run) == 1
    assert (findings(run), results(run)) == ([], before)


def test_a_loss_is_held_against_every_line_of_its_game(run: Path) -> None:
    lines = (run / GAMES).read_text().splitlines(keepends=True)
    (run / GAMES).write_text("".join([*lines[:4], *lines[5:]]))
    set_damage_aside(run)
    played(run, OWN, Table(dict.fromkeys(["anna", "berta", "clara"], 1.0)))
    standing = (run / GAMES).read_text().splitlines()[-1]
    losses = [{"at": "", "file": GAMES, "why": "", "line": each} for each in (lines[4], standing)]
    with (run / LOST).open("a") as file:
        file.write("".join(f"{json.dumps(each)}\n" for each in losses))
    assert any("sets another result" in each for each in findings(run))
