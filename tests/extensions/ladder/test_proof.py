"""A proof verifies as the run does, and holds nothing that is a secret."""

from __future__ import annotations

import datetime
import re
import shutil
import zlib
from pathlib import Path

import msgspec
import pytest

from arena.extensions.data.export.pack import PackError, writing_folder
from arena.extensions.data.export.proof import Proof
from arena.extensions.ladder.thinning import checked as checked_removals
from arena.extensions.ladder.thinning import game_ages, thin
from arena.extensions.rounds.seed_chain import SeedChain
from arena.runs.manifest import MatchSource, read_manifest
from arena.runs.reader import StoredRun
from arena.runs.store import RECORDS, Store, read_opening
from arena.runs.verify import RunVerifier
from arena.runs.voids import Void
from arena.values.results import VoidCause
from tests.cli.shell import arena
from tests.extensions.ladder.ladders import SECRET, Dealt, ladder, submit

ROUNDS = 4


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ladder with a void game in an open round and one in the round that is played."""
    world = Dealt(ladder(tmp_path_factory.mktemp("proof") / "l"))
    submit(world.folder, "anna", "x", 1100)
    world.keep(rounds=ROUNDS - 1)
    for place in (0, -1):
        world.keep(rounds=1)
        run = StoredRun(world.folder / "run")
        spec = [game.result.spec for game in run.games()][place]
        with Store(run.folder) as store:
            store.add_void(Void(spec.game_id, VoidCause.WORKER, SECRET, spec.entrants, SECRET))
    return world.folder


def written(run: Path, folder: Path) -> int:
    folder.mkdir()
    return max(Proof(StoredRun(run)).write(folder), default=0)


def checked(folder: Path) -> tuple[RunVerifier, list[str]]:
    verifier = RunVerifier(folder, read_manifest(folder).commitment)
    findings = [*verifier.findings, *(one for each in verifier.games() for one in each.findings)]
    return verifier, [str(each) for each in (*findings, *checked_removals(verifier.run))]


def contents(folder: Path) -> str:
    """All bytes of all files, records unpacked."""
    found = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        data = path.read_bytes()
        while path.match(RECORDS) and data.lstrip(b"\0"):
            member = zlib.decompressobj(wbits=31)
            found.append(member.decompress(data.lstrip(b"\0")))
            data = member.unused_data
        found.append(data)
    return b"\n".join(found).decode("utf-8", "replace")


def test_the_rounds_that_are_open_are_proved_and_nothing_secret_is_in_it(played, tmp_path) -> None:
    run = StoredRun(played / "run")
    games = written(run.folder, tmp_path / "proof")
    manifest = run.manifest
    assert (
        games
        == manifest.kind.published_games(manifest.changes, run.schedule)
        < run.schedule.numbers
    )
    assert not (tmp_path / "proof" / "seed.json").exists()
    verifier, findings = checked(tmp_path / "proof")
    assert findings == []
    assert (verifier.missing, verifier.is_told) == (0, True)
    assert len(list(verifier.run.voids())) == 1
    text, whole = contents(tmp_path / "proof"), contents(played / "run")
    chain = SeedChain(read_opening(played / "run").seed)
    for secret in (SECRET, str(played), chain.of(ROUNDS + 1), read_opening(run.folder).salt):
        assert secret not in text
    assert SECRET in whole
    assert any(game.result.faults for game in verifier.run.games())


def test_places_on_this_machine_are_not_told(played: Path, tmp_path: Path) -> None:
    shutil.copytree(played / "run", tmp_path / "run")
    path = tmp_path / "run" / "run.json"
    own = MatchSource(candidate="a", baseline="b", games=(), cwd=str(tmp_path))
    manifest = msgspec.structs.replace(read_manifest(path.parent), changes=(), source=own)
    path.write_bytes(msgspec.json.encode(manifest))
    written(tmp_path / "run", tmp_path / "proof")
    assert checked(tmp_path / "proof")[1] == []
    assert str(tmp_path) not in contents(tmp_path / "proof")


def test_with_its_seed_published_all_of_it_is_proved(played: Path, tmp_path: Path) -> None:
    shutil.copytree(played / "run", tmp_path / "run")
    (tmp_path / "run" / "seed.json").chmod(0o644)
    run = StoredRun(tmp_path / "run")
    assert written(run.folder, tmp_path / "proof") == run.schedule.numbers
    verifier, findings = checked(tmp_path / "proof")
    assert (findings, verifier.is_told, verifier.missing) == ([], False, 0)


def test_the_seed_of_a_ladder_that_goes_on_is_a_secret_again(tmp_path: Path) -> None:
    """It was copied from where modes are not kept."""
    world = Dealt(ladder(tmp_path / "l"))
    world.keep(rounds=2)
    seed = world.folder / "run" / "seed.json"
    seed.chmod(0o644)
    assert Proof(StoredRun(seed.parent)).is_whole
    world.keep(rounds=1)
    assert seed.stat().st_mode & 0o777 == 0o600
    assert not Proof(StoredRun(seed.parent)).is_whole


def test_before_a_round_is_open_there_is_nothing_to_prove(tmp_path: Path) -> None:
    world = Dealt(ladder(tmp_path / "l"))
    world.keep(rounds=1)
    assert Proof(StoredRun(world.folder / "run")).is_empty
    world.keep(rounds=1)
    assert not Proof(StoredRun(world.folder / "run")).is_empty


def test_a_ladder_may_go_on_meanwhile(tmp_path: Path) -> None:
    world = Dealt(ladder(tmp_path / "l"))
    world.keep(rounds=3)
    proof = Proof(StoredRun(world.folder / "run"))
    world.keep(rounds=2)
    (tmp_path / "proof").mkdir()
    assert max(proof.write(tmp_path / "proof")) == 4
    assert checked(tmp_path / "proof")[1] == []


@pytest.mark.process
def test_of_games_whose_records_went_by_rule_the_plan_is_proved(tmp_path: Path) -> None:
    world = Dealt(ladder(tmp_path / "l", "keep: 1 d"))
    world.keep(rounds=2)
    run, now = StoredRun(world.folder / "run"), datetime.datetime.now(datetime.UTC)
    lines, day = [*game_ages(run.folder)], datetime.timedelta(days=1)
    before, own = len(lines), run.manifest.commitment
    assert thin(run.folder, own, iter(lines), now + day, now + 2 * day) == before
    world.keep(rounds=2)
    assert written(world.folder / "run", tmp_path / "proof") > before
    verifier, findings = checked(tmp_path / "proof")
    assert findings == []
    assert verifier.without_record == before
    told = arena(tmp_path, "verify", "proof").out
    assert re.match(rf"\d+ of \d+ games verified, {before} more by their results alone: all", told)
    games = tmp_path / "proof" / "games.jsonl"
    games.write_bytes(games.read_bytes().replace(b'"places":[1,2]', b'"places":[2,1]', 1))
    _, findings = checked(tmp_path / "proof")
    assert any("thinned.jsonl line 1: the results of the first" in each for each in findings)


def test_what_fails_leaves_nothing_behind(played: Path, tmp_path: Path) -> None:
    shutil.copytree(played / "run", tmp_path / "run")
    records = tmp_path / "run" / RECORDS
    records.write_bytes(records.read_bytes()[:-1000] + b"x" * 1000)
    (tmp_path / "out").mkdir()
    (tmp_path / "run" / "seed.json").chmod(0o644)
    proof = Proof(StoredRun(tmp_path / "run"))
    target = tmp_path / "out" / "proof"
    with pytest.raises(Exception, match="record"), writing_folder(target) as folder:
        list(proof.write(folder))
    assert list((tmp_path / "out").iterdir()) == []
    target.mkdir()
    (target / "mine").touch()
    with pytest.raises(PackError, match="does not replace"), writing_folder(target, force=True):
        raise AssertionError
