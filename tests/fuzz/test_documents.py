"""A small share of the fuzzing of files and command lines on every run."""

from __future__ import annotations

import os
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from arena.referee.records.format import GZIP_HEADER
from arena.referee.records.read import RecordError, parse, unpack
from arena.runs.config.tournament import load_tournament
from arena.values.problems import ConfigError
from tests.fuzz import commands, documents
from tests.fuzz.documents import Failed, Kind, check, invoke, repacked, resealed, rounds

pytestmark = [pytest.mark.slow, pytest.mark.process]

ROUNDS = 10
COMMANDS = 60
AMPLE = 60.0
"""Seconds of processor time."""


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Kind]]:
    """In the current folder, with all that command lines name."""
    folder, before = tmp_path_factory.mktemp("fuzz"), Path.cwd()
    kinds = commands.prepare(folder)
    os.chdir(folder)
    yield kinds
    os.chdir(before)


def test_every_document_of_the_corpus_is_read(kinds: dict[str, Kind]) -> None:
    for name, kind in kinds.items():
        for data in kind.corpus:
            assert check(kind, data) == "read", name


def test_damaged_documents_are_read_or_refused(kinds: dict[str, Kind]) -> None:
    counts = Counter(rounds(kinds, "tests", 0, ROUNDS))
    assert counts.total() == ROUNDS * len(kinds)
    refused = {name for name, verdict in counts if verdict != "read"}
    assert refused == set(kinds)


@pytest.mark.usefixtures("kinds")
def test_command_lines_have_a_good_end() -> None:
    tally: Counter[str] = Counter()
    commands.run_rounds("tests", 0, COMMANDS, tally)
    assert tally.total() == COMMANDS
    assert {verdict.rpartition(" ")[2] for verdict in tally} >= {"0", "2"}


@pytest.mark.parametrize("name", commands.commands())
@pytest.mark.parametrize("hostile", commands.HOSTILE)
@pytest.mark.usefixtures("kinds")
def test_no_error_of_a_command_obeys_a_name(name: str, hostile: str) -> None:
    """An argument, the value of each option, and both as a document."""
    first = [name, "--dry-run"] if name == "run" else [name]
    invoke([*first, hostile], debug=False)
    for option in commands.commands()[name]:
        invoke([*first, hostile, option, hostile], debug=False)
        invoke([*first, hostile, f"{option}={hostile}", "--json"], debug=False)


@pytest.mark.parametrize("text", ["schedule.pairings=[[], [anna]]", "schedule.focus=[[]]"])
def test_a_list_in_a_list_that_is_refused_is_told(kinds: dict[str, Kind], text: str) -> None:
    assert check(kinds["override"], text.encode()) == "ConfigError"


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_name_that_is_no_unicode_can_be_told(more: list[str]) -> None:
    assert invoke(["replay", "\udcff", "1", *more]) == 2


def test_a_bug_in_a_command_is_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def broken(*_: object) -> None:
        raise ValueError("oops")

    monkeypatch.setattr("arena.cli.commands.standings.run_folder", broken)
    with pytest.raises(Failed, match="oops"):
        invoke(["standings", str(tmp_path)])


def test_a_reader_that_fails_is_told_with_its_document(tmp_path: Path) -> None:
    def broken(data: bytes) -> object:
        raise KeyError("oops")

    with pytest.raises(Failed, match="run, seed 1, round 0: KeyError: 'oops'\nkept in ") as caught:
        list(rounds({"run": Kind([b"a"], broken, (ConfigError,))}, 1, 0, 1))
    kept = Path(str(caught.value).rpartition(" ")[2])
    assert kept.exists()
    kept.unlink()


def test_a_forged_seal_is_as_good_as_the_right_one(kinds: dict[str, Kind]) -> None:
    """So the lines of a record can be damaged behind it."""
    text = kinds["resealed"].corpus[0]
    assert resealed(text) == text
    assert parse(unpack(repacked(resealed(text))))[1] == parse(text)[1]


@pytest.mark.parametrize("size", [1 << 30, (1 << 32) + 1], ids=["1 GiB", "above 4 GiB"])
def test_a_member_that_inflates_to_gigabytes_is_refused(size: int) -> None:
    block = bytes(1 << 20)
    packer = zlib.compressobj(1, wbits=-15)
    once = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    bomb = GZIP_HEADER + once + again * (size // len(block))
    began = time.process_time()
    with pytest.raises(RecordError, match="more than 67108864 bytes unpacked"):
        unpack(bomb)
    assert time.process_time() - began < AMPLE


MANY = 10_000
LARGE = {
    "unknown keys": "".join(f"k{n}: 1\n" for n in range(MANY)),
    "focus of nobody": "schedule: {kind: gauntlet, focus: ["
    + ",".join(f"nobody{n}" for n in range(MANY))
    + "]}\n",
    "pairings of nobody": "schedule: {kind: pairings, pairings: ["
    + ",".join(f"[b{n}, c{n}]" for n in range(MANY // 2))
    + "]}\n",
    "deep": "notes: " + "[" * 500_000,
    "deep blocks": "notes:\n" + "".join(" " * n + "-\n" for n in range(1000)),
    "aliases": "notes: [" + "*a," * 20_000 + "]\n",
    "one long text": "notes: " + "a" * 900_000 + "\n",
}


@pytest.mark.parametrize("text", LARGE.values(), ids=LARGE)
def test_a_large_tournament_file_takes_no_longer_than_its_length(text: str, tmp_path: Path) -> None:
    """What grows with the square of it would take hours."""
    entrants = "".join(f"- {{command: python3, name: a{n}}}\n" for n in range(1000))
    path = tmp_path / "large.yaml"
    path.write_text(f"arena: 1\ngame: dragonheart\n{text}entrants:\n{entrants}"[:1_000_000])
    began = time.process_time()
    with suppress(ConfigError):
        load_tournament(path)
    assert time.process_time() - began < AMPLE


def test_the_memory_of_a_long_run_is_bounded() -> None:
    assert documents.MEMORY < 1 << 31
