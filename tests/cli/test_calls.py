"""How commands are called: what goes behind them, what is said of wrong calls, completion."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from arena.cli.app import app, commands
from arena.entrants.names import NAMES
from tests.cli.shell import arena, bot, complete, tournament

pytestmark = [pytest.mark.slow, pytest.mark.process]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("arena comp", ["compare"]),
        ("arena play dragonk", ["dragonkrak"]),
        ("arena run -g dragonh", ["dragonheart"]),
        ("arena tune x -g dragonrealm :", ["2", "3", "4"]),
        ("arena compare a b --game dragonkrak : 4", ["4"]),
        ("arena try builtin : gr", ["greedy"]),
        ("arena try b", [f"builtin:{name}" for name in NAMES]),
        ("arena play dragonheart --against ", [f"builtin:{name}" for name in NAMES] + ["mine"]),
        ("arena run -g dragonheart m", ["mine"]),
        ("arena run runs/c", ["runs/cup"]),
        ("arena report r", ["runs/cup", "runs/league"]),
        ("arena ladder ", ["runs/league"]),
        ("arena new-bot x --language j", ["javascript", "java"]),
        ("arena verify x --format = j", ["json"]),
        ("arena help ver", ["verify"]),
        ("arena compare a b --mode ", ["gain", "no-regression"]),
        ("arena plan --mode g", ["gain"]),
        ("arena rules dragonheart --ruling DH-0", [f"DH-0{number}" for number in range(1, 10)]),
        ("arena rules dragonheart --ruling DK-0", []),
        ("arena rules --ruling DK-01", ["DK-01"]),
        ("arena schema pro", ["protocol"]),
        ("arena run x --isolation l", ["limits", "landlock"]),
        ("arena standings x --format ", ["txt", "md", "csv", "json", "trf"]),
        ("arena verify x --format ", ["txt", "json"]),
        ("arena verify x --color a", ["auto", "always"]),
        ("arena --color n", ["never"]),
    ],
)
def test_completion_as_bash_asks_for_it(words: str, found: list[str], tmp_path: Path) -> None:
    for file in ("mine/bot.yaml", "runs/cup/run.json", "runs/league/ladder.yaml"):
        (tmp_path / file).parent.mkdir(parents=True)
        (tmp_path / file).touch()
    assert complete(tmp_path, words) == found


def test_completion_as_zsh_asks_for_it(tmp_path: Path) -> None:
    shown = complete(tmp_path, "arena try builtin:gr", "zsh")
    assert " ".join(shown) == """_arguments '*: :(("builtin\\\\:greedy"))'"""


def test_levels_of_completion_are_those_there_are() -> None:
    from arena.cli import choices
    from arena.hosting.sandbox.isolation import Isolation

    assert choices.isolation == tuple(Isolation)


@pytest.mark.parametrize(
    ("args", "heavy"),
    [
        (["--help"], {"numpy", "arena.games.registry", "arena.tournament", "msgspec", "yaml"}),
        (["--color", "never", "rules", "dragonheart", "--ruling", "DH-04"], {"pydantic"}),
        (
            [
                "run",
                "-g",
                "dragonheart",
                "builtin:random",
                "builtin:greedy",
                "-n",
                "5",
                "--dry-run",
            ],
            {"numpy", "rustworkx", "tabulate", "wcwidth", "asyncio", "jinja2", "rich"},
        ),
    ],
)
def test_a_call_loads_nothing_heavy_that_it_does_not_need(args: list[str], heavy: set[str]) -> None:
    code = (
        f"import sys; sys.argv = {['arena', *args]}\n"
        "try:\n    from arena.cli import main; main()\nexcept SystemExit: pass\n"
        f"sys.stderr.write(' '.join(sorted({heavy} & {{*sys.modules}})))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert heavy.isdisjoint(done.stderr.split())


def test_a_worker_needs_nothing_heavy() -> None:
    """There may be many: each would take the memory of what it never uses."""
    code = "import sys, arena.tournament.worker; print({'numpy', 'yaml'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (
            "run -g dragonheart a b -n many",
            '--deals: found "many", expected a whole number from 1 to 10,000,000',
        ),
        ("plan --true x", '--true: found "x", expected a number'),
        (
            "compare a b -g c --max-games 0",
            '--max-games: found "0", expected a whole number of at least 1',
        ),
        ("run --color blue x", '--color: found "blue", expected auto, always or never'),
        ("--color blue run x", '--color: found "blue", expected auto, always or never'),
        ("tune", "BOT: missing; arena tune --help explains it"),
        ("run -n", "-n: found no value, expected one"),
        ("help rn", 'unknown command "rn" (did you mean "run"?)'),
        ("rn x", 'unknown command "rn" (did you mean "run"?)'),
        ("run --verbos", 'unknown option "--verbos" (did you mean "--verbose"?)'),
        ("verify a b", 'found "b", expected no more; arena verify --help explains'),
        (
            "compare a b --mode gian",
            '--mode: found "gian", expected gain or no-regression (did you mean "gain"?)',
        ),
        ("standings a --json --format md", '--format: found "md" with --json, expected json'),
    ],
)
def test_a_wrong_call_gets_one_line(args: str, said: str, tmp_path: Path) -> None:
    done = arena(tmp_path, *args.split())
    assert (done.code, done.err) == (2, f"error: {said}\n")


def test_a_wrong_call_for_a_program_is_a_document_too(tmp_path: Path) -> None:
    for form in (["--json"], ["--format", "json"], ["--format=json"]):
        done = arena(tmp_path, "plan", "-j", "many", *form)
        document = json.loads(done.out)
        assert (done.code, document["schema"], document["code"]) == (2, "arena.error/1", 2)
        assert document["problems"][0]["found"] in done.err


def test_json_and_its_form_are_one(tmp_path: Path) -> None:
    for args in (["plan", "--precision", "20"], ["compare", "--pairs", "1,2,3,2,1"], ["doctor"]):
        one, other = (arena(tmp_path, *args, *form) for form in (["--json"], ["--format", "json"]))
        assert one.code == other.code
        assert json.loads(one.out).keys() == json.loads(other.out).keys()


def test_colour_is_chosen_behind_a_command_too(tmp_path: Path) -> None:
    for args in (["--color", "always", "verify", "x"], ["verify", "x", "--color=always"]):
        assert "\x1b[" in arena(tmp_path, *args).err
    both = arena(tmp_path, "--color", "always", "verify", "x", "--color", "never")
    assert "\x1b[" not in both.err


@pytest.mark.parametrize("written", ["", "isolation: limits\n", "isolation: {level: limits}\n"])
def test_isolation_is_that_of_the_call(written: str, tmp_path: Path) -> None:
    path = tournament(tmp_path, deals=1, more=written)
    shown = arena(tmp_path, "run", path, "--isolation", "none", "--dry-run").out
    assert "level: none " in shown


def test_isolation_of_a_match(tmp_path: Path) -> None:
    anna, berta = bot(tmp_path, "anna"), bot(tmp_path, "berta", version="'2'")
    args = ("-g", "dragonheart", "--max-games", "2", "-q", "-o", "run", "--isolation", "none")
    assert arena(tmp_path, "compare", anna, berta, *args).code in (3, 4)
    machine = json.loads((tmp_path / "run/run.json").read_text())["machine"]
    assert set(machine["isolation"].values()) == {"none"}


@pytest.mark.parametrize("command", [*commands()])
def test_without_a_current_folder_nothing_is_done(command, tmp_path, monkeypatch, capsys) -> None:
    words = {"rules": "dragonheart", "schema": "protocol", "play": "dragonheart"}
    words |= {
        "compare": "a b",
        "try": "a",
        "check": "a",
    }
    words |= {"replay": "x 1", "site": "x out", "doctor": "", "plan": "", "demo": ""}
    words |= {"ruling": "x list"}
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    given = [command, *words.get(command, "../x.yaml").split()]
    code = app(given, prog_name="arena", standalone_mode=False)
    told = capsys.readouterr()
    assert told.err == "error: the current folder is gone; change to one that exists\n"
    assert (code, told.out) == (2, "")


def test_without_a_current_folder_it_starts_and_says_so(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    line = f"rmdir {gone}; exec {sys.executable} -P -m arena run ../x.yaml"
    done = subprocess.run(["sh", "-c", line], cwd=gone, capture_output=True, text=True, check=False)
    assert done.stderr == "error: the current folder is gone; change to one that exists\n"
    assert (done.returncode, done.stdout) == (2, "")
