"""Lets every hostile bot play at every isolation level that the machine gives.

    python -m tests.hostile [--level L ...] [--bot NAME ...] [--group G ...] [--table SEATS ...]
                            [--repeat N] [--few] [--markdown FILE] [--run]

Each game goes through the workers of a real run. Afterwards the verdict, the outcome of the
attack, the honest bots, the worker, and everything that could be left behind are looked at. With
--run the bots play in tournaments of `arena run` instead, one for each level.
Exit code 1 on any surprise. Bots are told by name (``life.py:hangs``), file or a part of either.
Without Linux's own calls no bot forks in a chain.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from arena.hosting.machine import kernel
from tests.hostile.facts import Facts, available, facts, telling_levels
from tests.hostile.judge import Finding
from tests.hostile.report import markdown, matrix
from tests.hostile.rows import GROUPS, LEVELS, ROWS, Row
from tests.hostile.run import RunFailed, tournament_findings
from tests.hostile.suite import HonestBotsFail, Plan, findings
from tests.hostile.table import TABLES


def main(arguments: list[str] | None = None) -> int:
    """0 if nothing surprised."""
    options = _parser().parse_args(arguments)
    levels = available(options.level)
    wanted = [level for level in options.level if not levels[level]]
    for level in options.level:
        if levels[level]:
            print(f"not played: {levels[level]}", file=sys.stderr)
    rows = [row for row in ROWS if _wanted(row, options)]
    known = facts()
    print(f"{len(rows)} bots at {', '.join(wanted)}; {known}", file=sys.stderr)
    began, found = time.monotonic(), []
    try:
        for finding in _played(rows, wanted, known, options):
            found.append(finding)
            _tell(finding, options.verbose)
    except (HonestBotsFail, RunFailed) as error:
        print(error, file=sys.stderr)
        return 1
    minutes = (time.monotonic() - began) / 60
    surprised = sum(bool(finding.surprises) for finding in found)
    print(matrix(found, wanted))
    print(f"{len(found)} games in {minutes:.1f} min, {surprised} with surprises")
    if options.markdown and found:
        Path(options.markdown).write_text(markdown(found, wanted, known), "utf-8")
    return 1 if surprised or not found else 0


def _played(
    rows: list[Row], levels: list[str], known: Facts, options: argparse.Namespace
) -> Iterator[Finding]:
    if not options.run:
        if options.few:
            rows = [row._replace(levels=telling_levels(row, levels, known)) for row in rows]
        return findings(Plan(rows, levels, options.table, options.repeat), known)
    return tournament_findings(rows, levels, known)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--level", nargs="+", choices=LEVELS, default=list(LEVELS))
    parser.add_argument("--bot", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--group", nargs="+", choices=list(GROUPS), default=list(GROUPS))
    parser.add_argument("--table", nargs="+", type=int, choices=list(TABLES), default=[2])
    parser.add_argument(
        "--few",
        action="store_true",
        help="those of the test suite: some bots, at the strictest level and where it is different",
    )
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--markdown", metavar="FILE")
    parser.add_argument("--run", action="store_true", help="in tournaments of arena run")
    parser.add_argument("--verbose", action="store_true", help="tell of every game")
    return parser


def _wanted(row: Row, options: argparse.Namespace) -> bool:
    """Where the kernel does not help, nobody could end a chain of forks when the game is over."""
    named = not options.bot or any(part in row.name for part in options.bot)
    is_endless = row.name.startswith("zoo.c:forks_in_") and not kernel.offered().controls_processes
    return named and row.group in options.group and (not options.few or row.few) and not is_endless


def _tell(finding: Finding, verbose: bool) -> None:
    if not finding.surprises and not verbose:
        return
    what = f"{finding.row.name} at {finding.level}, {finding.seats} seats"
    came = f"{finding.verdict} {finding.attack} {finding.detail} ({finding.seconds:.1f} s)"
    print(f"{what}: {came}", *finding.surprises, sep="\n    ! ", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
