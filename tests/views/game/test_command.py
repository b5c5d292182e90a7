"""``arena replay``: which game, which plies, which form."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from arena.cli.commands.replay import ReplayOptions, replay_game
from arena.referee.records.format import pack
from arena.runs.disk import StoreError
from arena.runs.reader import StoredRun
from arena.runs.store import RECORDS, RecordLocation, Stored
from arena.values.bad_input import BadInput
from arena.values.problems import quote
from arena.views.game.find import find, ply_range
from tests.cli.shell import arena
from tests.views.game.replays import STORED, record_of, rules_of
from tests.views.game.terminals import ENTER, terminal

pytestmark = pytest.mark.process

RULES = rules_of(edition="ffg")


@pytest.fixture
def run(made, tmp_path) -> Path:
    """A run folder of its own, to be damaged."""
    folder = tmp_path / "cup"
    (folder / "records").mkdir(parents=True)
    for file in ("run.json", "games.jsonl", RECORDS):
        (folder / file).write_bytes((made / file).read_bytes())
    return folder


def show(folder: Path, game: str, **options: object) -> None:
    replay_game(ReplayOptions(folder=folder, game=game, **options))


def problem(folder: Path, game: str, **options: object) -> str:
    with pytest.raises((BadInput, StoreError)) as caught:
        show(folder, game, **options)
    return str(caught.value).replace(str(folder), "RUN")


def test_ids_and_numbers_in_the_order_of_the_schedule(made):
    in_order = sorted(STORED)
    for number, game_id in enumerate(in_order, 1):
        for game in (str(number), game_id):
            found = find(StoredRun(made), game)
            told = (found.stored.result.spec.game_id, found.number, found.games)
            assert told == (game_id, number, 3)


@pytest.mark.parametrize(
    ("game", "text"),
    [
        ("0", 'GAME: found "0", expected 1 to 3'),
        ("5", 'GAME: found "5", expected 1 to 3'),
        ("4", 'GAME: found "4", a number that no game has yet: 3 of 4 games are stored'),
        ("dragonheart-2/greedy+random:1:0",
         'GAME: found "dragonheart-2/greedy+random:1:0", which is planned but not played '
         "yet: 3 of 4 games are stored"),
        ("dragonheart-2/greddy+random:0:1",
         'GAME: found "dragonheart-2/greddy+random:0:1", expected a number from 1 to 3 or '
         "the id of a game (did you mean dragonheart-2/greedy+random:0:1?)"),
        ("?\x1b", 'GAME: found "?\\x1b", expected a number from 1 to 3 or the '
         "id of a game (such as dragonheart-2/greedy+random:0:0)"),
    ],
)  # fmt: skip
def test_a_game_that_is_not_there(made, game, text):
    lists = f"; arena games {made} lists them".replace(str(made), "RUN")
    assert problem(made, game) == text + lists


@pytest.mark.parametrize("game", ["9" * 5000, "dragonheart-2/a+b:" + "9" * 5000, "²", "-1"])
def test_no_number_at_all(made, game):
    assert "expected a number from 1 to 3 or the id of a game" in problem(made, game)


def test_in_a_large_run_the_form_of_ids_is_explained(made, monkeypatch):
    monkeypatch.setattr("arena.views.game.find._COMPARED_IDS", 2)
    assert problem(made, "greddy").endswith(
        "the id of a game, such as dragonheart-2/greedy+random:0:0; arena games RUN lists them"
    )


def test_a_run_without_games_and_no_run(run, tmp_path):
    (run / "games.jsonl").unlink()
    assert problem(run, "1") == 'GAME: found "1", but no game of RUN is stored yet'
    assert "found no run.json" in problem(tmp_path, "1")


def test_a_damaged_record_names_game_and_line(run):
    record = record_of(RULES, STORED[0], plies=30)
    text = record._replace(end=msgspec.structs.replace(record.end, places=(1, 1)))
    packed, _ = pack(text)
    stored = msgspec.json.decode((run / "games.jsonl").read_bytes().splitlines()[0], type=Stored)
    location = RecordLocation(RECORDS, 0, len(packed))
    line = msgspec.json.encode(msgspec.structs.replace(stored, record=location))
    (run / RECORDS).write_bytes(packed)
    (run / "games.jsonl").write_bytes(line + b"\n")
    found = problem(run, STORED[0])
    assert found.startswith(
        "RUN: game dragonheart-2/greedy+random:1:1: record: line 32: found forfeited"
    )


@pytest.mark.parametrize("change", [b"", b"x" * 10_000])
def test_a_record_that_is_no_record(run, change):
    (run / RECORDS).write_bytes(change)
    assert problem(run, "1").startswith("RUN: game dragonheart-2/greedy+random:0:0: record: ")


def test_the_record_of_another_game(run):
    lines = [msgspec.json.decode(x, type=Stored)
             for x in (run / "games.jsonl").read_bytes().splitlines()]  # fmt: skip
    swapped = msgspec.structs.replace(lines[0], record=lines[1].record)
    (run / "games.jsonl").write_bytes(msgspec.json.encode(swapped) + b"\n")
    assert problem(run, "1") == (
        "RUN: game dragonheart-2/greedy+random:1:1: record: line 1: "
        "found the game dragonheart-2/greedy+random:0:1"
    )


@pytest.mark.parametrize(
    ("text", "plies"),
    [
        (None, range(30)), ("5", range(5, 6)), ("5-7", range(5, 8)), ("0-0", range(1)),
        ("28-", range(28, 30)), ("-2", range(3)), ("20-900", range(20, 30)),
    ],
)  # fmt: skip
def test_ply_ranges(text, plies):
    assert ply_range(text, 30) == plies


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("7-5", '--plies: found "7-5", which is backwards: expected 5-7'),
        ("99-31", '--plies: found "99-31", which is backwards: expected 31-99'),
        ("30", '--plies: found "30", but the game has plies 0-29'),
        *((bad, f'--plies: found {quote(bad)}, expected 5, 5-20, 5- or -20')
          for bad in ("", "-", "a", "1-b", "1-2-3", "1,2", " 1", "٣", "9" * 5000)),
    ],
)  # fmt: skip
def test_bad_ply_ranges(text, message):
    with pytest.raises(BadInput) as caught:
        ply_range(text, 30)
    assert str(caught.value) == message


def test_a_game_without_plies_has_no_ranges():
    assert ply_range(None, 0) == range(0)
    with pytest.raises(BadInput, match="no plies"):
        ply_range("-5", 0)


def test_the_machine_that_played_it(run, capsys):
    lines = (run / "games.jsonl").read_bytes().splitlines()
    stored = msgspec.json.decode(lines[0], type=Stored)
    lines[0] = msgspec.json.encode(msgspec.structs.replace(stored, machine="far"))
    (run / "games.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    for game, told in ((STORED[0], True), (STORED[1], False)):
        replay_game(ReplayOptions(folder=run, game=game, plies="0-1"))
        assert ("\nmachine: far\n" in capsys.readouterr().out) is told


def test_json(made, capsys):
    show(made, "3", as_json=True, plies="3-5")
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["run"]) == ("arena.replay/1", "cup")
    assert document["warnings"] == ["played with provisional card data (hobby_2016)"]
    data = document["data"]
    assert (data["header"]["number"], data["header"]["spec"]["game_id"]) == (3, STORED[0])
    assert [ply["ply"] for ply in data["plies"]] == [3, 4, 5]
    assert data["end"]["termination"] == "forfeited"


def test_seats_that_are_not_there_and_exit_codes(made):
    for seat in (-1, 2):
        assert problem(made, "1", seat=seat) == f"--seat: found {seat}, expected 0 or 1"
    assert arena(made.parent, "replay", "cup", "3", "--plies", "-5").code == 0
    bad = arena(made.parent, "replay", "cup", "17")
    told = 'error: GAME: found "17", expected 1 to 3; arena games cup lists them\n'
    assert (bad.code, bad.out, bad.err) == (2, "", told)


def test_no_keys_without_a_capable_terminal(made):
    with terminal("replay", made, "1", "--plies", "3") as shown:
        assert ENTER not in shown.until(b"thinking time")
        assert shown.process.wait(60) == 0
