"""Running the program as a person would."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Final, NamedTuple

import pytest
import typer

from arena.values.bad_input import needed_extension
from tests.cli import warm

_SECONDS: Final = 300.0
"""More than any command takes here."""
BOT = """
import json, random, sys
rng = random.Random()
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "protocol": 1}), flush=True)
    elif message["type"] == "start":
        rng.seed(message["seed"])
    elif message["type"] == "act":
        action = rng.randrange(len(message["legal"]))
        print(json.dumps({"type": "action", "id": message["id"], "action": action}), flush=True)
"""
PAIR: Final = {"anna": BOT, "berta": BOT}


class Result(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


def environment(**extra: str) -> dict[str, str]:
    """Ours, without what would change how the program shows things."""
    shown = {"NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "CI", "COLUMNS"}
    shown |= {"GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"}
    return {key: value for key, value in os.environ.items() if key not in shown} | extra


def command(*args: str | Path) -> list[str]:
    """``arena ARGS``; skips a test whose command is of an extension that is not in this tree."""
    if hint := needed_extension(str(args[0])) if args else "":
        pytest.skip(f"{args[0]} {hint}")
    return [sys.executable, "-m", "arena", *map(str, args)]


def arena(
    folder: Path, *args: str | Path, env: dict[str, str] | None = None, is_warm: bool = False
) -> Result:
    """Run ``arena ARGS`` in a folder, to its end.

    With an environment of its own it starts from nothing, unless `is_warm`: what is imported may
    have read ours.
    """
    whole = command(*args)
    with open(os.devnull, "rb") as none, TemporaryFile() as out, TemporaryFile() as err:
        if env is None or is_warm:
            code = warm.run(whole[3:], folder, env or environment(), (none, out, err), _SECONDS)
        else:
            started = subprocess.run(
                whole, cwd=folder, env=env, stdin=none, stdout=out, stderr=err,
                timeout=_SECONDS, check=False,
            )  # fmt: skip
            code = started.returncode
        return Result(code, _text(out), _text(err))


@contextmanager
def started(folder: Path, *args: str | Path, **extra: str) -> Iterator[subprocess.Popen[str]]:
    """``arena ARGS`` under way, with more in its environment; it is killed if it still runs."""
    with subprocess.Popen(
        command(*args), cwd=folder, env=environment(**extra), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            process.kill()


def ended(process: subprocess.Popen[str], *signals: signal.Signals) -> Result:
    """What it did until its end, after these signals."""
    for number in signals:
        process.send_signal(number)
    out, err = process.communicate(timeout=60)
    return Result(process.returncode, out, err)


def exit_code(call: Callable[[], object]) -> int:
    """The exit code of a command that is called here."""
    try:
        call()
    except typer.Exit as end:
        return end.exit_code
    return 0


def wait_until(is_so: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait for what another process does."""
    give_up = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < give_up
        time.sleep(0.02)


def wait_for_lines(path: Path, least: int = 1) -> None:
    wait_until(lambda: path.exists() and path.read_bytes().count(b"\n") >= least)


def wait_for_games(folder: Path, stage: str = "") -> None:
    """Until a run in the folder has a game."""
    found = f"runs/*/{stage}/games.jsonl"
    wait_until(lambda: any(path.stat().st_size for path in folder.glob(found)))


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode().replace("\r\n", "\n").replace("\r", "\n")


def bot(folder: Path, name: str, source: str = BOT, **manifest: Any) -> Path:
    """A bot folder."""
    home = folder / name
    home.mkdir()
    (home / "main.py").write_text(source)
    lines = {"bot": 1, "name": name, "command": "[python3, main.py]"} | manifest
    (home / "bot.yaml").write_text("".join(f"{key}: {value}\n" for key, value in lines.items()))
    return home


def tournament(
    folder: Path, deals: int = 5, more: str = "", bots: Iterable[str] | Mapping[str, str] = PAIR
) -> Path:
    """``cup.yaml`` with the bots named; a mapping has the sources of those to be written."""
    if isinstance(bots, Mapping):
        for name, source in bots.items():
            bot(folder, name, source)
    entrants = "".join(f"  - bot: {name}\n" for name in bots)
    path = folder / "cup.yaml"
    path.write_text(
        f"arena: 1\ngame: dragonheart\nseed: 1\nschedule: {{deals: {deals}}}\n{more}"
        f"entrants:\n{entrants}"
    )
    return path


def complete(folder: Path, words: str, shell: str = "bash", **more: str) -> list[str]:
    """What a shell gets for the last of the words, which bash has divided at colons too.

    ``more``: further variables of the environment.
    """
    parts = words.split(" ")
    env = environment(
        _ARENA_COMPLETE=f"complete_{shell}",
        COMP_WORDS="\n".join(parts),
        COMP_CWORD=str(len(parts) - 1),
        _TYPER_COMPLETE_ARGS=words,
        **more,
    )
    return arena(folder, env=env, is_warm=not more).out.split()
