"""Games without chance between bots that repeat their moves count as one game."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.shell import Result, arena, bot, environment
from tests.kuhn.install import announce
from tests.kuhn.test_outside import search_path

pytestmark = [pytest.mark.slow, pytest.mark.process]

PLAYER: Final = """
import json, random, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "protocol": 1}), flush=True)
    elif message["type"] == "start":
        random.seed(message["seed"])
    elif message["type"] == "act":
        number = len(message["legal"])
        left = message["observation"]["left"]
        action = ACTION
        print(json.dumps({"type": "action", "id": message["id"], "action": action}), flush=True)
"""
PERFECT: Final = PLAYER.replace("ACTION", "max(0, left % 4 - 1)")
TIMID: Final = PLAYER.replace("ACTION", "0")
RANDOM: Final = PLAYER.replace("ACTION", "random.randrange(number)")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    shutil.copy(Path(__file__).with_name("nim_game.py"), folder)
    announce(folder, "nim-game", "1.0", {"nim": "nim_game:GAME"})
    return folder


class Home:
    """A folder with bots, in which commands know Nim."""

    def __init__(self, folder: Path, installed: Path) -> None:
        self.folder = folder
        self._env = environment(PYTHONPATH=search_path(str(installed)))
        for name, source in (("perfect", PERFECT), ("timid", TIMID), ("random", RANDOM)):
            bot(folder, name, source)

    def arena(self, *args: str | Path) -> Result:
        return arena(self.folder, *args, env=self._env)

    def compare(self, *args: str) -> tuple[int, dict[str, Any]]:
        done = self.arena("compare", *args, "-g", "nim", "--json", "-q", "-o", "run")
        assert done.out, done.err
        return done.code, json.loads(done.out)

    def edit(self, **result: str) -> None:
        """Write values into the result of every stored game; an empty one removes the key."""
        path = self.folder / "run" / "games.jsonl"
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        for line in lines:
            line["result"] |= result
            line["result"] = {key: value for key, value in line["result"].items() if value != ""}
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.fixture
def home(tmp_path: Path, installed: Path) -> Home:
    return Home(tmp_path, installed)


@pytest.mark.soak
def test_one_game_however_often_it_is_played_decides_nothing(home: Home) -> None:
    forms = ("--junit", "out.xml", "--markdown", "out.md")
    code, found = home.compare("perfect", "timid", *forms)
    assert (code, found["verdict"]) == (4, "invalid")
    assert found["reason"] == (
        "2 of 102 games are distinct: the game has no chance and the bots repeat their moves, so "
        "51 blocks say as much as 1; a verdict takes 3 distinct blocks at least, which "
        "start positions give (--positions)"
    )
    assert found["estimate"] is None
    [game] = found["games"]
    assert game["distinct"] == {"games": 2, "blocks": 1, "effective": 1.0, "since_new": 50}
    assert (game["mean"]["value"], game["elo"]["value"]) == (1.0, None)
    page = home.arena("compare", "perfect", "timid", "-g", "nim", "-o", "run").out
    words = "2 of 102 games, 1 of 51 blocks; errors and tests count 1.0 blocks"
    assert "\n  unique  2 of 102 games, 1 of 51 blocks; " in page
    for text in (page, (home.folder / "out.xml").read_text(), (home.folder / "out.md").read_text()):
        assert words in " ".join(text.split())
    assert 'name="nim-2.distinct.games" value="2"' in (home.folder / "out.xml").read_text()


@pytest.mark.soak
def test_the_answer_is_that_of_one_worker_and_is_verified(home: Home) -> None:
    found = []
    for workers in ("3", "1"):
        shutil.rmtree(home.folder / "run", ignore_errors=True)  # else it answers from there
        _, report = home.compare("perfect", "timid", "-j", workers, "--seed", "1")
        found.append({key: report[key] for key in ("verdict", "reason", "llr", "blocks", "games")})
    assert found[0] == found[1]
    done = home.arena("verify", "run")
    assert (done.code, done.err) == (0, "")
    home.edit(moves_digest="0" * 32)
    done = home.arena("verify", "run")
    assert done.code == 1
    assert f"moves_digest is {'0' * 32} in games.jsonl line 1, " in done.out
    home.edit(moves_digest="")
    done = home.arena("verify", "run")
    assert done.code == 1
    assert "match.json: verdict is invalid, the stored games give pass" in done.out
    assert "games.jsonl: games without chance and without moves_digest: " in done.err


def test_bots_that_draw_their_moves_are_judged_by_their_different_blocks(home: Home) -> None:
    code, found = home.compare("perfect", "random")
    assert (code, found["verdict"]) == (0, "pass")
    [game] = found["games"]
    assert 20 <= game["distinct"]["effective"] <= game["distinct"]["blocks"] < game["blocks"]


@pytest.mark.extensions("studies")
def test_several_candidates_are_no_exception(home: Home) -> None:
    code, found = home.compare("perfect", "--baseline", "timid")
    assert (code, found["verdict"]) == (4, "invalid")
    assert found["games_counted"] == 102
    page = home.arena("compare", "perfect", "--baseline", "timid", "-g", "nim", "-o", "run").out
    words = "2 of 102 games, 1 of 51 blocks; errors and tests count 1.0 blocks"
    assert f"\nperfect: distinct: {words}\n" in page


@pytest.mark.soak
@pytest.mark.extensions("studies")
def test_the_best_is_not_chosen_by_one_game(home: Home) -> None:
    code, found = home.compare("perfect", "timid", "--best")
    assert (code, found["verdict"]) == (4, "invalid")
    assert found["reason"] == (
        "102 games were not enough to tell: 2 of them are distinct: two bots have 1 distinct "
        "blocks, and a verdict takes 3"
    )
    assert [game["distinct"] for game in found["games"]] == [2]
    page = home.arena("compare", "perfect", "timid", "--best", "-g", "nim", "-o", "run").out
    assert ": 2 games distinct, each counts once in errors\n" in page


def test_a_table_states_how_many_games_are_distinct(home: Home) -> None:
    done = home.arena("run", "-g", "nim", "perfect", "timid", "-n", "5", "-o", "run", "-q")
    assert done.code == 0, done.err
    words = "\n2 of 10 games are distinct: the game has no chance and bots repeat their moves, "
    assert words in done.out
    assert words in home.arena("standings", "run").out
    assert home.arena("verify", "run").out == "10 of 10 games verified: all as it should be\n"
