"""Measures arena against raw pipes and against its peers.

    python -m benchmarks [--quick] [--rounds N] [--only NAME] [--json FILE] [--check]

The cases take turns, round after round; every ratio is taken within a round, so that a machine
that slows down meanwhile slows both sides. Exit code 0; with --check, 1 if a bar was missed or
could not be measured.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks import report
from benchmarks.cases import chosen_cases, chosen_rows, measure
from benchmarks.rows import Group, Verdict
from benchmarks.workshop import FULL, QUICK, Workshop


def main() -> int:
    options = _options()
    group = Group(options.only) if options.only else None
    rounds = options.rounds or (1 if options.quick else 5)
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as scratch:
        shop = Workshop(QUICK if options.quick else FULL, Path(scratch))
        measured = measure(chosen_cases(group), shop, rounds, _say)
    rows = chosen_rows(group)
    print(report.text(rows, measured))
    if options.json is not None:
        options.json.write_bytes(report.document(rows, measured))
    passed = all(row.verdict(row.value(measured.rounds)) is Verdict.PASS for row in rows)
    return 1 if options.check and not passed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--quick", action="store_true", help="a fiftieth of the work, one round")
    parser.add_argument("--rounds", type=_positive, help="default 5, with --quick 1")
    parser.add_argument("--only", choices=[group.value for group in Group], help="one group")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything there too")
    parser.add_argument("--check", action="store_true", help="exit code 1 unless every bar holds")
    return parser.parse_args()


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("expected 1 or more")
    return number


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
