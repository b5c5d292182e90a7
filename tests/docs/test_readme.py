"""Every command of the README works, in its order, and so does what docs show."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from arena.entrants.manifest import IsolationFile
from arena.hosting.sandbox.isolation import Isolation
from tests.cli.shell import arena, bot

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
FILES = (ROOT / "docs" / "tournament-files.md").read_text()

ELSEWHERE = {("demo",), ("check", "mine")}
pytestmark = [pytest.mark.slow, pytest.mark.process]


def commands(page: str) -> list[list[str]]:
    """The words behind ``$ arena`` in console blocks, comments left out."""
    blocks = re.findall(r"```console\n(.*?)```", page, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("$ arena ")]
    return [shlex.split(line.removeprefix("$ arena "), comments=True) for line in lines]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder that looks like a clone to someone who runs commands in it."""
    for name in ("bots", "tournaments"):
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


def test_first_command_plays_the_table_that_is_shown(clone: Path) -> None:
    assert "arena run tournaments/quickstart.yaml" in README
    done = arena(clone, "run", "tournaments/quickstart.yaml")
    assert done.code == 0
    assert done.out in README


@pytest.mark.timeout(300)
def test_every_command_of_the_readme(clone: Path) -> None:
    """Each once, and with fewer deals than a reader has, which a report shows one by one.

    Those of ELSEWHERE are run by ``test_steps.py``, which compares what they print.
    """
    (clone / "tournaments").unlink()
    shutil.copytree(ROOT / "tournaments", clone / "tournaments")
    quickstart = clone / "tournaments/quickstart.yaml"
    text, replaced = re.subn(r"deals: \d+", "deals: 3", quickstart.read_text())
    assert replaced == 1
    quickstart.write_text(text)
    cup = clone / "tournaments/cup.yaml"
    cup.write_text(cup.read_text().replace("playouts: 100", "playouts: 4"))
    assert arena(clone, "run", "tournaments/quickstart.yaml", "-q").code == 0
    shown = [*commands(README), *commands((ROOT / "docs" / "README.md").read_text())]
    assert len(shown) > 20
    assert {*map(tuple, shown)} > ELSEWHERE
    for args in {args: None for args in map(tuple, shown) if args not in ELSEWHERE}:
        done = arena(clone, *args)
        assert done.code == 0, (args, done.err)
        assert done.out, args


@pytest.mark.parametrize("page", [README, FILES], ids=["readme", "files"])
def test_tournament_that_is_shown_is_read(page: str, tmp_path: Path) -> None:
    text = next(b for b in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL) if "entrants" in b)
    (tmp_path / "cup.yaml").write_text(text)
    (tmp_path / "bots").symlink_to(ROOT / "bots")
    done = arena(tmp_path, "run", "cup.yaml", "--dry-run")
    missing = [line for line in done.err.splitlines() if "mine" not in line and "other" not in line]
    assert missing == ["1 error; nothing was started"], "only the reader's own bot may be missing"


def test_games_that_are_shown_are_read(clone: Path) -> None:
    games = re.findall(r"```yaml games\n(.*?)```", FILES, re.DOTALL)[0]
    bots = [f"  - {{bot: bots/greedy, name: {name}}}\n" for name in "abcd"]
    text = "arena: 1\nentrants:\n" + "".join(bots)
    (clone / "cup.yaml").write_text(text + games)
    done = arena(clone, "run", "cup.yaml", "--dry-run")
    assert done.code == 0, done.err
    assert "3 disciplines" in done.err


def test_isolation_that_is_shown_is_read(clone: Path) -> None:
    keys = re.findall(r"```yaml isolation\n(.*?)```", FILES, re.DOTALL)[0]
    level = re.findall(r"^`(\{level: .*\})` opens", FILES, re.MULTILINE)[0]
    nets = clone / "nets"
    nets.mkdir()
    text = "arena: 1\ngame: dragonheart\nentrants: [{bot: bots/random}, {bot: bots/greedy}]\n"
    opened = f"isolation: {level}\n".replace("/opt/nets", str(nets))
    shown = ["memory: 512 MiB", "processes: 16", "pondering: false", 'faults: "20 %"']
    for written, wanted in ((keys, shown), (opened, [f"readable: [{nets}]"])):
        (clone / "cup.yaml").write_text(text + written)
        done = arena(clone, "run", "cup.yaml", "--dry-run")
        assert done.code == 0, done.err
        lines = [" ".join(line.split()) for line in done.out.splitlines()]
        for value in ("level: sandbox", *wanted):
            assert any(line.startswith(f"{value} # cup.yaml:") for line in lines), value


def test_every_level_and_default_that_is_shown_is_right() -> None:
    table = FILES.partition("| `isolation` |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| `(\w+)`( \(default\))? \|", table, re.MULTILINE)
    assert [level for level, _ in rows] == [each.value for each in Isolation]
    assert [level for level, default in rows if default] == [IsolationFile().level]


def test_problems_are_told_as_is_shown(tmp_path: Path) -> None:
    text = next(b for b in re.findall(r"```yaml\n(.*?)```", FILES, re.DOTALL) if "entrants" in b)
    broken = text.replace("deals: 100", "deals: many").replace("{move:", "{mov:")
    (tmp_path / "cup.yaml").write_text(broken)
    for name in ("mine", "greedy"):
        (tmp_path / "bots").mkdir(exist_ok=True)
        bot(tmp_path / "bots", name)
    assert arena(tmp_path, "run", "cup.yaml").err in FILES
