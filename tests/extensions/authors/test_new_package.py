"""Rules that fail end every command with one message that names the package and the line."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from arena.extensions.authors.kit.folder import create_game
from tests.cli.shell import Result, arena, environment
from tests.kuhn.install import announce
from tests.kuhn.test_outside import search_path
from tests.rows import some

pytestmark = [pytest.mark.slow, pytest.mark.process]

BOTS = ("builtin:random", "builtin:first-legal")
READING = (
    ("replay", "run", "1"),
    ("replay", "run", "1", "--html", "-o", "page.html"),
    ("report", "run", "-o", "page.html"),
    ("site", "run", "public"),
    ("verify", "run"),
    ("export", "run", "--tables", "all", "-o", "data"),
    ("vectors", "pig"),
    ("try", "mine", "-g", "pig"),
    ("check", "mine", "-g", "pig", "--quick"),
)
ERRORS = {
    "IndexError: x": "raise IndexError('x')",
    "SystemExit: 0": "raise SystemExit(0)",
    "KeyboardInterrupt": "raise KeyboardInterrupt",
    "Odd": "raise type('Odd', (BaseException,), {})",
}


class Home(NamedTuple):
    """A folder with a run of a game whose rules can be broken."""

    folder: Path
    package: Path

    def broken(self, method: str, body: str) -> None:
        lie = f"\ndef lie(*given):\n    {body}\n\n\nGameRules.{method} = lie\n"
        (self.package / "pig_game" / "rules.py").write_text(self.right + lie)

    @property
    def right(self) -> str:
        return (self.package / "pig_game" / "right.txt").read_text()

    def arena(self, *args: str) -> Result:
        path = search_path(str(self.package))
        env = environment(PYTHONPATH=path, PYTHONDONTWRITEBYTECODE="1")
        return arena(self.folder, *args, env=env)


def made(factory: pytest.TempPathFactory) -> Home:
    """A new game in a package that is found, and a folder beside it."""
    package = factory.mktemp("package") / "pig"
    create_game(package)
    announce(package, "pig", "0.1", {"pig": "pig_game:GAME"})
    return Home(factory.mktemp("home"), package)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    home = made(tmp_path_factory)
    rules = (home.package / "pig_game" / "rules.py").read_text()
    (home.package / "pig_game" / "right.txt").write_text(rules)
    assert home.arena("run", "-g", "pig", *BOTS, "-n", "1", "-o", "run").code == 0
    assert home.arena("new-bot", "mine", "-g", "pig").code == 0
    return home


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("command", READING, ids=lambda each: each[0])
def test_a_command_names_the_package(error: str, command: tuple[str, ...], home: Home) -> None:
    home.broken("apply", ERRORS[error])
    done = home.arena(*command)
    assert done.code == 2, done.err
    [line] = [each for each in done.err.splitlines() if each.startswith("error: ")]
    assert f"pig of pig 0.1 failed: {error} (rules.py:" in line
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        *some(
            [
                (body, f"pig of pig 0.1 failed: {error} (rules.py:")
                for error, body in ERRORS.items()
            ],
            every=4,
        ),
        ("__import__('os')._exit(3)", "its worker died (exit status 3) (rules: pig of pig 0.1)"),
    ],
)
@pytest.mark.soak
def test_games_are_void_and_the_run_ends(body: str, reason: str, home: Home) -> None:
    home.broken("apply", body)
    folder = f"run-{abs(hash(reason))}"
    done = home.arena("run", "-g", "pig", *BOTS, "-n", "50", "-o", folder, "-j", "1")
    assert done.code == 4, done.err
    assert reason in done.err
    voids = (home.folder / folder / "voids.jsonl").read_text().splitlines()
    assert len(voids) < 50, "a package that is always wrong stops the run"
    assert all(reason in each for each in voids)
