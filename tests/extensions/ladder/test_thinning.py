"""Records that a run keeps no longer: what is gone, what stays, and what can still be proved."""

from __future__ import annotations

import datetime
import os
from pathlib import Path

import msgspec
import pytest

from arena.extensions.ladder import thinning
from arena.extensions.ladder.thinning import GameAge, checked, game_ages, thin
from arena.runs import reader
from arena.runs.disk import StoreError
from arena.runs.growth.kinds import RunKind
from arena.runs.identity import identity_digest
from arena.runs.store import GAMES, RECORDS, Store, all_lines
from arena.runs.thinning import THINNED, read_thinned
from arena.runs.verify import RunVerifier
from tests.runs.test_verify import MANIFEST, OPENING, SPECS, play, write_run
from tests.runs.test_verify import findings as found_in_run
from tests.toy import at_toys

NOW = datetime.datetime(2030, 1, 31, tzinfo=datetime.UTC)
DAY = datetime.timedelta(days=1)
KEEP = DAY.total_seconds() / 4
IDENTITY = msgspec.structs.replace(MANIFEST.identity, keep=KEEP)
COMMITMENT = OPENING.commitment(identity_digest(IDENTITY))


@pytest.fixture(autouse=True)
def toy_table(monkeypatch: pytest.MonkeyPatch) -> None:
    at_toys(monkeypatch)
    monkeypatch.setattr(thinning, "_now", lambda: NOW + 60 * DAY)
    monkeypatch.setattr(RunKind, "kept", lambda self, seconds: seconds)


def run(folder: Path) -> Path:
    """A game a day, the last one now."""
    write_run(folder, identity=IDENTITY)
    lines = []
    for number, stored in all_lines(folder):
        played_at = int((NOW - (len(SPECS) - number) * DAY).timestamp())
        lines.append(msgspec.json.encode(msgspec.structs.replace(stored, played_at=played_at)))
    (folder / GAMES).write_bytes(b"\n".join(lines) + b"\n")
    return folder


def thinned(folder: Path, days: float, now: datetime.datetime = NOW) -> int:
    """Records older than so many days go."""
    return thin(folder, COMMITMENT, game_ages(folder), now - days * DAY, now)


def findings(folder: Path) -> list[str]:
    """What is found in the run, and in its removals."""
    return [*found_in_run(folder), *map(str, checked(reader.StoredRun(folder)))]


def test_what_is_older_goes_and_what_stays_is_proved(tmp_path: Path) -> None:
    folder = run(tmp_path)
    size = (folder / RECORDS).stat().st_size
    assert thinned(folder, 2.5) == len(SPECS) - 3
    assert (folder / RECORDS).stat().st_size == size
    assert findings(folder) == []
    verifier = RunVerifier(folder)
    assert len(list(verifier.games())) == len(SPECS)
    assert (verifier.without_record, verifier.missing) == (len(SPECS) - 3, 0)
    assert thinned(folder, 2.5) == 0
    assert thinned(folder, 1.5) == 1
    (first, second) = read_thinned(folder, COMMITMENT)
    assert (first.lines, second.lines) == (len(SPECS) - 3, len(SPECS) - 2)
    assert findings(folder) == []
    with Store(folder):  # which takes no such record for a lost one
        pass
    assert not (folder / "lost.jsonl").exists()


def test_the_room_of_what_goes_is_given_back(tmp_path: Path) -> None:
    (tmp_path / "records").mkdir()
    (tmp_path / GAMES).write_bytes(b"{}\n{}\n")
    half = 4 << 20
    with (tmp_path / RECORDS).open("wb") as file:
        file.write(os.urandom(2 * half))
        file.flush()
        os.fsync(file.fileno())
    before = (tmp_path / RECORDS).stat()
    games = iter([GameAge(1, half), GameAge(int(NOW.timestamp()), 2 * half)])
    assert thin(tmp_path, COMMITMENT, games, NOW - DAY, NOW) == 1
    after = (tmp_path / RECORDS).stat()
    assert after.st_size == before.st_size
    assert after.st_blocks < before.st_blocks
    data = (tmp_path / RECORDS).read_bytes()
    assert not data[:half].strip(b"\0")
    assert data[half:].strip(b"\0")


def test_nothing_that_is_young_goes(tmp_path: Path) -> None:
    folder = run(tmp_path)
    assert thinned(folder, 30) == 0
    assert not (folder / THINNED).exists()


def test_a_record_that_went_is_told_with_its_day(tmp_path: Path) -> None:
    folder = run(tmp_path)
    thinned(folder, 0.5)
    found = reader.StoredRun(folder)
    first = next(found.games())
    with pytest.raises(StoreError, match=r"removed on 2030-01-31, as thinned\.jsonl has it"):
        found.record(first.stored)


def _zeroed(folder: Path) -> None:
    """The last record, as if it had gone too."""
    last = list(all_lines(folder))[-1][1].record
    with (folder / RECORDS).open("r+b") as file:
        file.seek(last.offset)
        file.write(bytes(last.length))


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        (GAMES, '"plies":', '"plies":1', "the results of the first 3 games are not those of then"),
        (THINNED, '"lines":3', '"lines":4', "the results of the first 4 games are not those of"),
        (THINNED, COMMITMENT, "0" * 64, "does not follow the line before"),
        (THINNED, None, "", "record"),
        (RECORDS, None, "", "record"),
    ],
    ids=["result", "line", "chain", "no line", "one more"],
)
def test_what_was_not_by_rule_is_found(tmp_path, name, old, new, said) -> None:
    folder = run(tmp_path)
    assert thinned(folder, len(SPECS) - 3.5) == 3
    if old is not None:
        text = (folder / name).read_text()
        (folder / name).write_text(text.replace(old, new, 1))
    elif name == THINNED:
        (folder / name).unlink()
    else:
        _zeroed(folder)
    assert any(said in each for each in findings(folder))


def test_what_a_kill_left_undone_is_done_at_the_next_time(tmp_path, monkeypatch) -> None:
    folder = run(tmp_path)

    def killed(path: Path, end: int) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as now:
        now.setattr(thinning, "_free", killed)
        with pytest.raises(KeyboardInterrupt):
            thinned(folder, 2.5)
    assert (folder / THINNED).exists()
    assert findings(folder) == []  # the records are still there and proved
    assert thinned(folder, 2.5) == 0
    verifier = RunVerifier(folder)
    list(verifier.games())
    assert verifier.without_record == len(SPECS) - 3


def test_where_no_room_can_be_given_back_all_is_kept(tmp_path, monkeypatch) -> None:
    folder = run(tmp_path)
    monkeypatch.setattr(thinning, "_can_free", lambda path: False)
    assert thinned(folder, 0.5) == 0
    assert not (folder / THINNED).exists()


def test_a_game_without_record_that_is_not_planned_is_found(tmp_path: Path) -> None:
    folder = run(tmp_path)
    forged = msgspec.structs.replace(SPECS[0], game_id=SPECS[0].game_id.replace(":0:", ":7:"))
    with Store(folder) as store:
        store.add(play(forged))
    late = NOW + 30 * DAY
    assert thinned(folder, 1, late) == len(SPECS) + 1
    assert any("is not a game of this schedule" in each for each in findings(folder))
