"""What bots keep from round to round: equal for any number of workers, after kills, and proved."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from random import Random
from typing import Final

import msgspec
import pytest

from arena.extensions.rounds.learning import LearningState, checked
from arena.runs.config.tournament import load_tournament
from arena.runs.disk import StoreError
from arena.runs.growth.rulings import RunRuling, Verb
from arena.runs.reader import StoredRun
from arena.runs.store import GAMES, LEARNED, Store, all_lines
from arena.runs.verify import RunVerifier
from arena.schedule.schedule import Block
from arena.tournament.run import open_run, rule
from arena.tournament.session import Session
from arena.values.archives import archived, opened
from arena.values.problems import ConfigError
from arena.values.results import (
    Fault,
    FaultKind,
    GameDone,
    GameResult,
    GameSpec,
    Learned,
    Learning,
    Termination,
    player_of,
)
from tests.cli.shell import bot
from tests.tournament.executors import InMemory, won

NAMES: Final = "abcdef"
MOST: Final = Learning(size=1024, files=5)
SCHEDULES: Final = {
    "swiss": "kind: swiss, rounds: 4, deals: 2",
    "knockout": "kind: knockout, deals: 2, most: 4, third_place: true",
    "ladder": "kind: ladder, rounds: 5, deals: 1",
}

pytestmark = pytest.mark.usefixtures("empty_records")


class Killed(BaseException):
    """The process is no more."""


class Learners(InMemory):
    """Bots that write files from what they read; one has many faults."""

    def __init__(self, places: int, store: Store, chance: Random, cut: float) -> None:
        super().__init__(places, self.game)
        self._blocks: dict[str, Block] = {}
        self._store, self._chance, self._cut = store, chance, cut

    def give(self, place: int, block: Block) -> None:
        self._blocks |= {game.game_id: block for game in block.games}
        super().give(place, block)

    def game(self, spec: GameSpec) -> GameDone:
        if self._chance.random() < self._cut:
            self._store._broken = True  # what waits to be put on disk is lost
            raise Killed
        if self._chance.random() < 0.2:
            self._store.flush()
        own, learned, archives = Random(spec.game_id), [], []
        for seat, name in enumerate(spec.entrants):
            given = dict(self._blocks[spec.game_id].learned)[player_of(name)]
            read = opened(*given)
            assert len(read) <= MOST.files
            assert sum(map(len, read.values())) <= MOST.size
            files = {
                f"f{own.randrange(9)}": hashlib.sha256(repr((spec, seat, read)).encode()).digest()
                * own.choice([0, 1, 9])
                for _ in range(own.randrange(3))
            }
            written = archived(files)
            kept = bool(files) and name != "f"
            learned.append(Learned(given[1], written.digest * kept))
            archives.append(written.packed if kept else b"")
        done = won(spec)
        if "f" in spec.entrants:
            faults = (Fault(spec.entrants.index("f"), FaultKind.CRASH, 0, ""),)
            places = tuple(1 + (name == "f") for name in spec.entrants)
            result = GameResult(spec, Termination.FORFEITED, places, 1, "0" * 64, faults=faults)
            done = msgspec.structs.replace(done, result=result)
        return msgspec.structs.replace(done, learned=tuple(learned), archives=tuple(archives))


def file_of(folder: Path, schedule: str = SCHEDULES["swiss"], more: str = "") -> Path:
    for name in NAMES:
        if not (folder / name).exists():
            bot(folder, name)
    path = folder / "cup.yaml"
    entrants = ", ".join(f"bot: {name}" for name in NAMES)
    path.write_text(
        f"arena: 1\nseed: 1\nisolation: none\ngame: dragonheart\nschedule: {{{schedule}}}\n"
        "learning: {size: 1 KiB, files: 5}\nbreaker: {faults: 40 %, after: 2}\n"
        f"entrants: [{entrants}]\n{more}"
    )
    return path


def play(folder: Path, kind: str, places: int, cut: float = 0.0) -> Path:
    """Play a run to its end, in as many sessions as kills leave of it."""
    run, chance = folder / f"{kind}-{places}", Random(places)
    path = file_of(folder, SCHEDULES[kind])
    run.mkdir(exist_ok=True)
    for _ in range(300):
        opened_run = open_run(load_tournament(path), run, None)
        try:
            with Store(run) as store:
                session = Session(opened_run, store)
                session.grow()
                if session.is_done:
                    return run
                executor = Learners(places, store, chance, cut)
                session.play(nullcontext(executor), math.inf)
        except Killed:
            continue
    raise AssertionError("it comes to no end")


def given(run: Path) -> dict[tuple[str, str], str]:
    """The digest of what each bot was given, by round and name; one for all games of a round."""
    found: dict[tuple[str, str], set[str]] = {}
    for _, stored in all_lines(run):
        names = stored.result.spec.entrants
        label = stored.result.spec.game_id.split("/")[1]
        for name, learned in zip(names, stored.learned, strict=True):
            found.setdefault((label, name), set()).add(learned.given)
    assert all(len(each) == 1 for each in found.values()), found
    return {key: each for key, (each,) in found.items()}


def findings(run: Path) -> list[str]:
    """What verification finds of what bots learnt."""
    return [str(each) for each in checked(StoredRun(run))]


@pytest.mark.parametrize("kind", SCHEDULES)
def test_kills_and_workers_change_nothing_of_what_is_given(kind: str, tmp_path: Path) -> None:
    alone, among = play(tmp_path, kind, 1), play(tmp_path, kind, 4, cut=0.15)
    assert given(alone) == given(among)
    assert len(set(given(alone).values())) > 6
    assert findings(alone) == findings(among) == []
    assert "f" in StoredRun(alone).withdrawals().withdrawn


def test_lost_games_of_several_rounds_are_played_with_what_was_given(tmp_path: Path) -> None:
    run = play(tmp_path, "swiss", 2)
    before, lines = given(run), (run / GAMES).read_bytes().splitlines(keepends=True)
    kept = [line for number, line in enumerate(lines) if number % 7]
    assert len(kept) < len(lines) - 4
    (run / GAMES).write_bytes(b"".join(kept))
    assert play(tmp_path, "swiss", 2) == run
    assert given(run) == before
    assert findings(run) == []


def test_a_game_that_is_ruled_to_be_played_again_changes_nothing(tmp_path: Path) -> None:
    run = play(tmp_path, "swiss", 2)
    before, first = given(run), next(all_lines(run))[1].result
    game, digest = first.spec.game_id, first.digest
    ruled = RunRuling(verb=Verb.REPLAY, author="a", reason="b", game=game, digest=digest)
    rule(run, ruled)
    play(tmp_path, "swiss", 2)
    assert sum(stored.result.spec == first.spec for _, stored in all_lines(run)) == 2
    assert given(run) == before
    assert findings(run) == []


@pytest.fixture(scope="module")
def swiss(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], Path]:
    """Files of a run that ended, and the run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arena.tournament.run.set_damage_aside", lambda folder: 0)
        run = play(tmp_path_factory.mktemp("swiss"), "swiss", 1)
    return {name: (run / name).read_bytes() for name in (GAMES, LEARNED)}, run


@pytest.fixture
def run(swiss: tuple[dict[str, bytes], Path]) -> Iterator[Path]:
    """The run, to be forged."""
    files, folder = swiss
    yield folder
    for name, data in files.items():
        (folder / name).write_bytes(data)


def forge(run: Path, change: str) -> None:
    """Change something of what was written in the first round."""
    lines = [json.loads(line) for line in (run / GAMES).read_text().splitlines()]
    places = [
        (line["learned"], seat)
        for line in lines
        for seat, own in enumerate(line["learned"])
        if own.get("digest") and "/round1/" in line["result"]["spec"]["game_id"]
    ]
    (one, first), (other, second) = places[0], places[1]
    data = bytearray((run / LEARNED).read_bytes())
    match change:
        case "changed":
            data[one[first].get("offset", 0) + 8] ^= 1
        case "missing file":
            (run / LEARNED).unlink()
        case "cut":
            del data[-3:]
        case "swapped":
            one[first], other[second] = other[second], one[first]
        case "left out":
            one[first] = {"given": one[first]["given"]}
        case "of nobody":
            del lines[-1]["learned"]
        case "given another":
            lines[-1]["learned"][0]["given"] = one[first]["digest"]
        case "far away":
            one[first]["offset"] = 1 << 40
        case "negative":
            one[first]["offset"] = -1
        case "lengthy":
            one[first]["length"] = 1 << 62
    if change != "missing file":
        (run / LEARNED).write_bytes(data)
    (run / GAMES).write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.mark.parametrize(
    ("change", "told"),
    {
        "changed": "the archive at byte",
        "missing file": "learned.bin",
        "cut": "the archive at byte",
        "swapped": "but had learnt",
        "left out": "but had learnt",
        "of nobody": "is without what its 2 bots learnt",
        "given another": "but had learnt",
        "far away": "the archive at byte",
        "negative": "no stored game",
        "lengthy": "no stored game",
    }.items(),
)
def test_a_forged_archive_is_found(run: Path, change: str, told: str) -> None:
    forge(run, change)
    assert any(told in each for each in findings(run)), findings(run)


def test_what_is_not_there_at_all_is_not_checked(run: Path) -> None:
    (run / LEARNED).unlink()
    lines = [json.loads(line) for line in (run / GAMES).read_text().splitlines()]
    for line in lines:
        del line["learned"]
    (run / GAMES).write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert findings(run) == []
    verifier = RunVerifier(run)
    assert [*verifier.games()]
    assert verifier.remarks == ["what bots learnt is not here, and not checked"]


def test_archives_that_are_lost_are_not_made_up(run: Path) -> None:
    (run / LEARNED).write_bytes(b"")
    _, stored = next(all_lines(run))
    with Store(run) as store:
        store.add(
            GameDone(stored.result, b"", ("", ""), learned=stored.learned, archives=(b"1", b""))
        )
        with pytest.raises(StoreError, match=r"archives are lost"):
            store.flush()


def test_the_oldest_files_make_room(run: Path) -> None:
    stored = StoredRun(run)
    state, less = LearningState(run, MOST), LearningState(run, Learning(size=1024, files=1))
    for each in (state, less):
        each.turn_to(stored.schedule.numbers, stored.schedule, stored.breaker)
    for player in "abcde":
        (name,) = opened(*less.archive(player))
        assert name in opened(*state.archive(f"{player}@2")), "a new version inherits"
    assert opened(*state.archive("f")) == {}


@pytest.mark.parametrize(
    ("schedule", "more", "told"),
    [
        ("deals: 1", "", "found it with the kind round robin, whose games are one round"),
        ("kind: swiss, rounds: 2", "learning: {size: 1 B}\n", "learning.size"),
        ("kind: swiss, rounds: 2", "learning: {size: 17 MiB}\n", "learning.size"),
        ("kind: swiss, rounds: 2", "learning: {files: 0}\n", "learning.files"),
        ("kind: swiss, rounds: 2", "learning: {files: 1001}\n", "learning.files"),
        ("kind: swiss, rounds: 2", "learning: {depth: 1}\n", "learning: unknown key"),
        ("kind: swiss, rounds: 2", "learning: on\n", "learning"),
    ],
)
def test_what_cannot_be_kept_is_said(tmp_path: Path, schedule: str, more: str, told: str) -> None:
    path = file_of(tmp_path, schedule, "")
    if more:
        text = path.read_text().replace("learning: {size: 1 KiB, files: 5}\n", more)
        path.write_text(text)
    with pytest.raises(ConfigError, match=told) as error:
        load_tournament(path)
    assert len(error.value.problems) == 1
