"""One door to a run folder: every game once, at its place, or an error that says where."""

from __future__ import annotations

import json
import pickle
import tracemalloc
from pathlib import Path

import msgspec
import pytest

from arena.referee.records.format import Record, pack
from arena.runs.disk import StoreError
from arena.runs.reader import Places, StoredRun, placed_games
from arena.runs.store import GAMES, RECORDS, RecordLocation, Stored, read_record
from arena.runs.voids import VOIDS, Void
from arena.schedule.schedule import Done, Schedule
from arena.schedule.seeds import Seeds
from arena.values.results import GameResult, GameSpec, RulesSpec, Termination, VoidCause
from tests.games.games import default_data
from tests.referee.records.games import changed, played, read
from tests.runs.manifests import identity_of, manifest_of
from tests.tournament.tables import TOY, discipline

DISCIPLINES = (
    discipline("a", "b", "c", deals=3),
    discipline("a", "b", name="solo-1", rules=RulesSpec("toy", 1, {}, {}), deals=2),
)
PLAN = Schedule(DISCIPLINES, Seeds.of("seed"))
SPECS = [spec for block in PLAN.blocks() for spec in block.games]


def line(spec: GameSpec) -> bytes:
    places = tuple(range(1, len(spec.entrants) + 1))
    result = GameResult(spec, Termination.COMPLETED, places, 3, "digest")
    return msgspec.json.encode(Stored(result, RecordLocation(RECORDS, 0, 0), 0)) + b"\n"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """All games are stored, the last one first."""
    manifest = manifest_of(identity_of(*DISCIPLINES))
    (tmp_path / "run.json").write_bytes(msgspec.json.encode(manifest))
    (tmp_path / GAMES).write_bytes(b"".join(map(line, reversed(SPECS))))
    return tmp_path


@pytest.fixture
def recorded(run: Path) -> tuple[Path, Record]:
    """The folder has but one game, with its record."""
    record = changed(read(played().record), "header", spec=SPECS[0])
    packed, digest = pack(record)
    end = record.end
    result = GameResult(SPECS[0], end.termination, end.places, end.plies, digest, end.scores)
    stored = Stored(result, RecordLocation(RECORDS, 0, len(packed)), 0)
    (run / GAMES).write_bytes(msgspec.json.encode(stored) + b"\n")
    (run / "records").mkdir()
    (run / RECORDS).write_bytes(packed)
    return run, record


def test_every_game_has_its_line_and_its_place(run: Path) -> None:
    games = list(StoredRun(run).games())
    assert [game.result.spec for game in games] == SPECS[::-1]
    assert [game.line for game in games] == list(range(1, len(SPECS) + 1))
    assert sorted(game.number for game in games) == list(range(PLAN.games))
    assert all(PLAN.number(game.result.spec.game_id) == game.number for game in games)


def test_a_run_without_games_has_none(run: Path) -> None:
    (run / GAMES).unlink()
    assert list(StoredRun(run).games()) == []
    assert list(StoredRun(run).voids()) == []


def test_a_torn_line_is_no_game_yet(run: Path) -> None:
    (run / GAMES).write_bytes((run / GAMES).read_bytes()[:-1])
    assert len(list(StoredRun(run).games())) == len(SPECS) - 1


def test_what_is_done_is_told_while_it_is_read(run: Path) -> None:
    done = Done(PLAN.games)
    for count, game in enumerate(StoredRun(run).games(done), 1):
        assert game.number in done
        assert len(done) == count


def test_of_several_lines_the_first_stands(run: Path, caplog: pytest.LogCaptureFixture) -> None:
    before = list(StoredRun(run).games())
    other = line(SPECS[2]).replace(b'"places":[1,2]', b'"places":[2,1]')
    assert other != line(SPECS[2])
    with (run / GAMES).open("ab") as file:
        file.write(other + line(SPECS[0]) + other)
    assert list(StoredRun(run).games()) == before
    first = len(SPECS) + 1
    [told] = [record.getMessage() for record in caplog.records]
    stands = "the game is stored before, and what was stored first stands"
    assert told == f"{run / GAMES}:{first} and 2 more lines: {stands}"


STRANGERS = {
    "another discipline": "toy-3/a+b:0:0",
    "a deal too many": "toy-2/a+b:3:0",
    "no id": "",
    "one that steers a terminal": "toy-2/\x1b[2J",
}
"""The others are in ``tests/schedule/test_schedule.py``."""


@pytest.mark.parametrize("game_id", STRANGERS.values(), ids=STRANGERS)
@pytest.mark.parametrize("before", [0, 4])
def test_a_stranger_is_named_with_its_line(run: Path, game_id: str, before: int) -> None:
    lines = (run / GAMES).read_bytes().splitlines(keepends=True)
    spec = msgspec.structs.replace(SPECS[0], game_id=game_id)
    (run / GAMES).write_bytes(b"".join((*lines[:before], line(spec), *lines[before:])))
    with pytest.raises(StoreError) as told:
        list(StoredRun(run).games())
    shown = game_id.replace("\x1b", "\\x1b")
    assert str(told.value) == f"{run / GAMES}:{before + 1}: {shown}: not a game of this run"


def test_places_are_for_lines_from_anywhere(run: Path) -> None:
    places = Places(run, PLAN)
    stored = msgspec.json.decode(line(SPECS[3]), type=Stored)
    found = places.place(7, stored)
    assert found is not None
    assert (found.line, found.number, found.stored) == (7, PLAN.number(SPECS[3].game_id), stored)
    assert places.place(8, stored) is None
    assert len(places.done) == 1


@pytest.mark.slow
def test_games_take_no_memory(tmp_path: Path) -> None:
    plan = Schedule([discipline("a", "b", deals=20_000)], Seeds(b""))
    with (tmp_path / GAMES).open("wb") as file:
        for block in plan.blocks():
            file.writelines(map(line, block.games))
    tracemalloc.start()
    assert sum(1 for _ in placed_games(tmp_path, plan)) == 40_000
    assert tracemalloc.get_traced_memory()[1] < 500_000
    tracemalloc.stop()


def test_withdrawals_are_told_of_games_and_voids(run: Path) -> None:
    lines = []
    for spec in SPECS:
        stored = json.loads(line(spec))
        if "b" in spec.entrants:
            seat = spec.entrants.index("b")
            fault = {"seat": seat, "kind": "startup", "ply": 0, "detail": ""}
            stored["result"] |= {"faults": [fault], "termination": "forfeited"}
        lines.append(json.dumps(stored) + "\n")
    (run / GAMES).write_text("".join(lines))
    assert StoredRun(run).withdrawals().withdrawn.keys() == {"b"}
    void = Void(SPECS[0].game_id, VoidCause.MACHINE, "", SPECS[0].entrants)
    (run / VOIDS).write_bytes(msgspec.json.encode(void) + b"\n")
    assert list(StoredRun(run).voids()) == [void]


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        (TOY, "run.json: rules: name: "),
        (RulesSpec("dragonheart", 7, {}, default_data("dragonheart")), "run.json: rules: seats: "),
    ],
)
def test_rules_that_are_none(run: Path, spec: RulesSpec, told: str) -> None:
    manifest = manifest_of(identity_of(msgspec.structs.replace(DISCIPLINES[0], rules=spec)))
    with pytest.raises(StoreError, match=told):
        StoredRun(run, manifest).rules("toy-2")
    with pytest.raises(StoreError, match=r"run\.json: found no game other$"):
        StoredRun(run).rules("other")


@pytest.mark.parametrize(("mode", "is_opened"), [(0o600, False), (0o644, True), (None, False)])
def test_a_seed_that_everybody_may_read_is_published(run, mode, is_opened) -> None:
    if mode is not None:
        (run / "seed.json").touch()
        (run / "seed.json").chmod(mode)
    assert StoredRun(run).is_opened is is_opened


def test_it_is_sent_to_other_processes_without_what_was_built(run: Path) -> None:
    own = StoredRun(run)
    assert own.schedule.games == PLAN.games
    again = pickle.loads(pickle.dumps(own))
    assert (again.folder, again.manifest) == (own.folder, own.manifest)
    assert list(again.games()) == list(own.games())


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda data: data[:20] + b"\0" + data[21:], "line 1: "),
        (lambda data: b"", "records are lost"),
    ],
)
def test_a_damaged_record_is_told_by_its_game(recorded, damage, told) -> None:
    folder, record = recorded
    own = StoredRun(folder)
    [game] = own.games()
    assert own.record(game.stored) == record
    path = folder / RECORDS
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(StoreError) as problem:
        own.record(game.stored)
    where = f"{folder}: game {game.result.spec.game_id}: record: "
    assert str(problem.value).startswith(where)
    assert told in str(problem.value)


def test_a_record_of_another_game_is_told(recorded: tuple[Path, Record]) -> None:
    folder, record = recorded
    [game] = StoredRun(folder).games()
    spec = msgspec.structs.replace(game.result.spec, seating=1)
    other = msgspec.structs.replace(
        game.stored, result=msgspec.structs.replace(game.result, spec=spec)
    )
    with pytest.raises(StoreError, match=r"record: line 1: found the game "):
        StoredRun(folder).record(other)
    assert read_record(folder, game.stored.record)
    assert record.header.spec == game.result.spec
