"""A game that is installed beside arena is played and shown as arena's own, by every command."""

from __future__ import annotations

import json
import os
import subprocess
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.shell import Result, arena, bot, command, complete, environment
from tests.games.games import OWN
from tests.kuhn.install import announce, install

pytestmark = [pytest.mark.slow, pytest.mark.process]

CUP = """
arena: 1
game: {rules: kuhn, options: {bet: two}}
seed: 1
schedule: {deals: 20}
execution: {workers: 2}
output: {folder: run}
entrants:
  - bot: anna
  - bot: berta
"""


class Home(NamedTuple):
    """Where a tournament was played, and with what installed."""

    folder: Path
    installed: Path

    def arena(self, *args: str | Path, beside: Path | None = None, **env: str) -> Result:
        """With this installed in place of Kuhn poker."""
        path = str(beside or self.installed)
        return arena(self.folder, *args, env=environment(PYTHONPATH=search_path(path), **env))


def search_path(*first: str) -> str:
    return os.pathsep.join([*first, *filter(None, [os.environ.get("PYTHONPATH")])])


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    folder = tmp_path_factory.mktemp("home")
    home = Home(folder, install(tmp_path_factory.mktemp("installed")))
    bot(folder, "anna")
    bot(folder, "berta")
    (folder / "cup.yaml").write_text(CUP)
    done = home.arena("run", "cup.yaml", "-q")
    assert done.code == 0, done.err
    return home


def test_workers_play_it_and_the_run_tells_whose_rules_they_are(home: Home) -> None:
    lines = (home.folder / "run" / "games.jsonl").read_text().splitlines()
    assert len(lines) == 40
    assert {json.loads(line)["result"]["termination"] for line in lines} == {"completed"}
    [discipline] = json.loads((home.folder / "run" / "run.json").read_text())["identity"][
        "disciplines"
    ]
    rules = discipline["rules"]
    assert (rules["package"], rules["version"]) == ("kuhn-poker", "1.0.0")
    assert rules["data"]["cards"] == ["jack", "queen", "king"]


def test_it_is_verified(home: Home) -> None:
    done = home.arena("verify", "run")
    assert (done.code, done.out) == (0, "40 of 40 games verified: all as it should be\n")
    assert done.err == ""


def test_another_version_is_a_remark(home: Home, tmp_path: Path) -> None:
    done = home.arena("verify", "run", beside=install(tmp_path, "1.1.0"))
    assert done.code == 0
    told = "kuhn: played with kuhn-poker 1.0.0, installed is kuhn-poker 1.1.0"
    assert done.err.splitlines() == [told]
    document = home.arena("verify", "run", "--json", beside=tmp_path).out
    assert json.loads(document)["warnings"] == [told]


@pytest.mark.parametrize("words", ["verify run", "replay run 1", "export run --public"])
def test_a_run_whose_package_is_gone_is_refused(home: Home, tmp_path: Path, words: str) -> None:
    done = home.arena(*words.split(), beside=tmp_path)
    assert done.code == 2
    [line] = done.err.splitlines()
    assert line.endswith("got 'kuhn'; it was played with kuhn-poker 1.0.0: install that")


def test_a_table_needs_no_package(home: Home, tmp_path: Path) -> None:
    done = home.arena("standings", "run", beside=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert done.out == home.arena("standings", "run").out
    shown = home.arena("report", "run", beside=tmp_path)
    assert shown.code == 0
    assert "40 games, 0 of them to step through" in shown.out
    assert "it was played with kuhn-poker 1.0.0: install that" in shown.err


@pytest.mark.extensions("browser")
def test_it_is_replayed(home: Home) -> None:
    text = home.arena("replay", "run", "1")
    assert text.code == 0, text.err
    assert "Kuhn poker; bet two" in text.out
    done = home.arena("replay", "run", "1", "--html", "-o", "game.html")
    assert done.code == 0, done.err
    page = (home.folder / "game.html").read_text()
    assert "arena.boards.generic" in page
    assert "arena.facts[" not in page


def test_it_has_tables_and_a_report(home: Home) -> None:
    table = home.arena("standings", "run")
    assert table.code == 0
    assert "anna" in table.out
    report = home.arena("report", "run", "-o", "report.html", "-q")
    assert report.code == 0, report.err
    assert "arena.boards.generic" in (home.folder / "report.html").read_text()


def test_its_page_and_its_schema_are_printed(home: Home) -> None:
    listed = home.arena("rules").out.splitlines()
    assert {line.split()[0] for line in listed} >= {*OWN, "kuhn"}
    assert "kuhn           Kuhn poker, seats: 2" in listed
    assert home.arena("rules", "kuhn").out.startswith("# Kuhn poker\n\nTwo seats, three cards")
    assert home.arena("rules", "kuhn", "--ruling", "kp-1").out.startswith("KP-01  Is a card shown")
    schema = json.loads(home.arena("schema", "kuhn").out)
    assert {"Observation", "Event", "Deal", "Bet", "Fold"} <= schema["$defs"].keys()


@pytest.mark.parametrize(
    ("words", "found"), [("arena rules ku", "kuhn"), ("arena compare a b -g kuhn :", "2")]
)
def test_a_shell_completes_it(home: Home, words: str, found: str) -> None:
    path = search_path(str(home.installed))
    assert complete(home.folder, words, PYTHONPATH=path) == [found]


def test_bots_are_compared_at_it(home: Home) -> None:
    done = home.arena("compare", "anna", "berta", "-g", "kuhn", "--max-games", "20", "-q")
    assert done.code == 3, done.err
    assert done.out.startswith("INCONCLUSIVE")


def test_models_of_it_are_tested(home: Home) -> None:
    lines = home.arena("vectors", "kuhn", "--count", "30").out.splitlines()
    assert len(lines) == 30
    assert {*json.loads(lines[0])["next"]} == {"cards", "deeds"}
    found = home.arena("vectors", "kuhn", "--layer", "counts", "--depth", "4").out
    counted = json.loads(found.splitlines()[0])
    assert counted["counts"] == [2, 4, 2, 0]


def test_a_person_plays_it(home: Home) -> None:
    done = subprocess.run(
        command("play", "kuhn", "--against", "anna", "-o", "table"),
        cwd=home.folder,
        env=environment(PYTHONPATH=search_path(str(home.installed))),
        input="1\n" * 10,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Kuhn poker, game 1" in done.stdout


def test_it_is_exported(home: Home) -> None:
    done = home.arena("export", "run", "--public", "-o", "pack.zip")
    assert done.code == 0, done.err
    with zipfile.ZipFile(home.folder / "pack.zip") as pack:
        [file] = [name for name in pack.namelist() if "/rules/" in name]
        assert json.loads(pack.read(file))["package"] == "kuhn-poker"


def test_two_packages_that_claim_a_name_are_named(home: Home, tmp_path: Path) -> None:
    announce(install(tmp_path), "other-poker", "2.0", {"kuhn": "other:GAME"})
    for words in (["rules", "kuhn"], ["run", "-g", "kuhn", "anna", "berta", "-n", "1"]):
        done = home.arena(*words, beside=tmp_path)
        assert done.code == 2
        told = "several packages have a game kuhn: kuhn-poker 1.0.0 and other-poker 2.0; uninstall"
        assert told in done.err.splitlines()[0]


@pytest.mark.soak
def test_a_broken_package_stops_nobody_else(home: Home, tmp_path: Path) -> None:
    announce(tmp_path, "broken-poker", "0.1", {"kuhn": "no_such_module:GAME"})
    done = home.arena("run", "cup.yaml", "-o", "other", beside=tmp_path)
    assert done.code == 2
    told = "cup.yaml:3:15: game.rules: kuhn of broken-poker 0.1 cannot be loaded: ModuleNotFound"
    assert done.err.startswith(told)
    listed = home.arena("rules", beside=tmp_path)
    assert (listed.code, {*OWN} - {line.split()[0] for line in listed.out.splitlines()}) == (
        0,
        set(),
    )
    assert "kuhn" not in listed.out
    assert "broken-poker 0.1" in listed.err
    path = search_path(str(tmp_path))
    assert len(complete(home.folder, "arena compare a b -g dragonkrak :", PYTHONPATH=path)) == 4
    played = ["run", "-g", "dragonkrak", "anna", "berta", "-n", "1", "-o", "krak", "-q"]
    assert home.arena(*played, beside=tmp_path).code == 0
    for words in (["try", "anna"], ["check", "anna", "--case", "a game"]):
        tried = home.arena(*words, beside=tmp_path)
        assert tried.code == 0, tried.err
        warned = tried.err.count("warning: kuhn of broken-poker 0.1 cannot be loaded: ModuleNot")
        assert warned == (words[0] == "check")
        asked = home.arena(*words, "-g", "kuhn", beside=tmp_path)
        assert (asked.code, asked.err.count("kuhn of broken-poker")) == (2, 1), asked.err
