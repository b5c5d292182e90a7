"""``arena run`` of stages: Swiss rounds, then a knockout; played, killed, changed, verified."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import BOT, arena, bot
from tests.extensions.rounds.test_command import NAMES, cup, games, stop_after, tables, verified

pytestmark = [pytest.mark.slow, pytest.mark.process]

STAGES = (
    "{deals: 1, stages: [{kind: swiss, rounds: 2}, {kind: knockout, first: 4, third_place: true}]}"
)


def lines(folder: Path) -> list[Any]:
    """The rounds of entries.jsonl without when they were written and what hangs on it."""
    found = []
    for text in (folder / "runs/cup/entries.jsonl").read_text().splitlines():
        line = json.loads(text)
        if "follows" in line:
            found.append({key: line[key] for key in ("number", "pairings", "follows")})
    return found


def one_number(folder: Path, said: str) -> None:
    """A round is called by one number by all who speak of it: that in the ids of its games."""
    told = [each for each in lines(folder) if each["pairings"]]
    ids = {each[0].split("/")[1] for each in games(folder)}
    assert ids == {f"round{each['follows']['over'] + 1}" for each in told}
    last = len(told)
    began = [line for line in said.splitlines() if line.startswith("round ")]
    assert [line.split()[1].strip(",") for line in began] == [*map(str, range(1, last + 1))]
    assert began[0].startswith("round 1 of 2: ")
    assert any(f", {name}" in began[2] for name in ("semi-final: ", "quarter-final: "))
    assert f"stage 2 of 2, round {last}  " in said
    watched = json.loads(arena(folder, "watch", "runs/cup", "--json").out)["data"]["round"]
    assert watched == {"number": last, "of": None, "stage": 2, "stages": 2}
    assert arena(folder, "site", "runs/cup", "site").code == 0
    pages = {path.stem for path in (folder / "site/rounds").glob("*.html")} - {"index"}
    assert pages == {*map(str, range(1, last + 1))}
    assert f"Round {last}: " in (folder / f"site/rounds/{last}.html").read_text()


def test_stages_are_played_killed_and_proved(tmp_path: Path) -> None:
    path = cup(tmp_path, NAMES, STAGES)
    done = arena(tmp_path, "run", path)
    assert done.code == 0, done.err
    for text in ("stage 1 of 2: swiss", "stage 2 of 2: knockout", "semi-final: ", "final: "):
        assert text in done.err
    one_number(tmp_path, done.err)
    told, played, shown = lines(tmp_path), games(tmp_path), done.out
    assert [each["follows"]["stage"] for each in told][:3] == [0, 0, 1]
    decided = [own for each in told for own in each["follows"].get("decided", ())]
    (winner,) = (each["order"][0] for each in decided if each["tie"] == "final")
    assert f"{winner} wins" in done.err
    assert f"{winner} wins the knockout: final " in done.out
    assert "─┐" in done.out
    verified(tmp_path)
    (table,) = tables(tmp_path)
    assert table["panels"]["knockout"]["winner"] == winner
    assert [each["place"] for each in table["panels"]["knockout"]["places"]] == [1, 2, 3, 4]
    assert table["panels"]["rounds"]["over"] == 2
    done = arena(tmp_path, "standings", "runs/cup", "--format", "md")
    assert "```text\nsemi-final" in done.out
    for kept in ((0, 0), (5, 2), (9, 3), (12, 3)):
        stop_after(tmp_path, *kept)
        again = arena(tmp_path, "run", path)
        assert again.code == 0, again.err
        assert (lines(tmp_path), games(tmp_path)) == (told, played)
        assert again.out == shown
    verified(tmp_path)


def test_another_decision_than_that_of_the_games_is_found(tmp_path: Path) -> None:
    path = cup(tmp_path, NAMES[:2], "{kind: knockout, deals: 1, most: 1}")
    assert arena(tmp_path, "run", path).code == 0
    entries = tmp_path / "runs/cup/entries.jsonl"
    first, last = entries.read_text().splitlines()
    line = json.loads(last)
    line["follows"]["decided"][0]["order"].reverse()
    entries.write_text(f"{first}\n{json.dumps(line, separators=(',', ':'))}\n")
    done = arena(tmp_path, "verify", "runs/cup")
    assert done.code == 1
    assert "entries.jsonl line 2" in done.out + done.err


def test_who_leaves_loses_and_a_new_version_goes_on(tmp_path: Path) -> None:
    own, one = "{kind: knockout, deals: 1, most: 1}", "seed: 1\nexecution: {workers: 1}\n"
    path = cup(tmp_path, NAMES[:4], own, one)
    assert arena(tmp_path, "run", path).code == 0
    stop_after(tmp_path, 3, 1)  # one game of berta v carla is missing
    (tmp_path / "runs/cup/standings.json").unlink()
    done = arena(tmp_path, "standings", "runs/cup")
    assert "3 ties of the knockout to be decided" in done.out
    path = cup(tmp_path, (*NAMES[:4], "emil"), own, one)
    done = arena(tmp_path, "run", path)
    assert done.code == 2
    assert "emil comes late, and who plays in a knockout" in done.err
    for name in ("anna", "dora"):
        (tmp_path / name / "main.py").write_text(BOT + "# better\n")
    path = cup(tmp_path, ("anna", "carla", "dora"), own, one)
    done = arena(tmp_path, "run", path)
    assert done.code == 0, done.err
    assert "berta plays no more" in done.err
    assert "semi-final 2: carla beats berta by forfeit" in done.err
    (final,) = lines(tmp_path)[-2]["pairings"].values()
    assert final[0][1] == "carla"
    assert final[0][0] in ("anna@2", "dora@2")
    assert f"semi-final 1: {final[0][0]} beats " in done.err
    assert f"\n{final[0][0]} wins\n" in done.err or "\ncarla wins\n" in done.err
    shown = arena(tmp_path, "standings", "runs/cup", "--format", "md").out
    fence, _, table = shown.partition("```text")[2].partition("```")
    assert ("@<!-- -->2" in table, "<!--" in fence) == (True, False)
    verified(tmp_path)


def test_a_bot_that_fails_is_out(tmp_path: Path) -> None:
    bot(tmp_path, "dora", "raise SystemExit\n")
    own, more = "{kind: knockout, deals: 2, most: 2, lives: 2}", "seed: 1\nbreaker: {starts: 2}\n"
    path = cup(tmp_path, NAMES[:4], own, more)
    done = arena(tmp_path, "run", path)
    assert done.code == 0, done.err
    assert "winners 1.1: anna beats dora by forfeit" in done.err
    assert all("dora" not in str(each["pairings"]) for each in lines(tmp_path)[1:])
    verified(tmp_path)


def test_a_level_double_knockout_goes_to_sudden_death_killed_and_proved(tmp_path: Path) -> None:
    """Two bots that always choose the first action are level on every deal."""
    for name in NAMES[:2]:
        bot(tmp_path, name, BOT.replace('rng.randrange(len(message["legal"]))', "0"))
    own = "{kind: knockout, lives: 2, deals: 2, most: 2, sudden_death: 2}"
    path = cup(tmp_path, NAMES[:2], own)
    done = arena(tmp_path, "run", path)
    assert done.code == 0, done.err
    said = [line for line in done.err.splitlines() if " v " in line or " beats " in line]
    assert said == [
        "round 1, winners 1: anna v berta",
        "round 2, winners 1 continues in sudden death: anna v berta",
        "round 3, winners 1 continues in sudden death: anna v berta",
        "winners 1.1: anna beats berta as the better seed",
        "round 4, final: anna v berta",
        "round 5, final continues in sudden death: anna v berta",
        "round 6, final continues in sudden death: anna v berta",
        "final: anna beats berta as the unbeaten bot",
    ]
    assert "unbeaten: points were equal" in done.out
    told, played, shown = lines(tmp_path), games(tmp_path), done.out
    assert [len(each["follows"].get("decided", ())) for each in told] == [0, 0, 0, 1, 0, 0, 1]
    verified(tmp_path)
    stop_after(tmp_path, 5, 2)
    again = arena(tmp_path, "run", path, "-j", "2")
    assert again.code == 0, again.err
    assert (lines(tmp_path), games(tmp_path), again.out) == (told, played, shown)
    verified(tmp_path)
