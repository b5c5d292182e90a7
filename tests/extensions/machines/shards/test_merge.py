"""Shards brought together are what one machine would have played."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from arena.extensions.machines.shards.collected import gathered
from arena.extensions.machines.shards.merge import merge, new_folder
from arena.extensions.publishing.visible import choose
from arena.referee.records.read import unpack
from arena.runs.disk import StoreError
from arena.runs.live import locked
from arena.runs.manifest import Manifest
from arena.runs.reader import StoredRun
from arena.runs.store import GAMES, RECORDS, Stored, read_record
from arena.runs.verify import RunVerifier
from arena.runs.voids import VOIDS
from arena.schedule.pairings import Shard
from arena.schedule.seeds import Opening
from arena.values.results import BreakerPolicy, GameResult, Then
from arena.views.standings.standings import FORMS, render, table_of
from tests.rows import some
from tests.runs.sharded import (
    NAMES,
    OPENING,
    POLICY,
    Table,
    manifest,
    of_shard,
    played,
    toys,
)
from tests.toy import at_toys


@pytest.fixture(autouse=True)
def toy_table(monkeypatch: pytest.MonkeyPatch) -> None:
    at_toys(monkeypatch)


def shards(
    folder: Path, own: Manifest, of: int, faulty: dict[str, float] | None = None, **table: object
) -> list[Path]:
    """Every shard of a run, each played by itself."""
    folders = []
    for number in range(1, of + 1):
        folders.append(folder / f"cup.{number}of{of}")
        played(folders[-1], of_shard(own, number, of), Table(faulty, **table))  # type: ignore[arg-type]
    return folders


def merged(folders: list[Path], target: Path) -> Path:
    with gathered(folders) as found, new_folder(target) as begun:
        merge(found, begun)
    return target


def results(folder: Path) -> list[GameResult]:
    """In the order in which they are stored, without what was measured."""
    found = [game.result for game in StoredRun(folder).games()]
    return [msgspec.structs.replace(each, think_us=(), wall_us=0) for each in found]


def counting(folder: Path) -> set[str]:
    """Those that count, without what was measured."""
    out = StoredRun(folder).withdrawals().withdrawn.keys()
    return {str(each) for each in results(folder) if out.isdisjoint(each.spec.entrants)}


def records(folder: Path) -> list[bytes]:
    run = StoredRun(folder)
    return [unpack(read_record(folder, game.stored.record)) for game in run.games()]


def tables(folder: Path) -> list[str]:
    return [render(table_of(StoredRun(folder)), form) for form in FORMS]


def logs(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "logs").iterdir()}


def exchanges(folder: Path) -> dict[str, bytes]:
    files = (folder / "wire").glob("*/*")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def _without_voids(lines: list[str]) -> list[str]:
    return [line for line in lines if " void " not in line]


def findings(folder: Path) -> tuple[list[str], int | None]:
    verifier = RunVerifier(folder)
    found = [str(each) for checked in verifier.games() for each in checked.findings]
    return [*map(str, verifier.findings), *found], verifier.missing


CASES: dict[str, Any] = {
    "two seats": {"tables": ((2, 7),)},
    "four seats": {"tables": ((4, 3),)},
    "alone": {"tables": ((1, 9),)},
    "several": {"tables": ((2, 3), (1, 4), (3, 2))},
    "faults": {"tables": ((2, 9),), "faulty": {"berta": 0.2, "emil": 0.4}},
    "withdrawn everywhere": {"tables": ((2, 12), (4, 2)), "faulty": {"emil": 1.0}},
    "voids": {"tables": ((2, 5), (4, 2)), "voids": 0.3},
    "a bot that kills": {"tables": ((2, 9),), "deadly": ("dora",)},
    "all of it": {"tables": ((3, 4), (2, 9)), "voids": 0.2, "faulty": {"emil": 0.9, "anna": 0.4}},
}


@pytest.mark.slow
@pytest.mark.parametrize("case", some([*CASES], every=3))
@pytest.mark.parametrize("of", [1, 5])
def test_shards_make_the_run_that_one_machine_plays(tmp_path: Path, case: str, of: int) -> None:
    given_ = dict(CASES[case])
    own = manifest(toys(*given_.pop("tables")))
    whole = tmp_path / "whole"
    alone = played(whole, own, Table(**given_))
    target = merged(shards(tmp_path, own, of, **given_), tmp_path / "merged")
    again = played(target, own, Table(**given_))
    assert (again.played, again.is_finished) == (0, alone.is_finished)
    if "voids" not in given_:  # a game that was void comes later, and a verdict with it
        assert results(target) == results(whole)
        assert records(target) == records(whole)
        assert logs(target) == logs(whole)
        assert exchanges(target) == exchanges(whole)
    assert counting(target) == counting(whole)
    assert tables(target) == tables(whole)
    assert (target / "run.json").read_bytes() == (whole / "run.json").read_bytes()
    assert (target / "seed.json").read_bytes() == (whole / "seed.json").read_bytes()
    assert findings(target) == findings(whole) == ([], 0)


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(1, 5)), min_size=1, max_size=2),
    st.integers(1, 5),
    st.dictionaries(st.sampled_from(NAMES), st.sampled_from([0.1, 0.4, 0.6, 1.0]), max_size=3),
    st.sampled_from([0.0, 0.3]),
    st.sets(st.integers(1, 6), max_size=2),
    st.integers(0, 30),
)
@example([(2, 6)], 5, {"anna": 0.6, "berta": 0.6}, 0.0, set(), 0)
@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_whatever_is_merged_is_gone_on_with_to_the_same_table(
    sizes: list[tuple[int, int]],
    of: int,
    faulty: dict[str, float],
    voids: float,
    without: set[int],
    most: int,
) -> None:
    """Shards may be missing or stopped half-way, and may have given up bots that need not be."""
    own = manifest(toys(*sizes))
    with TemporaryDirectory() as where:
        folder = Path(where)
        alone = played(folder / "whole", own, Table(faulty, voids))
        found = shards(folder, own, of, faulty, voids=voids)
        if of > 1:
            found = [each for k, each in enumerate(found, 1) if k not in without] or found[:1]
        half = folder / "half"
        played(half, of_shard(own, 1, of), Table(faulty, voids), most)
        target = merged([half, *found], folder / "merged")
        assert findings(target)[0] == []
        played(target, own, Table(faulty, voids))
        if not voids:  # else a game may have been void in two sessions
            assert tables(target) == tables(folder / "whole")
        text = tables(target)[0].splitlines(), tables(folder / "whole")[0].splitlines()
        assert _without_voids(text[0]) == _without_voids(text[1])
        assert findings(target) == ([], 0) if alone.is_finished else findings(target)[0] == []


def test_a_bot_given_up_in_one_shard_alone_plays_on(tmp_path: Path) -> None:
    """It failed where it was looked at too closely: its games are missing, and then played."""
    own, faulty = manifest(toys((2, 6))), {"berta": 0.4}
    whole = tmp_path / "whole"
    assert played(whole, own, Table(faulty)).withdrawn == {}
    folders, out = shards(tmp_path, own, 5, faulty), set()
    for folder in folders:
        out |= StoredRun(folder).withdrawals().withdrawn.keys()
    assert out == {"berta"}
    with gathered(folders) as found:
        assert (found.missing, found.left) == ([], {}), "each shard is complete as it is"
    target = merged(folders, tmp_path / "merged")
    missing = findings(target)[1]
    assert missing
    assert played(target, own, Table(faulty)).played == missing
    assert tables(target) == tables(whole)


def test_a_run_that_a_bot_stops_is_merged_up_to_there(tmp_path: Path) -> None:
    policy = BreakerPolicy(faults=0.5, after=4, starts=3, then=Then.STOP)
    own, faulty = manifest(toys((2, 9)), policy), {"clara": 1.0}
    whole = tmp_path / "whole"
    assert played(whole, own, Table(faulty)).stopped
    folders = shards(tmp_path, own, 3, faulty)
    with gathered(folders) as found:
        assert found.left == {}, "who goes on with one plays nothing"
    target = merged(folders, tmp_path / "merged")
    assert played(target, own, Table(faulty)).stopped
    stored = results(target)
    assert stored == results(whole)[: len(stored)]
    assert len(stored) >= 10


def test_what_a_line_says_besides_is_kept(tmp_path: Path) -> None:
    """But where its record is, and the state of the voids, which are those of the new folder.

    A machine without a name is told by its shard.
    """
    own = manifest(toys((2, 3)))
    folders = shards(tmp_path, own, 2, voids=0.3)
    target = merged(folders, tmp_path / "merged")
    kept = {game.result.spec.game_id: game.stored for game in StoredRun(target).games()}
    for number, folder in enumerate(folders, 1):
        for game in StoredRun(folder).games():
            there = kept[game.result.spec.game_id]
            assert there.machine == f"shard {number}/2"
            own_place = {"record": game.stored.record, "voids": game.stored.voids}
            assert msgspec.structs.replace(there, machine="", **own_place) == game.stored


def test_a_shard_never_tells_that_the_run_is_over(tmp_path: Path) -> None:
    """Whoever looks at one, complete and with a seed that all can read, sees a run that goes on."""
    (folder,) = shards(tmp_path, manifest(toys((2, 3))), 1)
    (folder / "seed.json").chmod(0o644)
    run = StoredRun(folder)
    assert not run.is_opened
    assert not choose(run, None).is_over
    table = tables(folder)[0]
    assert "shard 1/1: a part of the run, which arena merge makes whole" in table


OWN = manifest(toys((2, 3)))


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    """Three shards of a run of 60 games."""
    return shards(tmp_path, OWN, 3)


def refused(folders: list[Path]) -> str:
    with pytest.raises(StoreError) as error, gathered(folders):
        pass
    return str(error.value)


def test_shards_that_are_missing_or_unfinished_are_counted(tmp_path, folders) -> None:
    with gathered(folders[1:]) as found:
        assert (found.missing, found.left) == ([Shard(1, 3)], {})
    half = tmp_path / "half"
    played(half, of_shard(OWN, 2, 3), Table(), 5)
    with gathered([folders[0], half]) as found:
        assert (found.missing, list(found.left)) == ([Shard(3, 3)], [Shard(2, 3)])
        assert found.left[Shard(2, 3)] == 20 - len(results(half))


def test_two_of_the_same_that_went_differently_are_both_named(tmp_path, folders) -> None:
    other = tmp_path / "other"
    played(other, of_shard(OWN, 2, 3), Table({"anna": 0.3}))
    told = refused([*folders, other])
    assert str(other) in told
    assert str(folders[1]) in told
    assert "went differently" in told


def test_what_is_not_of_the_run_is_named(tmp_path: Path, folders: list[Path]) -> None:
    elsewhere = Opening("other", "salt")
    strangers = {
        "another config (games.d0-2.schedule.deals)": manifest(toys((2, 4))),
        "another config (breaker.after, breaker.faults)": manifest(
            toys((2, 3)), BreakerPolicy(faults=0.9)
        ),
        "another seed, or of a run that was opened another time": manifest(
            toys((2, 3)), POLICY, elsewhere
        ),
        "begun by arena 0.0, another version": msgspec.structs.replace(OWN, arena="0.0"),
        "run.json names or orders": msgspec.structs.replace(OWN, name="other"),
    }
    for number, (told, stranger) in enumerate(strangers.items()):
        folder = tmp_path / f"stranger-{number}"
        opening = elsewhere if "seed" in told else OPENING
        played(folder, of_shard(stranger, 2, 3), Table(opening=opening), 3, opening)
        said = refused([*folders, folder])
        assert said.startswith(f"{folder}: ")
        assert told in said
        assert "\n" not in said


def test_other_numbers_of_shards_and_whole_runs_are_named(tmp_path, folders) -> None:
    played(tmp_path / "four", of_shard(OWN, 1, 4), Table(), 3)
    played(tmp_path / "whole", OWN, Table(), 3)
    assert refused([*folders, tmp_path / "four"]) == (
        f"{tmp_path / 'four'}: one of 4 shards, {folders[0]} is one of 3"
    )
    assert refused([tmp_path / "whole", *folders]) == (
        f"{tmp_path / 'whole'}: holds a whole run, expected a shard of one"
    )
    (tmp_path / "empty").mkdir()
    assert "found no run.json" in refused([*folders, tmp_path / "empty"])


def test_one_that_is_played_is_left_alone(folders: list[Path]) -> None:
    with locked(folders[2]):
        assert refused(folders) == f"{folders[2]}: another arena is playing this run"


def _flipped(own: bytes, other: bytes) -> bytes:
    data = bytearray(own)
    data[len(data) // 2] ^= 1
    return bytes(data)


def _turned_round(own: bytes, other: bytes) -> bytes:
    """The first game; its record and digest stay."""
    first, rest = own.split(b"\n", 1)
    stored = msgspec.json.decode(first, type=Stored)
    places = tuple(reversed(stored.result.places))
    result = msgspec.structs.replace(stored.result, places=places)
    return msgspec.json.encode(msgspec.structs.replace(stored, result=result)) + b"\n" + rest


VOID = b'{"game":"x","cause":"machine","reason":"","entrants":[]}\n'
STRANGER = r"games.jsonl:21: .*: not a game of this run \(of another shard\)"
ANOTHER_SEED = msgspec.json.encode(Opening("other", "salt"))
TURNED = r"record: places is \([12], [12]\) in games.jsonl, \([12], [12]\) in it"


@pytest.mark.parametrize(
    ("name", "damage", "told"),
    [
        (GAMES, lambda own, other: own + other.splitlines(keepends=True)[0], STRANGER),
        (GAMES, lambda own, other: b"hello\n" + own, "games.jsonl:1: no stored game"),
        (
            GAMES,
            lambda own, other: own.replace(b'["anna","berta"]', b'["anna","emil"]'),
            "is not of this schedule and seed",
        ),
        (GAMES, _turned_round, TURNED),
        (VOIDS, lambda own, other: VOID, "voids.jsonl: x: not a game of this shard"),
        (RECORDS, lambda own, other: own[:-10], "record: .*records are lost"),
        (RECORDS, _flipped, "record: "),
        (RECORDS, lambda own, other: other, "record: "),
        (
            "seed.json",
            lambda own, other: ANOTHER_SEED,
            "run.json: seed and config do not fit the commitment",
        ),
        ("seed.json", None, "seed.json: cannot be read"),
        ("run.json", lambda own, other: own.replace(b'"anna"', b'"../anna"'), ""),
    ],
)
def test_a_damaged_shard_is_named_and_nothing_is_left(
    tmp_path: Path,
    folders: list[Path],
    name: str,
    damage: Callable[[bytes, bytes], bytes] | None,
    told: str,
) -> None:
    own, other = (each / name for each in folders[1:])
    if damage is None:
        own.unlink()
    else:
        own.write_bytes(
            damage(*(each.read_bytes() if each.exists() else b"" for each in (own, other)))
        )
    before = sorted(tmp_path.iterdir())
    with pytest.raises(StoreError) as error:
        merged(folders, tmp_path / "merged")
    assert str(folders[1]) in str(error.value)
    assert re.search(told, str(error.value))
    assert sorted(tmp_path.iterdir()) == before


def test_a_torn_last_line_is_a_game_that_is_missing(tmp_path: Path, folders: list[Path]) -> None:
    data = (folders[1] / GAMES).read_bytes()
    (folders[1] / GAMES).write_bytes(data[:-10])
    with gathered(folders) as found:
        assert found.left == {Shard(2, 3): 1}
    target = merged(folders, tmp_path / "merged")
    assert findings(target) == ([], 1)


@pytest.fixture
def interrupted(tmp_path: Path) -> Path:
    """What a merge that was killed leaves."""
    begun = tmp_path / ".merged.merging"
    (begun / "records").mkdir(parents=True)
    (begun / GAMES).write_text("hello\n")
    return begun


def test_what_a_killed_merge_left_is_done_again_and_every_game_is_told(
    tmp_path: Path, folders: list[Path], interrupted: Path
) -> None:
    """An empty folder may be there, and two of the same shard may say the same."""
    (tmp_path / "merged").mkdir()
    played(tmp_path / "again", of_shard(OWN, 2, 3), Table())
    told: list[int] = []
    given_ = [*folders, tmp_path / "again", folders[0]]
    with gathered(given_) as found, new_folder(tmp_path / "merged") as begun:
        merge(found, begun, told.append)
    assert findings(tmp_path / "merged") == ([], 0)
    assert len(results(tmp_path / "merged")) == 60
    assert told == list(range(1, 61))
    assert not interrupted.exists()


def test_a_merge_in_hand_and_what_is_there_are_left_alone(tmp_path, folders, interrupted) -> None:
    with locked(interrupted), pytest.raises(StoreError, match="another arena"):
        merged(folders, tmp_path / "merged")
    assert (interrupted / GAMES).exists()
    with pytest.raises(StoreError, match="is there already, expected a new folder"):
        merged(folders, folders[0])
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(StoreError, match="is there already"):
        merged(folders, tmp_path / "link")


def test_a_link_in_the_place_of_what_is_begun_leads_nowhere(tmp_path, folders) -> None:
    (tmp_path / ".merged.merging").symlink_to(folders[0])
    merged(folders, tmp_path / "merged")
    assert results(folders[0])
