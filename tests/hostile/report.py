"""The findings as tables: on the terminal and as a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from statistics import median
from textwrap import wrap

from tabulate import tabulate

from tests.hostile.facts import Facts
from tests.hostile.judge import Finding
from tests.hostile.rows import GROUPS, LEVELS, ROWS, Row

HEADER = """# Hostile bots

This page is written by `python -m tests.hostile --markdown docs/hostile-bots.md`. Each bot of
`tests/bots/hostile` played against honest bots at every isolation level that the machine gave,
through the same workers as in a real run. A row has the result: the verdict on the game (`ok`
or the kind of the fault) and, if the bot attacked something, whether the attack succeeded.
*through*: the level leaves this way open. *blocked*: it does not. A blank cell: not tried there.

Checked after every game:

- no process, file, control group or shared memory is left;
- the worker has its limits, priority, cores, descriptors and memory as before;
- no listener was reached and no secret reported;
- the honest bots have the same result as without a hostile one.

A bot that does anything else than its row in `tests/hostile/rows.py` states fails that command.
*is built by another*: the same files were submitted before, with another build script. *steps
back*: lowers its priority. *wakes itself*: a child sends it SIGCONT while it is stopped.
"""
_SOMEBODY = """Where arena is an ordinary user, bots run as that user. Then these attacks go through
as well, as far as the settings of the kernel allow them:

{}
"""


def matrix(found: Sequence[Finding], levels: Sequence[str]) -> str:
    """A line per bot and table: verdict and outcome at each level."""
    lines = [
        [row.name, seats, *(_cell(games, level) for level in levels), _seconds(games)]
        for (row, seats), games in _by_bot(found)
    ]
    return tabulate(lines, headers=["bot", "seats", *levels, "s"])


def markdown(found: Sequence[Finding], levels: Sequence[str], known: Facts) -> str:
    """The page."""
    parts = [HEADER, f"Here {known}; {len(found)} games.\n"]
    if known.root:
        own = [row for row in ROWS if row.root]
        given = [at for at in LEVELS if any(row.through == at for row in own)]
        lists = [_names(at, own) for at in given]
        parts.append(_SOMEBODY.format("\n".join(lists)))
    for group, title in GROUPS.items():
        lines = [
            [f"`{row.file}`", row.bot.replace("_", " "), *(_cell(games, at) for at in levels)]
            for (row, _), games in _by_bot([each for each in found if each.row.group == group])
        ]
        if lines:
            headers = ["program", "bot", *levels]
            parts += [f"## {title[0].upper()}{title[1:]}\n"]
            parts += [tabulate(lines, headers=headers, tablefmt="github") + "\n"]
    return "\n".join(parts)


def _names(level: str, rows: Iterable[Row]) -> str:
    """List the attacks that go through up to a level, wrapped."""
    names = sorted(row.bot.replace("_", " ") for row in rows if row.through == level)
    return "\n".join(wrap(f"- up to `{level}`: {', '.join(names)}", 100, subsequent_indent="  "))


def _by_bot(found: Sequence[Finding]) -> list[tuple[tuple[Row, int], list[Finding]]]:
    def key(finding: Finding) -> tuple[int, str, int]:
        return list(GROUPS).index(finding.row.group), finding.row.name, finding.seats

    groups = [list(games) for _, games in groupby(sorted(found, key=key), key=key)]
    return [((games[0].row, games[0].seats), games) for games in groups]


def _cell(games: Sequence[Finding], level: str) -> str:
    at = [game for game in games if game.level == level]
    words = {game.verdict + _outcome(game.attack) for game in at}
    mark = " !" if any(game.surprises for game in at) else ""
    return " / ".join(sorted(words)) + mark


def _outcome(attack: str) -> str:
    return {"ok": ", through", "blocked": ", blocked", "": ""}[attack]


def _seconds(games: Sequence[Finding]) -> str:
    return f"{median(game.seconds for game in games):.1f}"
