"""Tables of games: they agree with the standings, with each other, and hold no secret."""

from __future__ import annotations

import csv
import json
import resource
import shutil
from collections import defaultdict
from pathlib import Path
from typing import Any

import psutil
import pytest

from arena.extensions.data.export.pack import PackError
from arena.extensions.data.tables import chunks
from arena.extensions.data.tables.card import TablesManifest
from arena.extensions.data.tables.columns import SCHEMA, TABLES, schema
from arena.extensions.data.tables.source import ChosenGames
from arena.extensions.data.tables.stream import TableStream
from arena.extensions.data.tables.write import TableOrder, check_runs, write_tables
from arena.runs.disk import StoreError
from arena.runs.reader import StoredRun
from arena.runs.store import RECORDS
from arena.runs.thinning import Thinned
from arena.values.bad_input import BadInput
from arena.values.results import OVERALL, BreakerPolicy
from arena.views.game.rows import GameFilter
from arena.views.standings.standings import table_of
from tests.views.played import BOT_SEEDS, BOTS, LONG, ONE, SALT, SEED, SIZES, run_of

Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of every size, in which the last deal is not completed."""
    return run_of(tmp_path_factory.mktemp("tables") / "cup", left=1)


def written(
    path: Path, *folders: Path, wanted: GameFilter | None = None, **changes: Any
) -> TablesManifest:
    order = TableOrder(**({"tables": [*TABLES], "form": "jsonl", "path": path} | changes))
    sources = [ChosenGames(StoredRun(each), wanted or GameFilter()) for each in folders]
    check_runs(sources, order)
    return write_tables(sources, order, lambda games: None)


def rows(folder: Path) -> dict[str, Rows]:
    return {
        name: [json.loads(line) for line in (folder / f"{name}.jsonl").read_bytes().splitlines()]
        for name in TABLES
    }


@pytest.fixture(scope="module")
def tables(cup: Path) -> dict[str, Rows]:
    written(cup.parent / "tables", cup)
    return rows(cup.parent / "tables")


@pytest.mark.parametrize(
    "sizes", [(ONE,), *(pytest.param(each, marks=pytest.mark.slow) for each in (SIZES, LONG))]
)
def test_sums_are_those_of_the_standings(tmp_path: Path, sizes: Any) -> None:
    """Of every discipline: games, points or scores, and faults of each bot."""
    folder = run_of(tmp_path / "cup", *sizes)
    written(tmp_path / "data", folder)
    found = rows(tmp_path / "data")
    assert all(game["counted"] for game in found["games"])
    disciplines = {game["game"]: game["discipline"] for game in found["games"]}
    for section in table_of(StoredRun(folder)).sections:
        if section.title == OVERALL:
            continue
        for row in section.standings.rows:
            own = [
                seat
                for seat in found["seats"]
                if seat["bot"] == row.name and disciplines[seat["game"]] == section.title
            ]
            faults = [seat for seat in own if seat["fault"] is not None]
            assert len(faults) == sum(row.faults.values())
            assert len(own) == row.games
            if section.title != "dragonkrak-1":
                assert sum(seat["points"] for seat in own) == pytest.approx(row.points)
                assert sum(seat["place"] == 1 for seat in own) >= row.wins
            elif not faults:
                mean = sum(seat["score"] for seat in own) / len(own)
                assert mean == pytest.approx(row.value)


def test_games_of_withdrawn_bots_are_not_counted(tmp_path: Path) -> None:
    folder = run_of(tmp_path / "cup", ONE, deals=2, breaker=BreakerPolicy(faults=0.1, after=1))
    written(tmp_path / "data", folder, tables=["games", "seats"])
    found = {
        name: [
            json.loads(line) for line in (tmp_path / f"data/{name}.jsonl").read_text().splitlines()
        ]
        for name in ("games", "seats")
    }
    counted = {game["game"] for game in found["games"] if game["counted"]}
    (section,) = table_of(StoredRun(folder)).sections
    assert [each.name for each in section.withdrawn] == ["doris"]
    assert counted == {game["game"] for game in found["games"] if "doris" not in game["game"]}
    for row in section.standings.rows:
        own = [s for s in found["seats"] if s["bot"] == row.name and s["game"] in counted]
        assert (len(own), sum(s["points"] for s in own)) == (row.games, row.points)


def test_incomplete_deals_wait(cup: Path, tables: dict[str, Rows]) -> None:
    run = StoredRun(cup)
    played = [game.result.spec for game in run.games()]
    last = run.schedule.game_at(run.schedule.games - 1)
    held = {spec.game_id for spec in played if spec.block == last.block}
    assert held
    assert {game["game"] for game in tables["games"]} == {s.game_id for s in played} - held
    (manifest,) = json.loads((cup.parent / "tables" / "manifest.json").read_text())["runs"]
    assert manifest["held_back"] == len(held)


def test_tables_agree_with_each_other(tables: dict[str, Rows]) -> None:
    lengths: dict[str, int] = defaultdict(int)
    thought: dict[tuple[str, int], int] = defaultdict(int)
    for ply in tables["plies"]:
        assert ply["ply"] == lengths[ply["game"]]
        lengths[ply["game"]] += 1
        assert (ply["seat"] is None) == (ply["kind"] == "chance") == (ply["legal_count"] is None)
        assert (ply["think_us"] is None) == (ply["kind"] != "decision")
        if ply["kind"] == "decision":
            thought[ply["game"], ply["seat"]] += 1
            assert 0 <= ply["action_index"] < ply["legal_count"]
            assert ply["info"] is not None
    assert lengths == {game["game"]: game["plies"] for game in tables["games"]}
    for seat in tables["seats"]:
        assert seat["decisions"] == thought[seat["game"], seat["seat"]]
    of_seats = [ply for ply in tables["plies"] if ply["seat"] is not None]
    assert {ply["kind"] for ply in of_seats} == {"decision", "autopilot"}
    places = {(seat["game"], seat["seat"]): seat for seat in tables["seats"]}
    for ply, decision in zip(of_seats, tables["decisions"], strict=True):
        own = places[ply["game"], ply["seat"]]
        legal, more = json.loads(decision["legal"]), ("observation", "legal", "place", "score")
        assert ply == {name: decision.get(name) for name in ply}
        assert {*decision} ^ {*ply} == {*more, "event"}
        assert legal[ply["action_index"]] == json.loads(ply["action"])
        assert len(legal) == ply["legal_count"]
        assert json.loads(decision["observation"])["seat"] == ply["seat"]
        assert (decision["place"], decision["score"]) == (own["place"], own["score"])
        remark = json.loads(ply["info"] or "{}")
        if isinstance(remark, dict) and remark.get("eval") != "good":
            assert (ply["eval"], ply["nodes"]) == (remark.get("eval"), remark.get("nodes"))
        else:
            assert ply["eval"] is None


def test_every_row_fits_the_schema_and_the_card(cup: Path, tables: dict[str, Rows]) -> None:
    known = schema()
    assert known["title"] == SCHEMA
    manifest = json.loads((cup.parent / "tables" / "manifest.json").read_text())
    card = (cup.parent / "tables" / "README.md").read_text()
    assert manifest["schema"] == SCHEMA
    kinds = {"string": str, "integer": int, "number": float, "boolean": bool}
    for table in manifest["tables"]:
        found, own = tables[table["table"]], known["$defs"][table["table"]]
        assert table["rows"] == len(found) > 0
        for name, column in own["properties"].items():
            values = {type(row[name]) for row in found} - {type(None)}
            assert values <= {kinds[column["type"][0]]}, name
            assert f"| {name} |" in card
        assert all([*row] == own["required"] for row in found)
        assert [each["name"] for each in table["columns"]] == own["required"]
    assert "carla" not in card
    assert '"bad_numbers": 0' not in (cup.parent / "tables" / "manifest.json").read_text()


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_no_secret_is_in_any_file(tmp_path: Path, cup: Path, form: str) -> None:
    written(tmp_path / "data", cup, form=form)
    text = "".join(path.read_text() for path in (tmp_path / "data").iterdir())
    for secret in (SEED, SALT, "salt", *map(str, BOT_SEEDS), str(cup)):
        assert secret not in text


def test_csv_has_the_same_values(tmp_path: Path, cup: Path, tables: dict[str, Rows]) -> None:
    written(tmp_path / "data", cup, form="csv")
    for name in TABLES:
        with (tmp_path / "data" / f"{name}.csv").open(newline="") as file:
            found = list(csv.DictReader(file))
        shown = [
            {
                key: "" if value is None else str(value).lower() if value in (True, False) and
                isinstance(value, bool) else str(value)
                for key, value in row.items()
            }
            for row in tables[name]
        ]  # fmt: skip
        assert found == shown


@pytest.mark.slow
def test_parquet_has_the_same_values(tmp_path: Path, cup: Path, tables: dict[str, Rows]) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    first, other = cup, run_of(tmp_path / "other", ONE, commitment="d" * 64, bots=BOTS[:2])
    written(tmp_path / "data", first, form="parquet")
    for name, table in TABLES.items():
        found = parquet.read_table(tmp_path / "data" / f"{name}.parquet")
        assert found.schema.metadata[b"schema"].decode() == SCHEMA
        assert found.to_pylist() == tables[name]
        facts = found.schema.field("think_us").metadata if "think_us" in table.names else {}
        assert facts.get(b"unit") in (None, b"microseconds")
    manifest = written(tmp_path / "data", other, form="parquet", append=True)
    assert [run.run for run in manifest.runs] == ["cup", f"cup-{'d' * 8}"]
    for each in manifest.tables:
        found = parquet.read_table(tmp_path / "data" / each.file)
        assert found.num_rows == each.rows > len(tables[each.table])
        assert {*found["run"].to_pylist()} == {run.run for run in manifest.runs}


def test_rows_are_in_the_order_of_the_schedule_and_filters_choose(tmp_path, cup, tables) -> None:
    schedule = StoredRun(cup).schedule
    numbers = [schedule.number(game["game"]) for game in tables["games"]]
    assert numbers == sorted(numbers)
    wanted = GameFilter(bots=("anna",), against=("doris",), discipline="dragonheart-2")
    written(tmp_path / "data", cup, wanted=wanted)
    found = rows(tmp_path / "data")
    assert {each["bot"] for each in found["seats"]} == {"anna", "doris"}
    assert len(found["games"]) == 2


def test_runs_are_joined_and_appended(tmp_path: Path) -> None:
    one, other = (
        run_of(tmp_path / name, ONE, name=name, commitment=name[0] * 64, bots=BOTS[:2])
        for name in ("dawn", "evening")
    )
    written(tmp_path / "both", one, other)
    written(tmp_path / "data", one)
    written(tmp_path / "data", other, append=True)
    assert rows(tmp_path / "both") == rows(tmp_path / "data")
    texts = [(tmp_path / name / "README.md").read_text() for name in ("both", "data")]
    assert texts[0] == texts[1]
    with pytest.raises(BadInput, match=r"has the games of .*evening already"):
        written(tmp_path / "data", other, append=True)
    with pytest.raises(
        BadInput, match=r"found decisions,games.* as jsonl \(all\), expected games as csv"
    ):
        written(tmp_path / "data", other, append=True, form="csv", tables=["games"])
    with pytest.raises(PackError, match="exists already"):
        written(tmp_path / "data", other)
    (tmp_path / "data" / "LICENSE").touch()
    for options in ({"append": True}, {"force": True}):
        with pytest.raises(BadInput, match="found LICENSE, which is no part of the tables"):
            written(tmp_path / "data", run_of(tmp_path / "third", ONE, name="c"), **options)
        shutil.rmtree(tmp_path / "third")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").touch()
    with pytest.raises(PackError, match="found something that is no pack"):
        written(tmp_path / "mine", other, force=True)


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ("parquet", r"plies.parquet: cannot be read: \w+"),
        ("jsonl", r"plies.jsonl: found \d+ rows, expected \d+: damaged"),
        ("csv", r"plies.csv: found \d+ rows, expected \d+: damaged"),
    ],
)
def test_damaged_tables_are_not_appended_to(tmp_path: Path, form: str, told: str) -> None:
    pytest.importorskip("pyarrow")
    one, other = (
        run_of(tmp_path / name, ONE, commitment=name[0] * 64, bots=BOTS[:2]) for name in "ab"
    )
    written(tmp_path / "data", one, form=form)
    path = tmp_path / "data" / f"plies.{form}"
    path.write_bytes(path.read_bytes()[:-20])
    before = {each.name: each.read_bytes() for each in (tmp_path / "data").iterdir()}
    with pytest.raises(BadInput, match=told):
        written(tmp_path / "data", other, form=form, append=True)
    assert before == {each.name: each.read_bytes() for each in (tmp_path / "data").iterdir()}
    assert {each.name for each in tmp_path.iterdir()} == {"a", "b", "data"}
    path.unlink()
    with pytest.raises(BadInput, match=rf"plies.{form}: cannot be read: .*No such file"):
        written(tmp_path / "data", other, form=form, append=True)


def test_a_damaged_record_is_named_and_leaves_nothing(tmp_path: Path) -> None:
    folder = run_of(tmp_path / "cup", ONE, bots=BOTS[:2])
    data = bytearray((folder / RECORDS).read_bytes())
    data[200] ^= 1
    (folder / RECORDS).write_bytes(data)
    with pytest.raises(StoreError, match=r"cup: game dragonheart-2/\S+: record: line \d+: "):
        written(tmp_path / "data", folder)
    assert [path.name for path in tmp_path.iterdir()] == ["cup"]


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize(("form", "workers"), [("parquet", 2), ("jsonl", 3), ("csv", 2)])
def test_processes_write_what_one_does(cup, tmp_path, monkeypatch, form, workers) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow")
    monkeypatch.setattr(chunks, "_FEW", 0)
    monkeypatch.setattr(chunks, "_SIZE", 50)
    written(tmp_path / "alone", cup, form=form)
    monkeypatch.setattr(TableStream, "columns", None)  # not here
    written(tmp_path / "shared", cup, form=form, workers=workers)
    alone, shared = (
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
        for name in ("alone", "shared")
    )
    assert shared == alone


@pytest.mark.slow
@pytest.mark.process
def test_a_process_that_finds_a_damaged_record_names_it(tmp_path, monkeypatch) -> None:
    folder = run_of(tmp_path / "cup", ONE, bots=BOTS[:2], deals=5)
    place = [game.stored for game in StoredRun(folder).games()][5].record
    data = bytearray((folder / RECORDS).read_bytes())
    data[place.offset + place.length // 2] ^= 1
    (folder / RECORDS).write_bytes(data)
    told = []
    others = {*psutil.Process().children()}
    monkeypatch.setattr(chunks, "_FEW", 0)
    monkeypatch.setattr(chunks, "_SIZE", 1)
    for workers in (1, 2):
        with pytest.raises(StoreError) as problem:
            written(tmp_path / "data", folder, workers=workers)
        told.append(str(problem.value))
    assert told[0] == told[1]
    assert [path.name for path in tmp_path.iterdir()] == ["cup"]
    assert {*psutil.Process().children()} <= others


def test_records_that_are_gone_are_counted(tmp_path: Path) -> None:
    folder = run_of(tmp_path / "cup", ONE, bots=BOTS[:2], deals=3)
    run = StoredRun(folder)
    stored = [game.stored for game in run.games()]
    end = stored[2].record.offset + stored[2].record.length
    data = (folder / RECORDS).read_bytes()
    (folder / RECORDS).write_bytes(b"\0" * end + data[end : stored[-1].record.offset + 7])
    thinned = Thinned("2030-01-01T00:00:00+00:00", "2030-01-01", 3, end, "", "c" * 64)
    (folder / "thinned.jsonl").write_bytes(thinned.line)
    manifest = json.loads((folder / "run.json").read_text())
    manifest["identity"]["keep"] = 86_400.0
    (folder / "run.json").write_text(json.dumps(manifest))
    (gone,) = written(tmp_path / "data", folder).runs
    assert (gone.games, gone.thinned, gone.lost) == (len(stored), 3, 1)
    found = rows(tmp_path / "data")
    assert len({ply["game"] for ply in found["plies"]}) == len(stored) - 4
    assert len(found["games"]) == len(stored)
    assert (
        "plies of 3 games, whose records the run keeps no longer"
        in (tmp_path / "data" / "README.md").read_text()
    )


@pytest.mark.parametrize("form", [pytest.param("parquet", marks=pytest.mark.slow), "csv"])
def test_a_full_disk_leaves_nothing(tmp_path: Path, cup: Path, form: str) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow.parquet")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2048, before[1]))
    try:
        with pytest.raises(StoreError, match=r"data: cannot be written: File too large$"):
            written(tmp_path / "data", cup, form=form)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []
