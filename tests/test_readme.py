"""Every command of the README works, in the order in which it stands there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from arena.entrants.keys import IsolationFile
from arena.hosting.sandbox.isolation import Isolation
from tests.cli.shell import arena, bot

pytestmark = [pytest.mark.slow, pytest.mark.process]

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def commands() -> list[list[str]]:
    """The words behind ``$ arena`` in console blocks, comments left out."""
    blocks = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
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
    assert arena(clone, "run", "tournaments/quickstart.yaml", "-q").code == 0
    assert len(commands()) > 5
    for args in commands():
        done = arena(clone, *args)
        assert done.code == 0, (args, done.err)
        assert done.out, args


def test_tournament_of_the_readme_is_read(tmp_path: Path) -> None:
    text = next(b for b in re.findall(r"```yaml\n(.*?)```", README, re.DOTALL) if "entrants" in b)
    (tmp_path / "cup.yaml").write_text(text)
    (tmp_path / "bots").symlink_to(ROOT / "bots")
    done = arena(tmp_path, "run", "cup.yaml", "--dry-run")
    missing = [line for line in done.err.splitlines() if "mine" not in line and "other" not in line]
    assert missing == ["1 error; nothing was started"], "only the reader's own bot may be missing"


def test_games_of_the_readme_are_read(clone: Path) -> None:
    games = re.findall(r"```yaml games\n(.*?)```", README, re.DOTALL)[0]
    bots = [f"  - {{bot: bots/greedy, name: {name}}}\n" for name in "abcd"]
    text = "arena: 1\nentrants:\n" + "".join(bots)
    (clone / "cup.yaml").write_text(text + games)
    done = arena(clone, "run", "cup.yaml", "--dry-run")
    assert done.code == 0, done.err
    assert "3 disciplines" in done.err


def test_isolation_of_the_readme_is_read(clone: Path) -> None:
    keys = re.findall(r"```yaml isolation\n(.*?)```", README, re.DOTALL)[0]
    level = re.findall(r"^`(\{level: .*\})` opens", README, re.MULTILINE)[0]
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


def test_every_level_and_default_of_the_readme_is_right() -> None:
    table = README.partition("| `isolation` |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| `(\w+)`( \(default\))? \|", table, re.MULTILINE)
    assert [level for level, _ in rows] == [each.value for each in Isolation]
    assert [level for level, default in rows if default] == [IsolationFile().level]


def test_problems_are_told_as_the_readme_shows(tmp_path: Path) -> None:
    text = next(b for b in re.findall(r"```yaml\n(.*?)```", README, re.DOTALL) if "entrants" in b)
    broken = text.replace("deals: 100", "deals: many").replace("{move:", "{mov:")
    (tmp_path / "cup.yaml").write_text(broken)
    for name in ("mine", "greedy"):
        (tmp_path / "bots").mkdir(exist_ok=True)
        bot(tmp_path / "bots", name)
    assert arena(tmp_path, "run", "cup.yaml").err in README
