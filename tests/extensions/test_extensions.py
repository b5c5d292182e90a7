"""What an extension of another package brings, and what is said of one that cannot be used."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena import extensions
from arena.cli import app
from arena.cli.documents import documents, files
from arena.runs.growth.kinds import RUN_KINDS, run_kind
from arena.tournament.prepare import remote
from arena.values import bad_input, problems
from arena.values.bad_input import BROUGHT, CHECKED, HOOKS, BadInput
from tests.kuhn.install import announce

PACKAGE = """
from arena.extensions import Extension, ListedCommand

EXTENSION = Extension(
    name="dice",
    summary="Throws dice.",
    commands=(
        ListedCommand("throw", "Play", "Throw a die.", "dice_of_others.throw", 35),
        ListedCommand("doctor", "Play", "Cure a die.", "dice_of_others.throw"),
        ListedCommand("load-dice", "Cheat", "Load a die.", "dice_of_others.gone"),
    ),
)
"""
THROW = '''
from dataclasses import dataclass

from arena.cli.command import command


@dataclass(frozen=True, kw_only=True)
class ThrowOptions:
    """Throw a die."""


def throw(options: ThrowOptions) -> None:
    print("thrown: 4")


COMMAND = command(throw)
'''


CHECK = """
def check(run):
    yield f"wrong in {run}"
"""


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, package: str = PACKAGE) -> None:
    """A package with an extension, where Python looks for packages."""
    home = folder / "dice_of_others"
    home.mkdir()
    (home / "__init__.py").write_text(package)
    (home / "throw.py").write_text(THROW)
    announce(folder, "dice", "1", {"dice": "dice_of_others:EXTENSION"}, extensions.GROUP)
    monkeypatch.syspath_prepend(folder)
    extensions.foreign.cache_clear()


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    yield
    extensions.foreign.cache_clear()
    for name in [each for each in sys.modules if each.startswith("dice_of_others")]:
        del sys.modules[name]


def test_arenas_own_are_found_in_their_folder() -> None:
    assert extensions.own().problems == ()
    home = Path(extensions.__file__).parent
    folders = {each.name for each in home.iterdir() if (each / "__init__.py").is_file()}
    assert {each.name for each in extensions.own().extensions} == folders


def names_of(found: extensions.Extension) -> list[str]:
    """What a person, a run or the core may name to get something of it."""
    names = [command.name for command in found.commands]
    names += [extensions.load(place).name for place in found.kinds]
    for field in (
        "games",
        "families",
        "runs",
        "run_views",
        "standings",
        "schemes",
        "documents",
        "schemas",
    ):
        names += getattr(found, field)
    hooks = ("comparisons", "several", "authors", "remotes", "replays", "shards", "sources")
    return names + [field for field in hooks if getattr(found, field)]


def test_the_core_knows_the_names_of_what_can_be_deleted() -> None:
    """For the message where one of them is needed and not here."""
    here = {each.name: sorted({*names_of(each)}) for each in extensions.own().extensions}
    known = {
        name: sorted({*words.split(), *HOOKS.get(name, "").split()})
        for name, words in BROUGHT.items()
    }
    assert {name: known.get(name) for name in here} == here
    checked = {file: each.name for each in extensions.own().extensions for file in each.checks}
    assert {file: name for file, name in CHECKED.items() if name in here} == checked
    words = [word for each in known.values() for word in each]
    assert sorted(words) == sorted([*{*words}, "ladder"])  # a command, and a kind of schedule


def test_the_page_names_each_field() -> None:
    page = (Path(__file__).parents[2] / "docs" / "extensions.md").read_text("utf-8")
    assert [each for each in extensions.Extension._fields if f"`{each}`" not in page] == []


@pytest.mark.extensions("machines")
def test_what_needs_an_extension_says_which(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert problems.did_you_mean("merge", ["verge"]) == 'did you mean "verge"?'
    monkeypatch.setattr(bad_input, "_EXTENSIONS", tmp_path)
    lacks = "needs the extension machines, which is not here: pip install botarena"
    assert problems.did_you_mean("merge", ["verge"]) == f"it {lacks}"
    assert problems.did_you_mean("shards", ["shard"]) == 'did you mean "shard"?'
    monkeypatch.setattr(extensions, "own", lambda: extensions.Found((), ()))
    with pytest.raises(BadInput, match=f'^--on: "a": {lacks}$'):
        remote("a")
    with pytest.raises(BadInput, match=r"^a run of the kind cup: no extension brings it$"):
        run_kind("cup")


def test_others_bring_checks_and_ways_to_rank_and_to_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    brings = "checks={'a': 'dice_of_others.throw:check', 'b': 'x:y'}, "
    brings += "runs={'dice': 'arena.runs.growth.kinds:OpenEnded'}, commands"
    install(tmp_path, monkeypatch, PACKAGE.replace("commands", brings))
    (tmp_path / "dice_of_others" / "throw.py").write_text(CHECK)
    monkeypatch.setattr(extensions, "own", lambda: extensions.Found((), ()))
    found = list(extensions.called("checks", "run", check=str))
    problem = "extension dice: x:y cannot be loaded: ModuleNotFoundError: No module named 'x'"
    assert found == [("dice", ["wrong in run"], ""), ("dice", (), problem)]
    assert run_kind("dice").table == "unplaced"
    del RUN_KINDS["dice"]


@pytest.mark.extensions
def test_a_command_of_others_is_listed_in_its_place_and_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install(tmp_path, monkeypatch)
    names = [*app.commands()]
    assert names[names.index("run") + 1] == "throw"
    assert names[-1] == "load-dice"
    assert app.problems() == ["extension dice: another command is called doctor"]
    app.app(["throw"], prog_name="arena", standalone_mode=False)
    assert capsys.readouterr().out == "thrown: 4\n"
    app.app(["--help"], prog_name="arena", standalone_mode=False)
    shown = capsys.readouterr().out
    assert "  throw       Throw a die.\n" in shown
    assert shown.index("Host:") < shown.index("Cheat:\n  load-dice   Load a die.\n")
    with pytest.raises(BadInput, match=r"^dice_of_others\.gone:COMMAND cannot be loaded: Module"):
        app.load("load-dice")


@pytest.mark.extensions("ladder", "machines")
def test_arenas_own_go_before_others_and_a_scheme_before_every_other_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    brings = (
        "remotes={'slurm': 'dice_of_others.throw:throw', '': 'x:y'}, schemas={'ladder': 'x:y', "
    )
    brings += "'result': 'x:y', 'dice': 'x:y'}, documents={'arena.match/1': 'x:y'}, commands"
    own = files(), documents(), extensions.places("remotes")[""]
    install(tmp_path, monkeypatch, PACKAGE.replace("commands", brings))
    assert files() == own[0] | {"dice": "x:y"}
    assert documents() == own[1]
    assert extensions.places("remotes")[""] == own[2]
    remote("slurm://cluster")
    assert capsys.readouterr().out == "thrown: 4\n", "the function of the package was called"


@pytest.mark.parametrize(
    ("package", "problem"),
    [
        ("raise SystemExit('no\\x1b[2J\\nway')", "SystemExit: no\\x1b[2J"),
        ("EXTENSION = 3", "found int, expected an Extension"),
        (PACKAGE.replace('"dice"', '"cards"'), "found an extension called 'cards'"),
        (PACKAGE.replace("Throw a die.", "Throw\\n"), "commands: expected values of ListedCommand"),
        (PACKAGE.replace(", 35)", ", 'late')"), "commands: expected values of ListedCommand"),
        (
            PACKAGE.replace("commands=(", "commands=('throw',"),
            "commands: expected values of Listed",
        ),
        (PACKAGE.replace("commands", "kinds='ring', commands"), "kinds: found str, expected tuple"),
        (PACKAGE.replace("commands", "games={'a': 1}, commands"), "games: expected texts of one"),
        (PACKAGE.replace("summary", "needs=('felt',), summary"), "it needs felt, found no such"),
        (PACKAGE.replace("commands=", "orders="), "unexpected keyword argument 'orders'"),
    ],
)
def test_one_that_cannot_be_used_is_one_line_of_the_help(
    package: str,
    problem: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    install(tmp_path, monkeypatch, package)
    assert "throw" not in app.commands()
    (line,) = extensions.foreign().problems
    assert line.startswith("extension dice cannot be used: ")
    assert problem in line
    app.app(["--help"], prog_name="arena", standalone_mode=False)
    assert problem.split()[-1] in capsys.readouterr().out
    with pytest.raises(BadInput, match='unknown command "throw"\nextension dice cannot be used'):
        app.app(["throw"], prog_name="arena", standalone_mode=False)


def test_a_broken_package_takes_no_name_of_ours(tmp_path, monkeypatch) -> None:
    """The extension of arena that has the name of the package is still here."""
    for name in (each.name for each in extensions.own().extensions):
        announce(tmp_path, name, "1", {name: "no_such_package:EXTENSION"}, extensions.GROUP)
    monkeypatch.syspath_prepend(tmp_path)
    extensions.foreign.cache_clear()
    assert len(extensions.foreign().problems) == len(extensions.own().extensions)
    assert {bad_input.lacking(each.name) for each in extensions.own().extensions} == {""}
