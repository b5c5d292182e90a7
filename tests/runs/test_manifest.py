"""run.json: comes back as it was, and is refused in one sentence where it is no such file."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from arena import __version__
from arena.runs.config.keys import Ratings
from arena.runs.disk import StoreError, write_atomically
from arena.runs.growth.kinds import run_kind
from arena.runs.manifest import (
    FORMAT,
    FamilySource,
    Manifest,
    MatchSource,
    Source,
    TableSource,
    TournamentSource,
    TuningSource,
    Until,
    is_run,
    read_manifest,
)
from arena.schedule.pairings import Shard
from arena.values.results import BreakerPolicy, Limits, RulesSpec, TimeControl
from tests.cli.shell import arena
from tests.runs.manifests import ENTRANT, identity_of, manifest_of
from tests.tournament.tables import discipline

GAME = discipline("a", "b", rules=RulesSpec("toy", 2, {}, {}))
MANIFEST = manifest_of(identity_of(GAME))


def write(folder: Path, manifest: Manifest | dict[str, Any] = MANIFEST) -> Path:
    write_atomically(folder / "run.json", msgspec.json.encode(manifest))
    return folder


def as_json(manifest: Manifest = MANIFEST) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(msgspec.json.encode(manifest))
    return found


def test_a_manifest_comes_back(tmp_path: Path) -> None:
    assert not is_run(tmp_path)
    assert is_run(write(tmp_path))
    assert read_manifest(tmp_path) == MANIFEST


SOURCES: list[Source] = [
    TournamentSource(game=None, targets=("cup.yaml",), settings=("clock.move=2 s",), cwd="/x"),
    MatchSource(candidate="new", baseline="old", games=("dragonheart",), cwd="/x"),
    FamilySource(candidates=("new", "newer"), baseline=None, games=("dragonheart",), cwd="/x"),
    TableSource(person="me"),
    TuningSource(bot="new", params=("depth=2:8",)),
]


def test_sources_are_told_apart(tmp_path: Path) -> None:
    for source in SOURCES:
        write(tmp_path, msgspec.structs.replace(MANIFEST, source=source))
        assert read_manifest(tmp_path).source == source
    assert {type(source) for source in SOURCES} == {*get_args(Source)}


def test_quantities_are_numbers_in_the_file() -> None:
    clock, limits = TimeControl(move=None, bank=20.0, increment=0.5), Limits(cpu=None)
    own = as_json(manifest_of(identity_of(GAME, clock=clock, limits=limits)))["identity"]
    assert own["clock"] == {"move": None, "bank": 20.0, "increment": 0.5, "startup": 10.0}
    more = TimeControl(bank=60.0, moves=40, margin=0.5)
    again = as_json(manifest_of(identity_of(GAME, clock=more)))["identity"]["clock"]
    assert (again["moves"], again["margin"]) == (40, 0.5)
    assert own["limits"]["reply"] == 65536
    assert own["limits"]["cpu"] is None
    assert own["breaker"] == {"faults": 0.5, "after": 20, "starts": 3, "then": "withdraw"}


def test_a_shard_is_told_in_the_file_and_a_whole_run_says_nothing(tmp_path: Path) -> None:
    assert "shard" not in as_json()
    shard = msgspec.structs.replace(MANIFEST, shard=Shard(2, 5))
    assert as_json(shard)["shard"] == {"number": 2, "of": 5}
    assert read_manifest(write(tmp_path, shard)) == shard
    assert (MANIFEST.title, shard.title) == ("cup", "cup shard 2/5")


@pytest.mark.parametrize(
    ("shard", "told"),
    [
        ({"number": 6, "of": 5}, "shard: found 6/5, a number too high"),
        ({"number": 0, "of": 5}, "`int` >= 1"),
        ({"number": 1, "of": 10**9}, "`int` <= 10000"),
        ({"number": 1}, "missing required field `of`"),
        ("2/5", "Expected `object | null`"),
    ],
)
def test_a_shard_that_is_none_is_refused(tmp_path: Path, shard: object, told: str) -> None:
    with pytest.raises(StoreError, match=re.escape(told)):
        read_manifest(write(tmp_path, as_json() | {"shard": shard}))


UNTIL = [
    pytest.param(Until.MATCH, marks=pytest.mark.extensions("matches")),
    pytest.param(Until.PERSON, marks=pytest.mark.extensions("browser")),
]


@pytest.mark.parametrize("until", UNTIL)
def test_what_is_judged_as_it_comes_has_no_shards(tmp_path: Path, until: Until) -> None:
    own = manifest_of(identity_of(GAME, until=until))
    with pytest.raises(StoreError, match="is played as a whole"):
        read_manifest(write(tmp_path, msgspec.structs.replace(own, shard=Shard(1, 2))))


@pytest.mark.parametrize("until", [None, *UNTIL])
def test_what_ends_a_run(until: Until | None) -> None:
    own = manifest_of(identity_of(GAME, until=until))
    assert own.kind is run_kind("tournament" if until is None else until.value)
    assert (own.kind.planned(5) is None) == own.is_fixed == (until is not None)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b'{"format":"\xff"}',
        b"[" * 100_000,
        b'{"format":3}',
        b'{"format":"3"}',
        msgspec.json.encode(MANIFEST).replace(b'"pondering"', b'"thinking"'),
        msgspec.json.encode(MANIFEST).replace(b'"shown"', b'"told"'),
        msgspec.json.encode(MANIFEST).replace(b'"pondering"', b'"more":1,"pondering"'),
        msgspec.json.encode(MANIFEST).replace(b'"digest"', b'"more":1,"digest"'),
        msgspec.json.encode(MANIFEST).replace(b'"commitment"', b'"more":1,"commitment"'),
        msgspec.json.encode(MANIFEST).replace(b'"move":1.0', b'"move":"1 s"'),
        msgspec.json.encode(MANIFEST).replace(b'"source":null', b'"source":{}'),
        msgspec.json.encode(MANIFEST).replace(b'"move":1.0', b'"move":1e999'),
    ],
)
def test_a_manifest_that_is_none_is_told(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "run.json").write_bytes(text)
    with pytest.raises(StoreError, match="something else than arena writes there"):
        read_manifest(tmp_path)


def test_a_folder_without_one_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"found no run\.json, expected the folder of a run"):
        read_manifest(tmp_path)


def played(**plan: Any) -> dict[str, object]:
    return {"disciplines": (discipline("a", "b", **plan),)}


TWO = {"a": ENTRANT, "b": ENTRANT}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (played(deals=0), "Expected `int` >= 1"),
        (played(deals=10**9), "Expected `int` <= 10000000"),
        (played(kind="gauntlet", focus=("c",)), r'focus\[0\]: found "c", expected an entrant'),
        (played(kind="gauntlet", focus=("a", "a")), r'focus\[1\]: found "a" a second time'),
        (played(kind="pairings", pairings=(("a",),)), r"pairings\[0\]: found 1 name, expected 2"),
        (played(kind="pairings"), "kind: found pairings without pairings"),
        (played(kind="ring"), "found the kind of schedule ring"),
        (played(kind="match", lineup="alone"), "lineup: found 0 names in focus"),
        (played(kind="match", pairings=(("a", "x"),)), r"pairings\[0\]: found no pair"),
        (
            {"disciplines": (discipline(*(f"b{n}" for n in range(150)), deals=10**7),)}
            | {"entrants": dict.fromkeys((f"b{n}" for n in range(150)), ENTRANT)},
            "expected at most 10000000000 games",
        ),
        ({"disciplines": ()}, "found no game"),
        ({"disciplines": (GAME, GAME)}, "two of one name"),
        ({"disciplines": (discipline("a", "x"),)}, "somebody plays who is no entrant"),
        ({"disciplines": (discipline("a"),)}, "at a table of 2 seats"),
        ({"disciplines": (discipline("a", "a"),)}, "some perhaps twice"),
        ({"ratings": Ratings(anchor="nobody")}, "the anchor is no entrant"),
        ({"clock": TimeControl(move=1e300)}, "clock.move is out of all bounds"),
        ({"clock": TimeControl(startup=-1.0)}, "clock.startup is out of all bounds"),
        ({"limits": Limits(memory=10**18)}, r"`int` <= 1099511627776 - at `\$\.identity\.limits"),
        ({"breaker": BreakerPolicy(faults=1e300)}, r"`float` <= 1\.0 - at `\$\.identity\.breaker"),
    ],
)
def test_a_manifest_that_makes_no_sense(tmp_path, changes, told) -> None:
    write(tmp_path, manifest_of(identity_of(GAME, **({"entrants": TWO} | changes))))
    with pytest.raises(StoreError, match=told):
        read_manifest(tmp_path)


OLD: dict[str, Any] = {
    "format": 1,
    "arena": "0.1.0",
    "name": "cup",
    "identity": {"arena": 1, "clock": {"move": "1 s"}},
    "source": {"game": None, "targets": ["cup.yaml"]},
}
"""As the first format began."""
COMMANDS = [
    ("run", "cup"),
    ("run", "cup.yaml"),
    ("compare", "bots/anna", "bots/berta", "-g", "dragonheart", "-o", "cup"),
    ("play", "dragonheart", "--against", "bots/anna", "-o", "cup"),
    ("plan", "cup"),
    ("standings", "cup"),
    ("standings", "cup", "--full"),
    ("standings", "cup", "--json"),
    ("verify", "cup"),
    ("verify", "cup", "--json"),
    ("replay", "cup", "1"),
    ("replay", "cup", "1", "--html"),
    ("report", "cup"),
    ("export", "cup", "--public"),
    ("watch", "cup", "--once"),
    ("watch", "cup", "--json"),
    ("try", "bots/anna", "--from", "cup#1"),
]


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize(
    ("command", "number"), [(COMMANDS[0], 1), *((each, FORMAT + 1) for each in COMMANDS)], ids=str
)
def test_every_command_refuses_another_format_in_one_sentence(tmp_path, command, number) -> None:
    for name in ("anna", "berta"):
        (tmp_path / "bots" / name).mkdir(parents=True)
        text = f"bot: 1\nname: {name}\ncommand: [python3, main.py]\noptions: {{}}\n"
        (tmp_path / "bots" / name / "bot.yaml").write_text(text)
        (tmp_path / "bots" / name / "main.py").write_text(f"# {name}\n")
    (tmp_path / "cup.yaml").write_text(
        "arena: 1\ngame: dragonheart\nentrants: [{bot: bots/anna}, {bot: bots/berta}]\n"
        "output: {folder: cup}\n"
    )
    (tmp_path / "cup").mkdir()
    write(tmp_path / "cup", OLD | {"format": number})
    done = arena(tmp_path, *command)
    assert done.code == 2, (done.out, done.err)
    told = (
        f"cup/run.json: found format {number}, begun by arena 0.1.0, expected format {FORMAT} "
        f"(this is arena {__version__}): use the arena that began the run, or begin again in "
        "another folder"
    )
    # what a killed run left may have been removed before, which is told too
    [line] = [each for each in done.err.splitlines() if "had left" not in each]
    assert line.startswith("error: ")
    assert line.endswith(told)
    assert "Traceback" not in done.out


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ({}, "games: found other ones than those that are played"),
        ({"score": "points\x1b[2J"}, "games.toy-2: found a text with control characters"),
        ({"endings": {"R\n": "over"}}, "found a text with control characters"),
        ({"worst_score": 10**16}, "games.toy-2.worst_score is out of all bounds"),
    ],
)
def test_what_tables_say_of_games_is_no_nonsense(tmp_path, facts, told) -> None:
    known = manifest_of(identity_of(GAME))
    games = {name: msgspec.structs.replace(each, **facts) for name, each in known.games.items()}
    write(tmp_path, msgspec.structs.replace(known, games=games if facts else {}))
    with pytest.raises(StoreError, match=re.escape(told)):
        read_manifest(tmp_path)


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        ((), "found no run.json, expected the folder of a run"),
        (("cup",), "found no run.json; it holds the run cup"),
        (("stage-02", "stage-01", "match-a"), "holds the runs match-a, stage-01, stage-02"),
        (tuple("abcdefg"), "holds the runs a, b, c, d, e …"),
    ],
)
def test_a_folder_of_runs_is_told_from_a_run(tmp_path, runs, said) -> None:
    (tmp_path / "logs").mkdir()
    for name in runs:
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.json").touch()
    with pytest.raises(StoreError) as caught:
        read_manifest(tmp_path)
    assert str(caught.value).endswith(said)
    with pytest.raises(StoreError, match="expected the folder of a run"):
        read_manifest(tmp_path / "nowhere")
