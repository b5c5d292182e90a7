"""Which seeds the rounds of a run may have, and what a ladder tells of its own."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from arena.extensions.rounds import seed_chain
from arena.extensions.rounds.runs import published_seeds, turns
from arena.extensions.rounds.seed_chain import SeedChain
from arena.referee.records.format import pack
from arena.runs.disk import StoreError
from arena.runs.field import FieldChange, Following, Refill, add_change
from arena.runs.identity import fitting_opening, unfit_round
from arena.runs.manifest import read_manifest
from arena.runs.reader import StoredRun
from arena.runs.store import GAMES, RECORDS
from arena.runs.verify import RunVerifier
from arena.schedule.seeds import Opening
from tests.extensions.ladder.ladders import Dealt, Killed, ladder, submit
from tests.runs.manifests import change_of, identity_of, manifest_of
from tests.tournament.folders import unbind
from tests.tournament.tables import discipline

FOLLOWS = {"follows": Following(0, (), "", "")}
REFILLS = {"refills": Refill(("c",), "")}
OTHER_SEED = "entries.jsonl line 1: the seed is not that of the first round"
UNFIT = "entries.jsonl line 1: the seed does not fit the commitment"


@pytest.mark.parametrize(
    ("why", "seed", "is_fitting", "expected"),
    [
        (FOLLOWS, "seed", True, ""),
        (FOLLOWS, "another", True, OTHER_SEED),
        (REFILLS, "seed", True, ""),
        (REFILLS, "another", True, OTHER_SEED),
        ({}, "another", True, ""),  # of newcomers: a seed that nobody knows yet
        ({}, "another", False, UNFIT),
    ],
)
def test_what_follows_from_games_has_the_seed_of_the_first_day(
    why: dict[str, Any], seed: str, is_fitting: bool, expected: str
) -> None:
    own = Opening(seed, "another salt")
    change = change_of(**why)
    commitment = own.commitment(change.digest if is_fitting else "")
    change = msgspec.structs.replace(change, commitment=commitment)
    run = manifest_of(identity_of(discipline("a", "b", kind="swiss", rounds=3)))
    run = msgspec.structs.replace(run, changes=(change,))
    found = unfit_round(run, Opening("seed", "salt", (own,)))
    assert found.startswith(expected)
    assert bool(found) == bool(expected)


# a ladder: attacks by whoever holds the folder

Attack: TypeAlias = Callable[[list[FieldChange]], object]
Folder: TypeAlias = Callable[[Path], object]
ROUNDS = 7


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A ladder of some rounds in which somebody enters, with stretches of three."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(seed_chain, "STRETCH", 3)
        home = ladder(tmp_path_factory.mktemp("seeds") / "l")
        world = Dealt(home)
        submit(home, "anna", "x", 1100)
        world.keep(rounds=4)
        submit(home, "bert", "x", 900)
        world.keep(rounds=ROUNDS - 4)
        yield home / "run"


@pytest.fixture
def run(played: Path, tmp_path: Path) -> Path:
    shutil.copytree(played, tmp_path / "run")
    return tmp_path / "run"


def found(folder: Path) -> list[str]:
    """Without the seed of the run, as everybody else."""
    (folder / "seed.json").unlink(missing_ok=True)
    verifier = RunVerifier(folder)
    findings = [*verifier.findings, *(one for each in verifier.games() for one in each.findings)]
    return [str(each) for each in findings]


def forge(folder: Path, attack: Attack, seed: str = "1", since: int = 0) -> None:
    """Lines that were changed, with all that binds them made again.

    ``seed``: from which the commitments are, ``since`` that line.
    """
    manifest = read_manifest(folder)
    changes = list(manifest.changes)
    attack(changes)
    numbers, own, other = list(turns(manifest.changes)), SeedChain("1"), SeedChain(seed)
    path, before = folder / "entries.jsonl", manifest.commitment
    path.unlink()
    for place, (change, number) in enumerate(zip(changes, numbers, strict=True)):
        bound = msgspec.structs.replace(change, before=before)
        opening = Opening((own if place < since else other).of(number), "")
        bound = msgspec.structs.replace(bound, commitment=opening.commitment(bound.digest))
        add_change(folder, bound)
        before = hashlib.sha256(bound.line).hexdigest()


def tells(change: FieldChange, **what: Any) -> FieldChange:
    assert isinstance(change.follows, Following)
    return msgspec.structs.replace(change, follows=msgspec.structs.replace(change.follows, **what))


def opened(changes: list[FieldChange], number: int) -> int:
    """The line that opens a round."""
    return next(
        place
        for place, each in enumerate(changes)
        if isinstance(each.follows, Following) and each.follows.over == number and each.pairings
    )


def telling(number: int, **what: Callable[[], Any]) -> Attack:
    """In the line that opens that round, or of 0 in the first, something else."""

    def attack(changes: list[FieldChange]) -> None:
        line = opened(changes, number)
        changes[line] = tells(changes[line], **{key: made() for key, made in what.items()})

    return attack


def redrawn(changes: list[FieldChange]) -> None:
    """Another chain from round 4 on, which is the first of a stretch."""
    for number in range(4, ROUNDS):
        telling(number, opens=lambda number=number: SeedChain("better").of(number))(changes)


def swapped(changes: list[FieldChange]) -> None:
    telling(2, opens=lambda: SeedChain("1").of(3))(changes)
    telling(3, opens=lambda: SeedChain("1").of(2))(changes)


def paired_otherwise(changes: list[FieldChange]) -> None:
    line = opened(changes, 3)
    ((name, met),) = changes[line].pairings.items()
    other = next(pair for pair in combinations(("anna.x", "rock", "sand"), 2) if (pair,) != met)
    byes = tuple({"anna.x", "rock", "sand"} - set(other))
    own = tells(changes[line], byes=byes)
    changes[line] = msgspec.structs.replace(own, pairings={name: (other,)})


def nothing(changes: list[FieldChange]) -> None:
    """No attack."""


MISSING = "entries.jsonl: publishes the seeds of rounds in which games are missing: 1"
ANOTHER = "with another seed than was fixed for it"
LESS = "publishes fewer or more seeds than it has to"


@pytest.mark.parametrize(
    ("attack", "expected"),
    [
        (nothing, ""),
        (telling(1, opens=lambda: SeedChain("better").of(1)), f"2: opens round 1 {ANOTHER}"),
        (telling(5, opens=lambda: SeedChain("1").of(6)), f"7: opens round 5 {ANOTHER}"),
        (telling(5, opens=lambda: SeedChain("1").of(4)), f"7: opens round 5 {ANOTHER}"),
        (swapped, f"3: opens round 2 {ANOTHER}"),
        (redrawn, f"6: opens round 4 {ANOTHER}"),
        (telling(3, opens=lambda: UNSET), f"4: {LESS}"),
        (telling(0, opens=lambda: SeedChain("1").of(1)), f"1: {LESS}"),
        (telling(0, fixes=lambda: UNSET), f"1: {LESS}"),
        (telling(1, fixes=lambda: SeedChain("1").end(0)), f"2: {LESS}"),
        (telling(0, fixes=lambda: SeedChain("better").end(1)), f"6: opens round 4 {ANOTHER}"),
        (telling(3, results=lambda: "0" * 64), "4: round 4 was paired by other results"),
        (paired_otherwise, "4: round 4"),
    ],
)
def test_a_ladder_that_tells_other_seeds_is_found(run, monkeypatch, attack, expected) -> None:
    monkeypatch.setattr(seed_chain, "STRETCH", 3)
    forge(run, attack)
    with_seed = [str(each) for each in RunVerifier(run).findings]
    everybody = found(run)
    assert not expected or any(f"line {expected}" in each for each in everybody), everybody
    assert bool(everybody) == bool(expected)
    if "seed" in expected:
        assert with_seed


def test_the_seed_of_a_commitment_is_that_of_its_round(run, monkeypatch) -> None:
    """A line with what another chain says, but for what is published_seeds."""
    monkeypatch.setattr(seed_chain, "STRETCH", 3)
    forge(run, nothing, "better", since=4)
    unfit = "entries.jsonl line 5: the seed does not fit the commitment"
    with pytest.raises(StoreError, match=unfit):
        fitting_opening(run, read_manifest(run))
    assert found(run)[0] == unfit


def lose_game(run: Path) -> None:
    """The last game of the last round that is open."""
    stored = StoredRun(run)
    end = stored.manifest.kind.published_games(stored.manifest.changes, stored.schedule)
    lines = (run / GAMES).read_bytes().splitlines(keepends=True)
    gone = next(game.line for game in stored.games() if game.number == end - 1)
    (run / GAMES).write_bytes(b"".join(lines[: gone - 1] + lines[gone:]))


def lose_game_of_who_leaves(run: Path) -> None:
    """As if it was not played because somebody plays no more, who left when it was known."""
    stored = StoredRun(run)
    manifest = stored.manifest
    end = manifest.kind.published_games(manifest.changes, stored.schedule)
    names = next(game.result.spec.entrants for game in stored.games() if game.number == end - 1)
    lose_game(run)
    change = change_of(
        number=len(manifest.changes) + 1,
        before=hashlib.sha256(manifest.changes[-1].line).hexdigest(),
        left=names[:1],
    )
    own = Opening(SeedChain("1").of(ROUNDS + 1), "")
    add_change(run, msgspec.structs.replace(change, commitment=own.commitment(change.digest)))


def deal_anew(run: Path) -> None:
    """A game of another deal in the place of one that was played."""
    stored = StoredRun(run)
    first, other = (game for game in stored.games() if game.number in (0, 2))
    record = stored.record(other.stored)
    header = msgspec.structs.replace(stored.record(first.stored).header)
    data, digest = pack(record._replace(header=header))
    path = run / RECORDS
    size = path.stat().st_size
    with path.open("ab") as file:
        file.write(data)
    lines = [json.loads(line) for line in (run / GAMES).read_text().splitlines()]
    was = lines[other.line - 1]["result"] | {"spec": lines[first.line - 1]["result"]["spec"]}
    lines[first.line - 1] |= {"result": was | {"digest": digest}}
    lines[first.line - 1]["record"] |= {"offset": size, "length": len(data)}
    (run / GAMES).write_text("".join(json.dumps(line) + "\n" for line in lines))


def begin_anew(run: Path) -> None:
    """The commitment of the first day is another one; so is the chain of lines."""
    manifest = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps(manifest | {"commitment": "0" * 64}))
    lines = (run / "entries.jsonl").read_text().splitlines()
    change = msgspec.json.decode(lines[0], type=FieldChange)
    (run / "entries.jsonl").unlink()
    before = "0" * 64
    for line in lines:
        change = msgspec.structs.replace(msgspec.json.decode(line, type=FieldChange), before=before)
        add_change(run, change)
        before = hashlib.sha256(change.line).hexdigest()


def forget_the_last(run: Path) -> None:
    """A round that was played has no line."""
    lines = (run / "entries.jsonl").read_bytes().splitlines(keepends=True)
    (run / "entries.jsonl").write_bytes(b"".join(lines[:-1]))


@pytest.mark.parametrize(
    ("attack", "expected"),
    [
        (lose_game, MISSING),
        (lose_game_of_who_leaves, MISSING),
        (deal_anew, "chance is not what the seed gives"),
        (begin_anew, f"entries.jsonl line 2: opens round 1 {ANOTHER}"),
        (forget_the_last, "chance is not what the seed gives"),
    ],
)
def test_games_that_do_not_fit_the_seeds_are_found(run, monkeypatch, attack, expected) -> None:
    monkeypatch.setattr(seed_chain, "STRETCH", 3)
    attack(run)
    everybody = found(run)
    assert any(expected in each for each in everybody), everybody


def test_what_is_not_open_yet_is_not_known(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither are games of the last round checked, nor does anything in the lines tell its seed."""
    monkeypatch.setattr(seed_chain, "STRETCH", 3)
    chain, manifest = SeedChain("1"), read_manifest(run)
    assert published_seeds(manifest.changes) == tuple(
        chain.of(number) for number in range(1, ROUNDS)
    )
    text = (run / "entries.jsonl").read_text()
    assert not any(chain.of(number) in text for number in range(ROUNDS, 3 * ROUNDS))
    (run / "seed.json").unlink()
    verifier = RunVerifier(run)
    assert all(not each.findings for each in verifier.games())
    assert verifier.to_come == "its seed is a secret: of the deals after round 6 nothing is proved"
    assert verifier.missing == 0


def outcome(world: Dealt, rounds: int) -> tuple[tuple[str, ...], list[Any]]:
    """What is published_seeds, and who met."""
    while len(published_seeds((manifest := read_manifest(world.folder / "run")).changes)) < rounds:
        world.keep(rounds=1)
    met = [change.pairings for change in manifest.changes if change.pairings]
    return published_seeds(manifest.changes)[:rounds], met[: rounds + 1]


@pytest.mark.slow
@pytest.mark.parametrize("kill_at", range(1, 12, 5))
def test_killed_at_any_game_no_seed_is_told_too_early_or_never(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kill_at: int
) -> None:
    monkeypatch.setattr(seed_chain, "STRETCH", 2)
    outcomes = []
    for name, kill in (("whole", None), ("killed", kill_at)):
        world = Dealt(ladder(tmp_path / name))
        submit(world.folder, "anna", "x", 1100)
        world.kill_at = kill
        if kill is not None:
            with pytest.raises(Killed):
                world.keep(rounds=ROUNDS)
            shutil.copytree(world.folder / "run", tmp_path / "seen")
            assert found(tmp_path / "seen") == []
        world.keep(rounds=1)
        outcomes.append(outcome(world, 4))
    assert outcomes[0] == outcomes[1]


@pytest.mark.slow
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=8,
    deadline=None,
)
@given(torn=st.integers(1, 600))
def test_a_line_that_a_kill_has_torn_is_told_again(played, tmp_path_factory, torn) -> None:
    """With the same seeds, and the same who meet; here its own games were not played yet."""
    home = tmp_path_factory.mktemp("torn") / "l"
    shutil.copytree(played.parent, home)
    lines = (home / "run" / "entries.jsonl").read_bytes().splitlines(keepends=True)
    stored = StoredRun(home / "run")
    last = stored.schedule.start_of(len(lines))
    games = (home / "run" / GAMES).read_bytes().splitlines(keepends=True)
    kept = [games[game.line - 1] for game in stored.games() if game.number < last]
    (home / "run" / GAMES).write_bytes(b"".join(kept))
    (home / "run" / "entries.jsonl").write_bytes(b"".join(lines)[: -min(torn, len(lines[-1]))])
    unbind(home / "run")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(seed_chain, "STRETCH", 3)
        Dealt(home).keep(rounds=1)
        again = read_manifest(home / "run").changes[-1]
        first = msgspec.json.decode(lines[-1], type=FieldChange)
        assert (again.follows, again.pairings) == (first.follows, first.pairings)
        assert found(home / "run") == []


def test_the_last_round_of_a_ladder_that_ends_is_opened_too(tmp_path: Path) -> None:
    world = Dealt(ladder(tmp_path / "l", schedule=", rounds: 2"))
    assert world.keep() == "OVER"
    manifest = read_manifest(world.folder / "run")
    assert len(published_seeds(manifest.changes)) == 2
    stored = StoredRun(world.folder / "run")
    end = manifest.kind.published_games(manifest.changes, stored.schedule)
    assert end == stored.schedule.numbers == world.games
    assert found(world.folder / "run") == []


def test_a_forged_list_of_seeds_is_not_looked_at(run, monkeypatch) -> None:
    """A ladder keeps none."""
    monkeypatch.setattr(seed_chain, "STRETCH", 3)
    forged = Opening("1", "", (Opening("better", ""),) * 8)
    (run / "seed.json").write_bytes(msgspec.json.encode(forged))
    assert fitting_opening(run, read_manifest(run)).later == ()
    assert RunVerifier(run).findings == []
