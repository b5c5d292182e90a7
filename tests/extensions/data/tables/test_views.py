"""Tables for a bot or for spectators: what packs show, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arena.extensions.data.export.run import Export
from arena.extensions.data.tables.columns import DECISIONS, TABLES
from arena.extensions.data.tables.source import ChosenGames, TableView
from arena.extensions.data.tables.write import TableOrder, write_tables
from arena.games.luck import Luck, derive_key
from arena.runs.reader import StoredRun
from arena.views.game.rows import GameFilter
from tests.extensions.data.export.test_export import cup, files
from tests.views.game.replays import hidden_elsewhere, record_of, replay_of, rules_of
from tests.views.game.replays import run_of as run_of_records
from tests.views.played import ONE, run_of

ID = "dragonheart-2/greedy+random:0:0"


def written(path: Path, folder: Path, view: TableView) -> dict[str, list[dict[str, Any]]]:
    tables = [name for name in TABLES if not (view.is_public and name == DECISIONS.name)]
    order = TableOrder(tables=tables, form="jsonl", path=path, view=view)
    source = ChosenGames(StoredRun(folder), GameFilter(), view)
    write_tables([source], order, lambda games: None)
    return {
        name: [json.loads(line) for line in (path / f"{name}.jsonl").read_bytes().splitlines()]
        for name in tables
    }


@pytest.mark.parametrize("bot", ["anna", None])
def test_tables_have_what_the_pack_has(tmp_path: Path, bot: str | None) -> None:
    folder = run_of(tmp_path / "cup", ONE)
    found = written(tmp_path / "data", folder, TableView(bot, is_public=bot is None))
    pack = {
        name: [json.loads(line) for line in text.splitlines()]
        for name, text in files(Export(StoredRun(folder), bot)).items()
        if name.startswith("games/")
    }
    assert len(pack) == len(found["games"]) > 0
    for game, lines in zip(found["games"], pack.values(), strict=True):
        plies = [ply for ply in found["plies"] if ply["game"] == game["game"]]
        over = lines[-1]
        seats = [seat for seat in found["seats"] if seat["game"] == game["game"]]
        assert [seat["place"] for seat in seats] == over["places"]
        assert {seat["seat"]: seat["fault"] for seat in seats if seat["fault"]} == {
            fault["seat"]: fault["kind"] for fault in over["faults"]
        }
        events = [json.loads(ply["event"]) for ply in plies if ply["event"]]
        if bot is None:
            assert events == [line["event"] for line in lines if line["line"] == "ply"]
            assert {ply["action"] for ply in plies} == {None}
            assert [seat["think_us"] for seat in seats] == over["think_us"]
        else:
            assert events == [event for line in lines for event in line.get("events", ())]
            acts = [line for line in lines if line["line"] == "act" and "action" in line]
            own = [ply for ply in found["decisions"] if ply["game"] == game["game"]]
            shown = [
                (each["ply"], each["observation"], each["legal"], each["action"], each.get("info"))
                for each in acts
            ]
            assert shown == [
                tuple(
                    json.loads(value) if isinstance(value, str) else value
                    for value in (ply["ply"], *map(ply.get, (*PARTS, "info")))
                )
                for ply in own
            ]
            assert {ply["bot"] for ply in plies} == {"anna", None}
            assert [seat["think_us"] is None for seat in seats] == [
                seat["bot"] != "anna" for seat in seats
            ]


PARTS = ("observation", "legal", "action")


@pytest.mark.parametrize("seat", [0, 1, None])
def test_tables_are_the_same_if_hidden_cards_are_exchanged(tmp_path: Path, seat: Any) -> None:
    rules = rules_of()
    record = record_of(rules, ID, plies=20)
    luck = Luck(derive_key("hide", 20))
    hidden = hidden_elsewhere(replay_of(rules, record), 0 if seat is None else seat, luck)
    bot = None if seat is None else record.header.spec.entrants[seat]
    found = []
    for name, game in (("one", record), ("other", hidden)):
        folder = run_of_records(tmp_path / name, [game], rules.spec, deals=1, opened=True)
        view = TableView(bot, is_public=bot is None)
        found.append(written(tmp_path / f"{name}-data", folder, view))
        whole = written(tmp_path / f"{name}-all", folder, TableView())
        found.append({"plies": [ply["action"] for ply in whole["plies"]]})
    assert found[0] == found[2]
    assert found[1] != found[3]


def test_hidden_names_are_nowhere(tmp_path: Path) -> None:
    folder = cup(tmp_path / "run", names="hidden", opened=True)
    found = written(tmp_path / "data", folder, TableView("greedy"))
    assert {game["game"] for game in found["games"]} == {"1", "2", "3"}
    text = "".join(path.read_text() for path in (tmp_path / "data").iterdir())
    for name in ('"random"', "+random", "random+", "random:"):  # random is also a choice
        assert name not in text.replace('\\"random\\"', "")
    assert '"bot":"greedy"' in text
