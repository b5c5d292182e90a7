"""Without any of its extensions, and those that need it, arena starts, plays and is sound."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from arena import extensions
from arena.values.bad_input import CHECKED
from tests.kuhn.install import install
from tests.tournament.folders import write_bot

pytestmark = [pytest.mark.slow, pytest.mark.process, pytest.mark.timeout(600)]

ROOT: Final = Path(__file__).parents[2]
EXTENSIONS: Final = {each.name: each for each in extensions.own().extensions}
CALLS: Final = """
import contextlib, io, json, sys
from arena.cli.app import run

for words in json.loads(sys.argv.pop()):
    sys.argv = ["arena", *words]
    said = io.StringIO()
    with (
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(said),
        contextlib.suppress(SystemExit),
    ):
        run()
    print(json.dumps(said.getvalue()))
"""
"""Script that calls commands in one process and prints what each writes."""
IMPORT_ALL: Final = """
import pkgutil
from importlib import import_module
import arena
for each in pkgutil.walk_packages(arena.__path__, "arena."):
    if not {"templates", "kit", "__main__", "importable"} & {*each.name.split(".")}:
        import_module(each.name)
for name in arena.__all__:
    getattr(arena, name)
"""


def with_dependents(name: str) -> set[str]:
    """The extension and all that need it, one through another."""
    found = {name}
    while more := {each.name for each in EXTENSIONS.values() if {*each.needs} & found} - found:
        found |= more
    return found


def with_needs(*names: str) -> set[str]:
    """The extensions and all that they need, one through another."""
    found = {*names}
    while more := {need for name in found for need in EXTENSIONS[name].needs} - found:
        found |= more
    return found


def without(names: set[str], folder: Path) -> Path:
    """A copy of the tree without these extensions and their tests."""
    listed = ["git", "ls-files", "-z"]
    files = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    gone = tuple(f"{top}/extensions/{name}/" for name in names for top in ("arena", "tests"))
    for file in filter(None, files.split("\0")):
        if not file.startswith(gone) and (ROOT / file).is_file():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / file, folder / file)
    return folder


def python(tree: Path, *args: str, examples: int = 40) -> str:
    """What a Python prints that has this tree in place of the installed one.

    Its properties are tried with as many ``examples``, also in the hours of a soak.
    """
    path = os.pathsep.join([str(tree), str(tree / "installed")])
    env = os.environ | {"PYTHONPATH": path, "ARENA_EXAMPLES": str(examples)}
    done = subprocess.run(
        [sys.executable, *args], cwd=tree, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


CIRCLE: Final = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "protocol": 1}), flush=True)
    elif message["type"] == "start":
        own, other = (message["names"][k] for k in (message["seat"], 1 - message["seat"]))
    elif message["type"] == "act":
        yields = own + other in ("ba", "cb", "ac") and message["legal"][0]["type"] == "check"
        print(json.dumps({"type": "action", "id": message["id"], "action": 1 - yields}), flush=True)
"""
"""Bot at Kuhn poker of which a beats b, b beats c and c beats a: it bets, or checks and folds."""


@pytest.fixture(scope="module")
def circle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a clear circle, stored by an arena with all its extensions."""
    folder = tmp_path_factory.mktemp("circle")
    install(folder / "installed")
    for name in "abc":
        write_bot(folder / name, f"bot: 1\nname: {name}\ncommand: [python3, main.py]\n")
        (folder / name / "main.py").write_text(CIRCLE)
    bots = (str(folder / name) for name in "abc")
    python(folder, "-m", "arena", "run", "-g", "kuhn", *bots, "-n", "30", "-q", "-o", "run")
    return folder / "run"


def check_sound(tree: Path, gone: Sequence[str], circle: Path) -> None:
    """All modules can be imported, the list has no command of what is gone, a game is played.

    A stored run that needs nothing of what is gone is what it was, but for lines that are shown.
    """
    assert python(tree, "-c", "import arena; print(arena.__file__)").startswith(str(tree))
    install(tree / "installed")
    bots = ("builtin:random", "builtin:first-legal", "-n", "1", "-q", "-o", "run")
    calls = [["--help"], ["run", "-g", "kuhn", *bots], ["standings", "run"], ["verify", "run"]]
    calls += [["standings", str(circle)], ["verify", str(circle)]]
    said = python(tree, "-c", CALLS + IMPORT_ALL, json.dumps(calls)).splitlines()
    shown, played, table, verified, clear, same = map(json.loads, said)
    lost = {command.line for name in gone for command in EXTENSIONS[name].commands}
    assert lost.isdisjoint(line.split("  ")[-1].strip() for line in shown.splitlines())
    assert "first-legal" in played
    assert "first-legal" in table
    assert "all as it should be" in verified
    assert ("a beats b, b beats c, c beats a" in clear) == ("studies" not in gone)
    assert "all as it should be" in same


@pytest.mark.parametrize("name", EXTENSIONS)
def test_without_one_the_others_work(name: str, tmp_path: Path, circle: Path) -> None:
    gone = with_dependents(name)
    check_sound(without(gone, tmp_path / "tree"), sorted(gone), circle)


def test_the_core_alone_is_sound(tmp_path: Path, circle: Path) -> None:
    gone = {*EXTENSIONS} - {"games"}  # which the tests play
    check_sound(without(gone, tmp_path / "tree"), sorted(gone), circle)


@pytest.mark.soak
def test_the_core_alone_has_sound_types_and_passes_its_tests(tmp_path: Path) -> None:
    """Its tests without processes; values, ratings and hosting know no other room anyway."""
    tree = without({*EXTENSIONS} - {"games"}, tmp_path / "tree")
    python(tree, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), "arena")
    rooms = ("referee", "schedule", "runs")
    tests = [f"tests/{room}" for room in rooms]
    wanted = "not process and not slow and not soak"
    python(tree, "-m", "pytest", "-q", "-m", wanted, *tests, examples=5)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", ["core", *sorted(EXTENSIONS.keys() - {"games"})])
def test_fast_tests_need_no_extension_but_those_they_name(name: str, tmp_path: Path) -> None:
    """Those of the core with the games, and of each extension with what it needs, pass alone."""
    kept = with_needs("games", *{name} - {"core"})
    tree = without({*EXTENSIONS} - kept, tmp_path / "tree")
    tests = "tests" if name == "core" else f"tests/extensions/{name}"
    python(tree, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", tests)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", sorted(EXTENSIONS.keys() - {"games"}))  # which the tests play
def test_without_one_all_other_fast_tests_pass_and_a_wheel_starts(
    name: str, tmp_path: Path, circle: Path
) -> None:
    gone = with_dependents(name)
    tree = without(gone, tmp_path / "tree")
    python(tree, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider")
    python(tree, "-m", "build", "--no-isolation", "--wheel", "--outdir", str(tmp_path / "dist"))
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    home = tmp_path / "home"
    python(tree, "-m", "pip", "install", "-q", "--no-deps", "--target", str(home), str(wheel))
    check_sound(home, sorted(gone), circle)


FILE: Final = """
arena: 1
game: {game}
entrants: [{{bot: builtin:random, name: a}}, {{bot: builtin:random, name: b}}]
schedule: {{kind: {kind}}}
"""


def test_what_needs_a_deleted_extension_names_it_and_how_to_get_it(tmp_path: Path) -> None:
    """Commands, kinds, games, families, schemas, forms of output; a run of a deleted game too."""
    played = tmp_path / "run"
    bots = ("builtin:random", "builtin:first-legal", "-n", "1", "-q", "-o", str(played))
    python(ROOT, "-m", "arena", "run", "-g", "dragonheart", *bots)
    tree = without({*EXTENSIONS}, tmp_path / "tree")
    install(tree / "installed")
    calls: dict[tuple[str, ...], str] = {}
    for name, each in EXTENSIONS.items():
        calls |= {(command.name,): name for command in each.commands}
        calls |= {("schema", schema): name for schema in (*each.documents, *each.schemas)}
        kinds = [extensions.load(place).name for place in each.kinds]
        games = (*each.games, *(f"{family}.any" for family in each.families))
        for game, kind in [("kuhn", kind) for kind in kinds] + [(game, "match") for game in games]:
            file = tmp_path / f"{game}-{kind}.yaml"
            file.write_text(FILE.format(game=game, kind=kind))
            calls["run", str(file)] = name
        calls |= {("run", "-g", game, *bots[:2]): name for game in games}
    calls["verify", str(played)] = calls["replay", str(played), "1"] = "games"
    calls["replay", str(played), "1", "--html"] = "browser"
    calls["run", "-g", "kuhn", *bots[:2], "--on", "dask"] = "machines"
    manifest = "bot: 1\nname: built\ncommand: [./made]\nbuild: [[touch, made]]\n"
    built = write_bot(tmp_path / "built", manifest)
    for bot in (str(built), f"{built}@v1"):
        calls["run", "-g", "kuhn", bot, bots[0]] = "sources"
    for file, name in CHECKED.items():
        run = tmp_path / f"with-{file}"
        python(tree, "-m", "arena", "run", "-g", "kuhn", *bots[:-1], str(run))
        (run / file).touch()
        calls["verify", str(run)] = calls["verify", str(run), "--json"] = name
    said = python(tree, "-c", CALLS, json.dumps([*calls])).splitlines()
    lacks = "needs the extension {}, which is not here: pip install botarena"
    found = {words: json.loads(line) for words, line in zip(calls, said, strict=True)}
    told = {
        w: any(lacks.format(n) in text for n in with_dependents(calls[w]))
        for w, text in found.items()
    }
    assert {w: found[w] for w, is_told in told.items() if not is_told} == {}


def test_what_needs_one_that_lacks_a_deleted_one_says_so(tmp_path: Path) -> None:
    """Each is one line that ends with what to get, also where need follows upon need."""
    tree = without({"matches"}, tmp_path / "tree")
    install(tree / "installed")
    run = tmp_path / "run"
    bots = ("builtin:random", "builtin:random", "-n", "1", "-q", "-o", str(run))
    python(tree, "-m", "arena", "run", "-g", "kuhn", *bots, "--set", "entrants.1.name=b")
    (run / "learned.bin").touch()
    calls = [["standings", str(run), "--full"], ["replay", str(run), "1", "--html"]]
    calls += [["verify", str(run)]]
    for name in with_dependents("matches"):
        calls += [[command.name] for command in EXTENSIONS[name].commands]
        calls += [["schema", schema] for schema in EXTENSIONS[name].documents]
    said = python(tree, "-c", CALLS, json.dumps(calls)).splitlines()
    lines = [json.loads(each).splitlines()[-1] for each in said]
    lacks = "the extension matches, which is not here: pip install botarena"
    missing = {" ".join(call): line for call, line in zip(calls, lines, strict=True)}
    assert {
        call: line for call, line in missing.items() if not line.rstrip(")").endswith(lacks)
    } == {}


def test_without_any_game_commands_say_so(tmp_path: Path) -> None:
    """Nothing is there beside the core and matches; no command takes that for a bug of arena."""
    tree = without({*EXTENSIONS} - {"matches"}, tmp_path / "tree")
    bots = ("builtin:random", "builtin:first-legal")
    calls: list[tuple[str, ...]] = []
    for game in ("nim", "dragonheart"):
        calls += [("schema", game), ("run", *bots, "-g", game), ("compare", *bots, "-g", game)]
    said = python(tree, "-c", CALLS, json.dumps(calls)).splitlines()
    found = {words: json.loads(line) for words, line in zip(calls, said, strict=True)}
    of_none = {words: "expected" for words in calls if words[-1] == "nim"}
    lacks = "needs the extension games, which is not here: pip install botarena"
    assert {w: text for w, text in found.items() if of_none.get(w, lacks) not in text} == {}
