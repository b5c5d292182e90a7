"""``python -m tests.goldens``: writes the goldens anew; the package says how to go about it."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from tests.cli.warm import preload
from tests.goldens.runs import EXPECTED, RUNS
from tests.goldens.workshop import Workshop


def make(top: Path, whole: bool, run: str) -> int:
    """Makes the goldens of one run below ``top/run``, in place of those there; how many."""
    with tempfile.TemporaryDirectory(prefix="g-") as folder:
        shop = Workshop(Path(folder).resolve(), whole=whole)
        RUNS[run](shop)
    shutil.rmtree(top / run, ignore_errors=True)
    for name, text in shop.texts.items():
        path = top / run / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="\n")
    return len(shop.texts)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.goldens", description=__doc__)
    parser.add_argument("runs", nargs="*", metavar="RUN", help=f"one of {', '.join(RUNS)}")
    parser.add_argument("--into", type=Path, default=EXPECTED, help="another folder to write to")
    parser.add_argument("--whole", type=Path, help="write there, and shorten nothing")
    asked = parser.parse_args()
    if unknown := set(asked.runs) - set(RUNS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    names = asked.runs or list(RUNS)
    if "tools" in names and asked.into == EXPECTED and not asked.whole:
        from docs.tools import cli_page, data_page

        for each in (cli_page, data_page):
            each.PAGE.write_text(each.page(), "utf-8")
    preload()
    with ProcessPoolExecutor(2) as both:
        made = both.map(partial(make, asked.whole or asked.into, bool(asked.whole)), names)
        for name, count in zip(names, made, strict=True):
            print(f"{name}: {count} goldens")


if __name__ == "__main__":
    main()
