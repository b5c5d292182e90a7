"""Keeps a ladder of simulated authors for simulated weeks, and kills it with SIGKILL on the way.

    python -m tests.extensions.ladder.soak [--authors 40] [--days 30] [--games 600] [--kills 100]
        [--seed 1]
    python -m tests.extensions.ladder.soak --memory 500
    python -m tests.extensions.ladder.soak --uploads 300

Bots are numbers: their strength, and how often they commit a fault. Games come from memory, all
else is what a ladder is: the folder, intake, rounds, run, table. Authors come on different days,
send versions that are mostly better, some that break (three kinds of faults), and take bots away.
In the end the order must be right within the errors that the table gives, newcomers must be known
as well as others are after 50 blocks, each game must be there once, and each round must be
what follows from the results before. Exit code 1 if not.

``--memory ROUNDS`` tells how much a keeper holds as rounds go by. ``--uploads AUTHORS`` tells
what five uploads of the same strength win: nothing, if the place is that of the newest.
"""

from __future__ import annotations

import argparse
import json
import mmap
import os
import random
import signal
import statistics
import struct
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from arena.extensions.ladder.book import Book
from arena.extensions.rounds.following import differing
from arena.extensions.rounds.pairing.state import Played
from arena.runs.identity import fitting_opening
from arena.runs.manifest import read_manifest
from arena.runs.reader import StoredRun
from arena.schedule.schedule import Done
from arena.values.results import FaultKind
from tests.extensions.ladder.ladders import FakeClock, World, ladder, submit

PLACED: Final = 50
"""Blocks after which a newcomer is to be known."""
_GAMES_OF_A_BLOCK: Final = 2
_MOST_BEYOND: Final = 0.15
"""Share of bots that may be further off than their errors say: 5 % are to be, in a sample."""
_KINDS: Final = (FaultKind.CRASH, FaultKind.TIMEOUT, FaultKind.ILLEGAL)


class SharedClock(FakeClock):
    """Goes on when the process that looked at it is killed."""

    def __init__(self) -> None:
        super().__init__()
        self._shared = mmap.mmap(-1, 8)

    @property
    def passed(self) -> float:
        """Seconds since it was started."""
        return float(struct.unpack("d", self._shared[:8])[0]) if hasattr(self, "_shared") else 0.0

    @passed.setter
    def passed(self, value: float) -> None:
        if hasattr(self, "_shared"):
            self._shared[:8] = struct.pack("d", value)


class Author:
    """Somebody with a bot that he works on."""

    def __init__(self, number: int, rng: random.Random, days: int) -> None:
        self.name = f"a{number:02}"
        self._rng = rng
        self._elo = rng.gauss(1000, 200)
        self._comes = rng.randrange(max(1, days // 2))
        self._goes = rng.randrange(days, 10 * days)
        self.versions = 0

    def day(self, folder: Path, day: int) -> None:
        """What he does in a day."""
        if day == self._comes or (day > self._comes and self._rng.random() < 0.08):
            self._upload(folder)
        elif day == self._goes:
            (folder / "submissions" / self.name / "x").rename(folder / f"gone-{self.name}")

    def _upload(self, folder: Path) -> None:
        self.versions += 1
        self._elo += abs(self._rng.gauss(0, 40)) if self.versions > 1 else 0
        breaks = self._rng.random() < 0.1
        kind = self._rng.choice(_KINDS)
        faults = 0.7 if breaks else self._rng.choice((0.0, 0.0, 0.02))
        submit(folder, self.name, "x", round(self._elo), faults, kind)


class Soak:
    """A ladder with its authors."""

    def __init__(self, folder: Path, options: argparse.Namespace) -> None:
        budget = f"budget: {{games: {options.games}}}\nbreaker: {{faults: 40 %, after: 10}}"
        self.world = World(ladder(folder / "ladder", budget), SharedClock())
        self._rng = random.Random(options.seed)
        self._days = options.days
        self._authors = [
            Author(number, random.Random(self._rng.random()), options.days)
            for number in range(options.authors)
        ]
        self._kills_left = options.kills
        self.kills = 0
        self.placed: dict[str, tuple[float, float]] = {}
        """By version, how far off it was and its error when it had played 50 blocks."""

    def play(self) -> None:
        """All days."""
        for day in range(self._days):
            for author in self._authors:
                author.day(self.world.folder, day)
            self._day(self._days - day)
            self._look()
            self.world.clock.next_day()
            if day % 5 == 4:
                print(f"day {day + 1}: {self.kills} kills", flush=True)

    def _day(self, days_left: int) -> None:
        """A keeper after the other, until one has played what the day gives."""
        kills = -(-self._kills_left // days_left)
        while True:
            began = time.monotonic()
            child = os.fork()
            if child == 0:
                os._exit(self._kept())
            if kills > 0:
                time.sleep(self._rng.uniform(0.0, 1.5))
                os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            if status == 0:
                return
            if os.WIFSIGNALED(status):
                kills, self._kills_left = kills - 1, self._kills_left - 1
                self.kills += 1
            else:
                raise SystemExit(f"a keeper ended by itself after {time.monotonic() - began:.1f} s")

    def _kept(self) -> int:
        try:
            ending = self.world.keep(once=True)
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", flush=True)
            return 1
        if ending == "SPENT":
            return 0
        print(f"a keeper ended: {ending}", flush=True)
        return 1

    def rows(self) -> list[dict[str, Any]]:
        """Of the table, those who play."""
        found = json.loads((self.world.folder / "table.json").read_text())["data"]["bots"]
        return [row for row in found if row["elo"] is not None]

    def _look(self) -> None:
        """At newcomers that have just played enough."""
        truth = self.truth()
        for row in self.rows():
            blocks = row["games"] / _GAMES_OF_A_BLOCK
            name = row["name"]
            if row["author"] and blocks >= PLACED and name not in self.placed:
                self.placed[name] = (row["elo"] - truth[name], row["error"])

    def truth(self) -> dict[str, float]:
        """How strong versions are, by their names in the run."""
        manifest = read_manifest(self.world.folder / "run")
        return {
            name: self.world.strength(name, each.digest)[0]
            for name, each in manifest.players.items()
        }


def problems(soak: Soak) -> Iterator[str]:
    """What is not as it should be."""
    run = StoredRun(soak.world.folder / "run")
    manifest = run.manifest
    done, played = Done(run.schedule.numbers), Played()
    verdict = run.withdrawals(lambda game: played.add(game.result, game.stored.spent))
    counts = Counter(game.result.spec.game_id for game in run.games(done))
    if twice := sum(number > 1 for number in counts.values()):
        yield f"{twice} games are stored twice"
    left = [
        number
        for number, names in run.schedule.order()
        if number not in done
        and verdict.withdrawn.keys().isdisjoint(names)
        and not run.schedule.gone(number, names)
    ]
    missing = len(left)
    if early := sum(
        number < manifest.kind.published_games(manifest.changes, run.schedule) for number in left
    ):
        yield f"{early} games are missing in rounds whose seeds are told"
    of_a_round = max(len(each.schedule.pairings) for each in manifest.field.rounds[-1]) * 2
    if missing > of_a_round:
        yield f"{missing} games are missing, the last round has {of_a_round}"
    opening = fitting_opening(run.folder, manifest)
    schedule = manifest.schedule(opening)
    lots, anchor = manifest.kind.lots(opening, manifest.changes), manifest.anchor
    for line, text in differing(manifest.fields(), schedule, played, verdict, lots, anchor):
        yield f"entries.jsonl line {line}: {text}"
    truth = soak.truth()
    rows = [row for row in soak.rows() if row["error"]]
    off = [(row["elo"] - truth[row["name"]]) / row["error"] for row in rows]
    beyond = sum(abs(each) > 1 for each in off)
    print(f"{len(rows)} bots with an error; {beyond} are further off than it says")
    worst = max(rows, key=lambda row: abs(row["elo"] - truth[row["name"]]) / row["error"])
    print(
        f"the furthest: {worst['name']} {worst['elo']:.0f} ± {worst['error']:.0f}, in truth "
        f"{truth[worst['name']]:.0f}"
    )
    if beyond > _MOST_BEYOND * len(rows):
        yield f"{beyond} of {len(rows)} ratings are further off than their errors say"
    yield from _wrong_order(rows, truth)
    errors = sorted(error for _, error in soak.placed.values())
    wrong = sum(abs(far) > error for far, error in soak.placed.values())
    print(
        f"{len(errors)} newcomers after {PLACED} blocks and the rest of that day: error at most "
        f"{errors[-1]:.0f}, median {errors[len(errors) // 2]:.0f}; {wrong} further off than that"
    )
    if wrong > _MOST_BEYOND * len(errors) + 1:
        yield f"{wrong} of {len(errors)} newcomers were not placed"


def _wrong_order(rows: list[dict[str, Any]], truth: dict[str, float]) -> Iterator[str]:
    """Pairs that the table has the other way round though it is sure of them."""
    pairs = sure = wrong = 0
    for index, one in enumerate(rows):
        for two in rows[index + 1 :]:
            pairs += 1
            margin = (one["error"] ** 2 + two["error"] ** 2) ** 0.5
            if one["elo"] - two["elo"] > margin:
                sure += 1
                wrong += truth[one["name"]] < truth[two["name"]]
    print(f"{pairs} pairs, {sure} the table is sure of, {wrong} of these are wrong")
    if wrong > 0.025 * sure + 1:
        yield f"{wrong} of {sure} pairs are in the wrong order"


def simulated(options: argparse.Namespace) -> int:
    """The ladder of many authors; 0 if all is as it should be."""
    began, cpu = time.monotonic(), os.times()
    with tempfile.TemporaryDirectory() as name:
        soak = Soak(Path(name), options)
        soak.play()
        found = list(problems(soak))
        book = Book(soak.world.folder)
        run = StoredRun(soak.world.folder / "run")
        games = sum(1 for _ in run.games())
        rounds = len(run.manifest.field.rounds) - 1
        broken = len(book.broken)
        versions = len(run.manifest.players) - 2
    now = os.times()
    spent = now.user + now.system + now.children_user + now.children_system - cpu.user - cpu.system
    print(
        f"{options.days} days, {versions} versions, {broken} given up, {rounds} rounds, {games} "
        f"games, {soak.kills} kills in {time.monotonic() - began:.0f} s, {spent:.0f} s of CPU"
    )
    for each in found:
        print(f"wrong: {each}")
    return 1 if found or soak.kills < options.kills else 0


def memory(rounds: int) -> int:
    """What a keeper holds as rounds go by; 0 if that does not grow beyond what results need."""
    with tempfile.TemporaryDirectory() as name:
        world = World(ladder(Path(name) / "ladder"))
        for number in range(8):
            submit(world.folder, f"a{number}", "x", 700 + 100 * number)
        held: list[tuple[int, int, float]] = []
        with world.keeper() as keeper:
            for upto in range(0, rounds, max(1, rounds // 5)):
                began = time.process_time()
                keeper.keep(once=True, rounds=max(1, rounds // 5))
                held.append((upto + rounds // 5, _resident(), time.process_time() - began))
    for upto, size, seconds in held:
        print(f"after {upto} rounds: {size / 1e6:.1f} MB, {seconds:.1f} s of CPU for them")
    games = world.games - 2 * rounds // 5
    grown = held[-1][1] - held[0][1]
    print(f"{grown / games:.0f} bytes for each further game")
    return int(grown / games > 3000)


def _resident() -> int:
    fields = Path("/proc/self/statm").read_text().split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")


def uploads(authors: int, seed: int) -> int:
    """What five uploads of one strength win against one; 0 if nothing that can be measured."""
    gains, best = [], []
    for group in range(max(1, authors // 10)):
        with tempfile.TemporaryDirectory() as name:
            world = World(ladder(Path(name) / "ladder", f"seed: {seed + group}", seeded=False))
            for number in range(10):
                submit(world.folder, f"one{number}", "x", 1000)
            shown: dict[str, list[float]] = {}
            for version in range(5):
                for number in range(10):
                    submit(world.folder, f"five{number}", "x", 1000, version=version)
                world.keep(once=True, rounds=15)
                world.clock.next_day()
                table = json.loads((world.folder / "table.json").read_text())["data"]["bots"]
                for row in table:
                    if row["author"].startswith("five") and row["elo"] is not None:
                        shown.setdefault(row["author"], []).append(row["elo"])
            ones = [r["elo"] for r in table if r["author"].startswith("one")]
            fives = [r["elo"] for r in table if r["author"].startswith("five") and r["place"]]
            gains.append(statistics.mean(fives) - statistics.mean(ones))
            tops = [max(each) for each in shown.values()]
            best.append(statistics.mean(tops) - statistics.mean(ones))
    error = 1.96 * statistics.stdev(gains) / len(gains) ** 0.5 if len(gains) > 1 else float("inf")
    print(
        f"newest of five: {statistics.mean(gains):+.0f} ± {error:.0f} Elo; "
        f"best of five would be {statistics.mean(best):+.0f}"
    )
    return int(abs(statistics.mean(gains)) > error + 5)


def main() -> int:
    """One of the three."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--authors", type=int, default=40)
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--games", type=int, default=600)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--memory", type=int, metavar="ROUNDS")
    parser.add_argument("--uploads", type=int, metavar="AUTHORS")
    options = parser.parse_args()
    if options.memory:
        return memory(options.memory)
    if options.uploads:
        return uploads(options.uploads, options.seed)
    return simulated(options)


if __name__ == "__main__":
    sys.exit(main())
