"""The commands that answer and play nothing: rules, schema, verify, standings, help."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from arena import __version__
from arena.cli.terminal.console import tell_bug
from tests.cli.shell import arena, bot, command, environment, tournament
from tests.entrants.repositories import git

pytestmark = [pytest.mark.slow, pytest.mark.process]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished run of ten games in ``runs/cup``."""
    folder = tmp_path_factory.mktemp("played")
    assert arena(folder, "run", tournament(folder), "-q").code == 0
    return folder


def test_without_a_command_the_help_is_printed(tmp_path: Path) -> None:
    asked = arena(tmp_path, "--help")
    assert arena(tmp_path) == asked
    assert (asked.code, asked.err) == (0, "")
    assert max(map(len, asked.out.splitlines())) < 80


def test_version(tmp_path: Path) -> None:
    for args in (["--version"], ["--color", "never", "--version"]):
        done = arena(tmp_path, *args)
        assert done.code == 0
        clone = Path(__file__).parents[2]
        commit = git(clone, "rev-parse", "--short=8", "HEAD") if (clone / ".git").exists() else ""
        assert done.out.startswith(f"arena {__version__} ({commit}" if commit else "arena ")
        installed = shutil.copytree(
            clone / "arena", tmp_path / "site" / "arena", dirs_exist_ok=True
        )
        env = environment(PYTHONPATH=str(installed.parent))
        assert arena(tmp_path, *args, env=env).out == f"arena {__version__}\n"


def damaged(played: Path, folder: Path, name: str, old: bytes, new: bytes) -> Path:
    """A copy of the run in which a file is changed."""
    run = shutil.copytree(played / "runs/cup", folder / "cup")
    for path in run.rglob(name):
        path.write_bytes(path.read_bytes().replace(old, new, 1))
    return run


@pytest.mark.parametrize("until", ["match", "person"])
def test_a_run_cannot_be_made_one_of_another_kind(played: Path, tmp_path: Path, until: str) -> None:
    """In such a run tables, or missing games, would not be looked at."""
    old, new = b'"source": {', f'"source": {{"{until}": {{}}, '.encode()
    run = damaged(played, tmp_path, "run.json", old, new)
    (run / "standings.txt").write_text("hans 3000\n")
    done = arena(tmp_path, "verify", run)
    assert done.code == 1
    assert "standings.txt: is not what the stored games give" in done.out
    (run / "standings.json").unlink()  # it counts all of them
    games = run / "games.jsonl"
    games.write_text("".join(games.read_text().splitlines(keepends=True)[:8]))
    assert "8 of 10 games verified" in arena(tmp_path, "verify", run).out
    (run / "run.json").write_text(
        (run / "run.json").read_text().replace('"until": null', f'"until": "{until}"', 1)
    )
    assert "seed and config do not fit the commitment" in arena(tmp_path, "verify", run).out


@pytest.mark.parametrize("kind", ["folder", "dangling link"])
def test_a_table_that_is_no_file_is_a_difference(played: Path, tmp_path: Path, kind: str) -> None:
    run = damaged(played, tmp_path, "standings.md", b"anna", b"anna")
    table = run / "standings.txt"
    table.unlink()
    table.mkdir() if kind == "folder" else table.symlink_to("nowhere")
    done = arena(tmp_path, "verify", run, "--json")
    assert done.code == 1
    assert [each["where"] for each in json.loads(done.out)["data"]["differences"]] == [table.name]


def test_the_tables_of_another_version_of_arena_verify(played: Path, tmp_path: Path) -> None:
    """That version alone may differ: the same text elsewhere, or another there, does not verify."""
    own = f'  "arena": "{__version__}",'.encode()
    run = damaged(played, tmp_path, "standings.json", own, b'  "arena": "0.0.9.dev1+a",')
    done = arena(tmp_path, "verify", run)
    assert done.code == 0, done.out
    for number, (old, new) in enumerate(
        [(b'"warnings": []', own.strip(b" ,")), (own, b""), (own, b'  "arena": "anna has won",')]
    ):
        other = damaged(played, tmp_path / str(number), "standings.json", old, new)
        assert "standings.json: is not what" in arena(tmp_path, "verify", other).out


def test_verify_of_a_run_whose_rules_cannot_be_built(played: Path, tmp_path: Path) -> None:
    old = b'"name": "dragonheart",\n          "seats": 2'
    run = damaged(played, tmp_path, "run.json", old, old.replace(b"2", b"1"))
    done = arena(tmp_path, "verify", run)
    assert done.code == 2
    assert "run.json: rules: " in done.err
    assert "Traceback" not in done.err


def test_an_unfinished_run_says_so(played: Path, tmp_path: Path) -> None:
    run = damaged(played, tmp_path, "standings.md", b"anna", b"hans")
    (run / "standings.json").unlink()  # it would count all of them
    games = run / "games.jsonl"
    games.write_text("".join(games.read_text().splitlines(keepends=True)[:8]) + '{"torn')
    assert "8 of 10 games played so far" in arena(tmp_path, "standings", run).out
    done = arena(tmp_path, "verify", run)
    assert (done.code, done.out) == (0, "8 of 10 games verified: all as it should be\n")
    assert "2 games are still to be played" in done.err


def test_colour_only_where_it_is_wanted(played: Path) -> None:
    assert "\x1b[31merror:" in arena(played, "--color", "always", "standings", "no").err
    for env in ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, {}):
        assert "\x1b" not in arena(played, "standings", "no", env=os.environ | env).err


def test_a_bug_of_ours_is_told_without_a_traceback(played: Path, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import arena.views.standings.standings as s\ndef broken(*a): raise ValueError('oops')\n"
        "s.table_of = broken\n"
    )
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    done = arena(played, "standings", "runs/cup", env=env)
    assert done.code == 70
    assert "this is a bug in arena; what happened is in" in done.err
    assert "Traceback" not in done.err
    report = Path(done.err.rsplit(" ", 1)[1].strip())
    assert "ValueError: oops" in report.read_text()
    report.unlink()
    assert "Traceback" in arena(played, "standings", "runs/cup", "--debug", env=env).err


def test_a_bug_that_no_file_can_hold_is_told_as_a_whole(monkeypatch, capsys) -> None:
    def full(*args: object, **terms: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.NamedTemporaryFile", full)
    try:
        raise ValueError("oops")
    except ValueError:
        tell_bug("anna.x is quarantined")
    told = capsys.readouterr().err
    assert told.startswith("error: anna.x is quarantined: this is a bug in arena:\nTraceback")
    assert told.endswith("ValueError: oops\n\n")


@pytest.mark.parametrize(
    ("redirection", "code"), [(">&-", 0), ("2>&-", 0), (">&- 2>&- <&-", 0), (">/dev/full", 2)]
)
def test_streams_that_are_closed_or_full(tmp_path: Path, redirection: str, code: int) -> None:
    line = f"{shlex.join(command('rules', 'dragonheart'))} {redirection}"
    done = subprocess.run(
        ["sh", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    if code:
        assert "standard output: cannot be written: No space left on device" in done.stderr


@pytest.mark.extensions("studies")
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("verify", "cup"), 1),
        (("verify", "cup", "--json"), 1),
        (("check", "broken", "-g", "dragonheart", "--isolation", "none"), 1),
        (("compare", "--wdl", "0,0,200"), 1),
        (("run", "cup", "-q"), 0),
        (("rules", "dragonheart"), 0),
    ],
)
def test_a_reader_that_leaves_changes_no_exit_code(played, tmp_path, words, code) -> None:
    damaged(played, tmp_path, "standings.md", b"anna", b"hans")
    bot(tmp_path, "broken", "raise SystemExit(1)")
    assert arena(tmp_path, *words).code == code
    damaged_file = tmp_path / "cup/standings.md"
    damaged_file.write_text("hans")  # a run mends it
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        command(*words), cwd=tmp_path, stdout=writer, stderr=subprocess.PIPE, check=False
    )
    os.close(writer)
    assert (done.returncode, b"Traceback" in done.stderr) == (code, False)


@pytest.mark.parametrize(
    ("when", "code"),
    [
        ("sys.meta_path.insert(0, types.SimpleNamespace(find_spec=interrupt))", 130),
        ("atexit.register(interrupt)", 0),
    ],
    ids=("before a command begins", "when it has ended"),
)
def test_an_interrupt_at_the_edges_of_a_command(tmp_path: Path, when: str, code: int) -> None:
    interrupted = f"""
import atexit, os, signal, sys, types
signal.signal(signal.SIGINT, signal.default_int_handler)
def interrupt(*given):
    os.kill(os.getpid(), signal.SIGINT)
from arena.cli import main
sys.argv = ["arena", "rules"]
{when}
main()
"""
    done = subprocess.run(
        [sys.executable, "-c", interrupted],
        cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (code, "")
