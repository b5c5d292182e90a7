"""Damaged files of every kind through their readers.

    python -m tests.fuzz.documents [--rounds 2000] [--seed 1] [--only NAME]

Each round damages one valid document of each kind, in its bytes or in its structure, and reads
it as arena does. What comes out must be a value or the documented error, within ten seconds of
processor time and a gibibyte of memory; else the run ends with exit code 1, the seed and the
document, kept in a file.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import sys
import tempfile
import time
import unicodedata
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from shutil import copytree
from typing import Final, NamedTuple

import msgspec
import yaml

from arena.cli import main as main_program
from arena.entrants.manifest import load_bot
from arena.games.base import RulesError
from arena.games.registry import make_rules, rules_spec
from arena.referee.records.format import GZIP_HEADER, Seal, checksums, digest_of, seal_line
from arena.referee.records.read import RecordError, parse, unpack
from arena.referee.records.replay import verify
from arena.runs.config.tournament import load_tournament
from arena.runs.disk import StoreError
from arena.runs.manifest import read_manifest
from arena.runs.reader import StoredRun
from arena.runs.store import read_opening, read_record, stored_voids
from arena.runs.voids import VOIDS, Void
from arena.values.clean import UNSAFE
from arena.values.problems import ConfigError
from arena.values.results import VoidCause
from tests.cli.shell import arena
from tests.fuzz.mutate import changed, mutated
from tests.fuzz.timer import interrupted

FORGED: Final = "FORGED"
"""Begin of a line that a hostile name tries to print."""
ROOT: Final = Path(__file__).parents[2]
SLOW: Final = 10.0
"""Seconds of processor time that no document may take."""
MEMORY: Final = 1 << 30
"""Bytes that reading may take in all, in a long run."""
EXIT_CODES: Final = {0, 1, 2, 3, 4, 130}

TOURNAMENT: Final = """\
arena: 1
name: cup
notes: for people
games:
  - {name: heart, rules: dragonheart, seats: 2, options: {edition: ffg}, entrants: [anna, berta]}
  - {rules: dragonkrak, seats: 3, schedule: {deals: 5, max_pairings: 2}}
  - {name: own, rules: dragonheart, data: deck.yaml}
  - dragonkrak
entrants:
  - {bot: bots/random, name: anna}
  - {bot: bots/greedy, name: berta, env: {HOME: /tmp}}
  - {command: [python3, main.py, "-v"], name: clara, cwd: bots/random, options: {a: [1, {b: 2}]}}
  - {glob: "bots/f*"}
seed: a secret
schedule: {kind: gauntlet, focus: [anna], deals: 100, seatings: all}
clock: {bank: 10 s, increment: 50 ms, startup: 5 s}
limits: {reply: 64 KiB, stderr: 1 MiB}
names: hidden
on_fault: end
execution: {workers: 2, pin: false, fresh: true}
output: {folder: out, formats: [txt, json]}
ratings: {anchor: berta, elo: 1000.5}
"""
BOT: Final = """\
bot: 1
name: mine
version: "1.2"
authors: [Me, "You <you@example.org>"]
license: MIT
language: Python
plays: {dragonheart: [2], dragonkrak: [1, 2, 3, 4]}
protocol: 1
command: [python3, main.py]
build: [[python3, -c, pass]]
options:
  samples: {type: int, default: 20, min: 1, max: 100, help: how many}
  greed: {type: float, default: 0.5, min: 0}
  style: {type: choice, default: calm, choices: [calm, wild]}
  loud: {type: bool, default: false}
  motto: {type: text, default: ""}
deterministic: true
needs: {python3: "3.11"}
"""
OVERRIDES: Final = (
    "clock.move='2 s'",
    "entrants.2.name=dora",
    "entrants[2].options={a: [1]}",
    "games.0.schedule.deals=3",
    "ratings={anchor: anna}",
    "seed=7",
    "schedule.focus=[berta]",
)

_COMMANDS: Final = (
    ["standings"],
    ["standings", "--format", "md"],
    ["standings", "--json"],
    ["verify"],
    ["verify", "--json"],
    ["replay", "1"],
    ["replay", "2", "--json", "--seat", "0"],
)


class Failed(AssertionError):
    """A reader did what it must not do."""


class Kind(NamedTuple):
    """One kind of document."""

    corpus: Sequence[bytes]
    read: Callable[[bytes], object]
    allowed: tuple[type[Exception], ...]
    """The documented errors."""
    damage: Callable[[random.Random, bytes, Sequence[bytes]], bytes] = mutated


class Workspace:
    """A folder with bots, a tournament and a finished run, in which documents are damaged."""

    def __init__(self, folder: Path) -> None:
        """Plays twelve games."""
        self.folder = folder
        copytree(ROOT / "bots", folder / "bots")
        self.run = folder / "run"
        (folder / "cup.yaml").write_text(
            "arena: 1\ngames:\n- dragonheart\n- {rules: dragonkrak, seats: 3}\n"
            "- {rules: dragonkrak, seats: 1}\nseed: fuzz\nschedule: {deals: 1}\nentrants:\n"
            "- bot: bots/random\n- bot: bots/first-legal\n- bot: bots/greedy\n"
        )
        done = arena(folder, "run", "cup.yaml", "-q", "--output", "run")
        if done.code:
            raise RuntimeError(done.err)
        run = StoredRun(self.run)
        self.packed = [read_record(self.run, game.stored.record) for game in run.games()]
        self._rules = {each.name: make_rules(each.rules) for each in run.manifest.disciplines}

    def kinds(self) -> dict[str, Kind]:
        """Every kind of document, by name."""
        cards = _file("dragonheart/hobby_2016.yaml"), _file("dragonrealm/standin.yaml")
        (self.folder / "deck.yaml").write_bytes(cards[0])
        cups = [TOURNAMENT.encode(), (self.folder / "cup.yaml").read_bytes()]
        for path in sorted((ROOT / "tournaments").glob("*-*.yaml")):
            cups.append(path.read_bytes().replace(b"../bots", b"bots"))
        bots = [BOT.encode(), *(p.read_bytes() for p in sorted(ROOT.glob("bots/*/bot.yaml")))]
        texts = [unpack(packed) for packed in self.packed]
        kinds = {
            "tournament": Kind(cups, self._tournament, (ConfigError,), _yaml_damage),
            "override": Kind(
                [each.encode() for each in OVERRIDES], self._override, (ConfigError,), _override
            ),
            "bot.yaml": Kind(bots, self._bot, (ConfigError,), _yaml_damage),
            "deck": Kind(cards[:1], self._deck, (ConfigError, RulesError), _yaml_damage),
            "cards": Kind(cards[1:], self._cards, (ConfigError, RulesError), _yaml_damage),
            "member": Kind(self.packed, self._record, (RecordError,)),
            "repacked": Kind(texts, self._repacked, (RecordError,), _lines_damage),
            "resealed": Kind(texts, self._resealed, (RecordError,), _lines_damage),
        }
        readers: dict[str, Callable[[], object]] = {
            "run.json": lambda: read_manifest(self.run),
            "seed.json": lambda: read_opening(self.run),
            "games.jsonl": lambda: list(StoredRun(self.run).games()),
            VOIDS: lambda: list(stored_voids(self.run)),
        }
        for name, read in readers.items():
            whole = self._voids() if name == VOIDS else (self.run / name).read_bytes()
            damage = _lines_damage if name.endswith("l") else _json_damage
            kinds[name] = Kind([whole], self._in_run(name, read), (StoreError,), damage)
        return kinds

    def _tournament(self, data: bytes) -> object:
        path = self.folder / "damaged.yaml"
        path.write_bytes(data)
        return load_tournament(path)

    def _override(self, data: bytes) -> object:
        path = self.folder / "whole.yaml"
        path.write_text(TOURNAMENT)
        return load_tournament(path, [os.fsdecode(data)])

    def _bot(self, data: bytes) -> object:
        home = self.folder / "damaged"
        home.mkdir(exist_ok=True)
        (home / "bot.yaml").write_bytes(data)
        return load_bot(home)

    def _deck(self, data: bytes) -> object:
        return rules_spec("dragonheart", data_file=self._data(data))

    def _cards(self, data: bytes) -> object:
        return rules_spec("dragonrealm", data_file=self._data(data))

    def _data(self, data: bytes) -> Path:
        path = self.folder / "damaged-cards.yaml"
        path.write_bytes(data)
        return path

    def _record(self, data: bytes) -> None:
        record, _ = parse(unpack(data))
        rules = self._rules.get(record.header.spec.discipline)
        if rules is not None:
            verify(record, rules)

    def _repacked(self, data: bytes) -> None:
        self._record(repacked(data))

    def _resealed(self, data: bytes) -> None:
        self._record(repacked(resealed(data)))

    def _voids(self) -> bytes:
        """A void of each cause."""
        specs = [game.result.spec for game in StoredRun(self.run).games()]
        voids = [
            Void(spec.game_id, cause, "it was so", spec.entrants)
            for spec, cause in zip(specs, VoidCause, strict=False)
        ]
        return msgspec.json.Encoder().encode_lines(voids)

    def _in_run(self, name: str, read: Callable[[], object]) -> Callable[[bytes], object]:
        """One of the commands that read a whole run, then the reader of the file alone."""

        def reader(data: bytes) -> object:
            path = self.run / name
            before = path.read_bytes() if path.exists() else None
            path.write_bytes(data)
            command, *more = _COMMANDS[zlib.crc32(data) % len(_COMMANDS)]
            try:
                invoke([command, str(self.run), *more])
                return read()
            finally:
                path.unlink() if before is None else path.write_bytes(before)

        return reader


def invoke(arguments: Sequence[str], *, debug: bool = True) -> int:
    """A command line in this process; its exit code. Raises Failed at one that is a bug."""
    said = [BytesIO(), BytesIO()]
    out, err = (TextIOWrapper(each, "utf-8", write_through=True) for each in said)
    words = sys.argv
    sys.argv = ["arena", *arguments, *["--debug"] * debug]
    code: object = 0
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main_program()
    except SystemExit as end:
        code = end.code
    except Exception as error:
        raise Failed(f"arena {list(arguments)}: {error!r}") from error
    finally:
        sys.argv = words
    text = b"".join(each.getvalue() for each in said)
    if code not in EXIT_CODES or b"Traceback" in text or _is_obeyed(text.decode()):
        raise Failed(f"arena {list(arguments)}: exit code {code}: {text[-500:]!r}")
    return int(code) if isinstance(code, int) else 0


def _is_obeyed(text: str) -> bool:
    """Whether a terminal, or who reads line by line, would take a name for more than text."""
    shown = re.sub(r"\x1b\[(0|1|31)m", "", text)
    has_unsafe = any(unicodedata.category(each) in UNSAFE for each in {*shown} - {"\n", "\t"})
    return has_unsafe or any(line.startswith(FORGED) for line in shown.split("\n"))


def repacked(text: bytes) -> bytes:
    """The text as an intact gzip member."""
    packer = zlib.compressobj(1, wbits=-15)
    body = packer.compress(text) + packer.flush()
    trailer = zlib.crc32(text).to_bytes(4, "little") + (len(text) & 0xFFFFFFFF).to_bytes(
        4, "little"
    )
    return GZIP_HEADER + body + trailer


def resealed(text: bytes) -> bytes:
    """The text with the seal that a forger would compute."""
    lines = text.splitlines(keepends=True)[:-1]
    above, game = b"".join(lines), b"".join(lines[:-1])
    return above + seal_line(Seal(digest_of(game), checksums(lines), digest_of(above)))


def _file(name: str) -> bytes:
    return (ROOT / "arena" / "extensions" / "games" / name).read_bytes()


def _yaml_damage(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    if rng.random() < 0.5:
        return mutated(rng, data, corpus)
    value = changed(rng, yaml.safe_load(data))
    if rng.random() < 0.5:
        return json.dumps(value).encode()
    return yaml.safe_dump(value, allow_unicode=True, width=100).encode("utf-8", "replace")


def _json_damage(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    if rng.random() < 0.3:
        return mutated(rng, data, corpus)
    return json.dumps(changed(rng, json.loads(data)), separators=(",", ":")).encode()


def _lines_damage(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    """One line in its structure, or any bytes."""
    if rng.random() < 0.3:
        return mutated(rng, data, corpus)
    lines = data.splitlines(keepends=True)
    ends = rng.choice((0, -1, -2, -3, rng.randrange(len(lines))))
    at = ends % len(lines)
    lines[at] = _json_damage(rng, lines[at].strip(), lines) + b"\n"
    return b"".join(lines)


def _override(rng: random.Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    return mutated(rng, data, corpus).replace(b"\0", b"")  # no argument of a program has one


def check(kind: Kind, data: bytes) -> str:
    """Read one document: the name of the error, or what tells that there was none.

    Raises Failed.
    """
    began = time.process_time()
    try:
        kind.read(data)
        verdict = "read"
    except kind.allowed as error:
        if not str(error).strip():
            raise Failed("refused without a word") from error
        verdict = type(error).__name__
    used = time.process_time() - began
    if used > SLOW:
        raise Failed(f"took {used:.0f} s")
    return verdict


def rounds(
    kinds: dict[str, Kind], seed: int | str, first: int, count: int
) -> Iterator[tuple[str, str]]:
    """Each kind's verdict on each round's document. Raises Failed, the document in a file."""
    for number in range(first, first + count):
        for name, kind in kinds.items():
            rng = random.Random(f"{seed}/{number}/{name}")
            data = kind.damage(rng, rng.choice(kind.corpus), kind.corpus)
            try:
                verdict = check(kind, data)
            except Exception as error:
                raise Failed(_told(name, seed, number, data, error)) from error
            yield name, verdict


def _told(name: str, seed: int | str, number: int, data: bytes, error: Exception) -> str:
    descriptor, path = tempfile.mkstemp(prefix="fuzz-document-")
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    return f"{name}, seed {seed}, round {number}: {type(error).__name__}: {error}\nkept in {path}"


def bound_memory(more: int) -> None:
    """Let this process take so many bytes more than it has, and then fail."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + more
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the rounds; 0 if every document was read or refused as documented."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=2000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--first", type=int, default=0, help="round to begin with")
    parser.add_argument("--only", help="this kind of document alone")
    options = parser.parse_args(arguments)
    counts: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as name:
        kinds = Workspace(Path(name)).kinds()
        if options.only is not None:
            kinds = {options.only: kinds[options.only]}
        os.chdir(name)
        for kind in kinds.values():  # and load all there is to load
            check(kind, kind.corpus[0])
        bound_memory(MEMORY)
        began = time.process_time()
        for number in range(options.first, options.first + options.rounds):
            try:
                with interrupted(12 * SLOW, Failed("took for ever")):
                    counts.update(rounds(kinds, options.seed, number, 1))
            except Failed as error:
                print(error, file=sys.stderr)
                return 1
            if (number + 1) % 100 == 0:
                print(f"{number + 1:>8,}  rounds", flush=True)
        os.chdir("/")
    for (kind_name, verdict), count in sorted(counts.items()):
        print(f"{count:>8,}  {kind_name}: {verdict}")
    print(f"{sum(counts.values()):,} documents in {time.process_time() - began:.0f} s of one core")
    return 0


if __name__ == "__main__":
    sys.exit(main())
