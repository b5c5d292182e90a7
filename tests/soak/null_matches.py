"""``arena compare`` on a bot and its copy, again and again: are its error rates as stated?

    python -m tests.soak.null_matches --repeats 200

Each repeat is the whole command with another seed. Equals are H0 of ``gain``, which alpha bounds,
and H1 of ``no-regression``, of which beta is lost. Ends with 1 if a share is further off than
three standard errors.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import sqrt
from pathlib import Path

from tests.cli.shell import command, environment

BOTS = Path(__file__).parents[2] / "bots"
VERDICTS = {0: "pass", 1: "fail", 3: "inconclusive", 4: "invalid"}
RISK = 0.05


def main(args: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--game", default="dragonheart")
    parser.add_argument("--bot", default="random")
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args(args)
    good = True
    for mode, wrong in (("gain", "pass"), ("no-regression", "fail")):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(BOTS / asked.bot, Path(folder, "copy"))
            with ThreadPoolExecutor(asked.jobs) as threads:
                once = partial(compare, Path(folder), asked.bot, asked.game, mode)
                found = Counter(threads.map(once, range(asked.repeats)))
        allowed = asked.repeats * RISK + 3 * sqrt(asked.repeats * RISK * (1 - RISK))
        fits = found[wrong] <= allowed and not found.keys() - {"pass", "fail"}
        good = good and fits
        counts = ", ".join(f"{verdict} {count}" for verdict, count in sorted(found.items()))
        print(f"{mode}: {counts}; {wrong} may be up to {allowed:.0f}", flush=True)
    return 0 if good else 1


def compare(folder: Path, bot: str, game: str, mode: str, seed: int) -> str:
    """The verdict on the bot and its copy."""
    words = ("compare", BOTS / bot, "copy", "-g", game, "--mode", mode, "--seed", str(seed))
    done = subprocess.run(
        command(*words, "--allow-identical", "-q", "-j", "1", "-o", f"{mode}-{seed}"),
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    shutil.rmtree(folder / f"{mode}-{seed}", ignore_errors=True)
    return VERDICTS.get(done.returncode, done.stderr)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
