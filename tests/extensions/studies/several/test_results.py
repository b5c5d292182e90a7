"""``arena standings`` of results from anywhere, and with ``--full``, as a person would run them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import arena, command, environment

pytestmark = [pytest.mark.slow, pytest.mark.process]

WIN, DRAW, LOSS = [1, 2], [1, 1], [2, 1]


def line(*seats: str, **keys: Any) -> dict[str, Any]:
    return {"seats": list(seats)} | keys


def pair(deal: str, one: str, other: str, first: list[int], second: list[int]) -> list[Any]:
    return [line(one, other, deal=deal, places=first), line(other, one, deal=deal, places=second)]


GAMES = [
    game
    for k in range(12)
    for one, other in (("anna", "berta"), ("anna", "carl"), ("berta", "carl"))
    for game in pair(f"d{k}", one, other, (WIN, DRAW, LOSS)[k % 3], (LOSS, WIN)[k % 2])
]


def file_of(folder: Path, games: list[Any], name: str = "results.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(game) + "\n" for game in games))
    return path


def document(folder: Path, *args: str | Path) -> dict[str, Any]:
    done = arena(folder, "standings", "--full", *args, "--json")
    assert (done.code, done.err) == (0, "")
    return dict(json.loads(done.out))


def test_standard_input_is_a_file(tmp_path: Path) -> None:
    path = file_of(tmp_path, [*GAMES, line("anna", "berta", places=LOSS, faults=[0])])
    args = command("standings", "-", "--full", "--json")
    with path.open("rb") as file:
        done = subprocess.run(args, stdin=file, capture_output=True, env=environment(), check=True)
    found, expected = json.loads(done.stdout), document(tmp_path, path)
    assert found["source"] == "standard input"
    assert found["tables"] == expected["tables"]
    assert expected["tables"][0]["panels"]["forfeits"][0]["without"] is not None


def test_anchor_and_elo(tmp_path: Path) -> None:
    path = file_of(tmp_path, GAMES)
    free = document(tmp_path, path)["tables"][0]
    fixed = document(tmp_path, path, "--anchor", "carl", "--elo", "-50")["tables"][0]
    elo = {row["name"]: row["elo"] for row in fixed["data"]["rows"]}
    assert elo["carl"] == -50
    old = {row["name"]: row["elo"] for row in free["data"]["rows"]}
    assert elo["anna"] - elo["berta"] == pytest.approx(old["anna"] - old["berta"], abs=1e-5)
    for panel in ("crosstable", "differences", "ranks", "cycles", "seats"):
        assert fixed["panels"][panel] == free["panels"][panel]
    assert sum(document(tmp_path, path, "--elo", "0")["tables"][0]["data"]["rows"][k]["elo"]
               for k in range(3)) == pytest.approx(0, abs=1e-4)  # fmt: skip


def test_several_disciplines(tmp_path: Path) -> None:
    games = [
        *GAMES,
        *(line("anna", "berta", "carl", deal=f"t{k}", places=[1, 2, 3]) for k in range(3)),
        *(line(n, deal=f"s{k}", scores=[k + len(n)]) for k in range(5) for n in ("anna", "dora")),
    ]
    tables = document(tmp_path, file_of(tmp_path, games), "--anchor", "carl")["tables"]
    assert [(table["title"], table["kind"]) for table in tables] == [
        ("game-1", "solo"), ("game-2", "ratings"), ("game-3", "ratings"), ("overall", "ratings"),
    ]  # fmt: skip
    assert "carl, the anchor, has no games here" in tables[0]["notices"][0]
    assert {row["name"] for row in tables[3]["data"]["rows"]} == {"anna", "berta", "carl", "dora"}
    assert len(tables[0]["panels"]["pairs"]) == 2


def test_forfeited_blocks_are_left_out_as_a_whole(tmp_path: Path) -> None:
    bad = [
        game
        for k in range(20)
        for game in (
            line("anna", "berta", deal=f"f{k}", places=LOSS, faults=[0], info={"round": [k]}),
            line("berta", "anna", deal=f"f{k}", places=LOSS),
        )
    ]
    found = document(tmp_path, file_of(tmp_path, [*GAMES, *bad]))["tables"][0]
    clean = document(tmp_path, file_of(tmp_path, GAMES))["tables"][0]
    elo = {row["name"]: row["elo"] for row in clean["data"]["rows"]}
    row = next(row for row in found["panels"]["forfeits"] if row["name"] == "anna")
    assert (row["forfeits"], row["without"]) == (20, elo["anna"])


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["none.jsonl"], "none.jsonl: found no such file or directory"),
        (["results.jsonl", "--elo", "1e9"], "--elo: found 1000000000.0"),
        (["torn.jsonl"], "torn.jsonl:1: "),
        (["runs", "--anchor", "anna"], "found no run.json, expected the folder of a run"),
    ],
)
def test_bad_input_gets_one_message(tmp_path: Path, args: list[str], told: str) -> None:
    file_of(tmp_path, GAMES)
    (tmp_path / "torn.jsonl").write_text('{"seats": ["a", "b"], "pla')
    done = arena(tmp_path, "standings", "--full", *args)
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert len(done.err.splitlines()) == 1
    assert json.loads(arena(tmp_path, "standings", "--full", *args, "--json").out)["code"] == 2
