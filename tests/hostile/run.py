"""Hostile bots in a tournament of ``arena run``, each against an honest one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import psutil

from arena.cli.terminal.console import Exit
from arena.runs.store import all_lines
from arena.values.results import GameResult
from tests.hostile import builds
from tests.hostile.canaries import Canaries
from tests.hostile.facts import Facts, here
from tests.hostile.folders import LIMITS, MARK_VARIABLE, SUFFIXES, command, missing, sources
from tests.hostile.judge import Finding, said_of, unexpected
from tests.hostile.rows import Pace, Row

_SECONDS: Final = 300
_PATIENCE: Final = 5.0
_HONEST: Final = "honest-opponent"


def fits(row: Row) -> bool:
    """Whether the bot's verdict is the same under the one clock of a tournament."""
    told = row.limits or row.seen or row.told
    return row.quiet and not told and row.pace is not Pace.KILLED and row.verdict != "startup"


class RunFailed(Exception):
    """A run did not end well."""


def tournament_findings(
    rows: Sequence[Row], levels: Sequence[str], known: Facts
) -> Iterator[Finding]:
    """Play those that fit, all in one run for each level. Raises RunFailed."""
    for level in levels:
        fitting = [row for row in rows if fits(row) and level in row.levels and not missing(row)]
        if fitting:
            yield from _findings(fitting, level, known)


def _findings(rows: Sequence[Row], level: str, known: Facts) -> list[Finding]:
    with Canaries() as canaries, tempfile.TemporaryDirectory() as name:
        folder, began = Path(name), time.monotonic()
        path, names = tournament(rows, level, canaries, folder)
        code, printed = _run(path, folder / "run")
        if code not in (0, Exit.INVALID_RUN):  # some games may be void
            raise RunFailed(f"arena run ended with {code}: {printed[-2000:]}")
        seconds = (time.monotonic() - began) / len(rows)
        strays = _strays(canaries.mark)
        results = {
            next(each for each in stored.result.spec.entrants if each != _HONEST): stored.result
            for _, stored in all_lines(folder / "run")
        }
        found = []
        for entrant, row in names.items():
            log = folder / "run" / "logs" / f"{entrant}.stderr"
            said = log.read_text("utf-8", "replace") if log.exists() else ""
            found.append(_judge(here(row, known), level, results.get(entrant), said, seconds))
        found[-1] = found[-1]._replace(surprises=(*found[-1].surprises, *strays))
        return found


def tournament(
    rows: Sequence[Row], level: str, canaries: Canaries, folder: Path
) -> tuple[Path, dict[str, Row]]:
    """The file, and rows by name of the entrant."""
    homes = sources(canaries.sources, canaries.idea)
    names = {f"{number}-{row.bot}": row for number, row in enumerate(rows)}
    common: dict[str, Any] = {"env": {MARK_VARIABLE: canaries.mark}}
    targets = canaries.targets(LIMITS)
    entrants = [
        {
            "name": name,
            "command": list(command(row, ".")),
            "cwd": str(homes[SUFFIXES.get(Path(row.file).suffix, "python")]),
            "options": targets,
            **common,
        }
        for name, row in names.items()
        if row.file != builds.FILE
    ]
    for name in (name for name, row in names.items() if row.file == builds.FILE):
        attacker = {"name": builds.ATTACKER, "bot": str(homes[builds.ATTACKER])}
        entrants += [attacker, {"name": name, "bot": str(homes[builds.VICTIM]), **common}]
    honest = list(command(Row("t", "life.py", "honest"), "."))
    entrants.append({"name": _HONEST, "command": honest, "cwd": str(homes["honest"]), **common})
    file = {
        "arena": 1,
        "game": "dragonheart",
        "seed": 1,
        "schedule": {
            "kind": "pairings",
            "deals": 1,
            "pairings": [[each["name"], _HONEST] for each in entrants if each["name"] != _HONEST],
        },
        "clock": {"move": "3 s", "startup": "30 s"},
        "isolation": level,
        "limits": {"memory": "256 MiB", "processes": 32, "disk": "8 MiB", "files": 64},
        "breaker": {"then": "ignore"},
        "execution": {"workers": 2, "fresh": True},
        "entrants": entrants,
    }
    path = folder / "hostile.yaml"
    path.write_text(json.dumps(file), "utf-8")  # which is YAML
    return path, names


def _run(path: Path, run: Path) -> tuple[int, str]:
    words = [sys.executable, "-m", "arena", "run", str(path), "--output", str(run)]
    done = subprocess.run(
        words,
        env=os.environ | {"CI": "1", "XDG_CACHE_HOME": str(run.with_name("cache"))},
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def _judge(row: Row, level: str, result: GameResult | None, said: str, seconds: float) -> Finding:
    verdict, surprises = "void", []
    if result is not None:
        mine = result.spec.entrants.index(_HONEST) ^ 1
        faults = {fault.seat: str(fault.kind) for fault in result.faults}
        verdict = faults.pop(mine, "ok")
        surprises = [f"the honest bot is at fault: {kind}" for kind in faults.values()]
    attack, detail = said_of(row, verdict, said)
    surprises += unexpected(row, level, verdict, attack, detail)
    return Finding(row, level, 2, verdict, attack, detail, seconds, tuple(surprises))


def _strays(mark: str) -> list[str]:
    """Bots that are still alive."""
    give_up = time.monotonic() + _PATIENCE
    while True:
        left = [process for process in psutil.process_iter() if _is_marked(process, mark)]
        if not left or time.monotonic() > give_up:
            return [f"left over: {process.pid}" for process in left]
        time.sleep(0.05)


def _is_marked(process: psutil.Process, mark: str) -> bool:
    try:
        return bool(process.environ().get(MARK_VARIABLE) == mark)
    except psutil.Error:
        return False
