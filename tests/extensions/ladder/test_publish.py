"""What is published of a ladder has no secret in it, and a seed that git hands out stops it."""

from __future__ import annotations

import subprocess
import zlib
from pathlib import Path
from typing import Final

import pytest

from arena.extensions.ladder.file import load_ladder
from arena.extensions.ladder.table import Publication, tracked_secrets
from arena.extensions.rounds.seed_chain import SeedChain
from arena.runs.manifest import read_manifest
from arena.runs.reader import StoredRun
from arena.runs.store import read_opening
from arena.runs.verify import RunVerifier
from arena.values.bad_input import BadInput
from tests.cli.shell import arena
from tests.extensions.ladder.ladders import SECRET, Dealt, ladder, submit

ROUNDS: Final = 3
SOURCE: Final = "a line of the source of a bot"


def played(folder: Path, more: str = "", **terms: bool) -> Dealt:
    world = Dealt(ladder(folder / "l", more, **terms))
    own = submit(world.folder, "anna", "x", 1100)
    (own / "notes").write_text(SOURCE)
    refused = submit(world.folder, "bert", "y", 1200)
    (refused / "notes").write_text(SOURCE)
    world.unfit["bert.y"] = [SECRET]
    world.keep(rounds=ROUNDS)
    return world


def publish(world: Dealt, target: Path) -> None:
    found = load_ladder(world.folder)
    Publication(found, target).write(StoredRun(found.run))


def contents(folder: Path) -> str:
    """All bytes of all files, with those that are packed in them."""
    found = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        data, text = path.read_bytes(), b""
        while data[:2] == b"\x1f\x8b":
            inflater = zlib.decompressobj(wbits=31)
            text += inflater.decompress(data)
            data = inflater.unused_data
        found.append((text + data).decode("utf-8", "replace"))
    return "\n".join(found)


def test_what_is_published_proves_the_past_and_tells_no_secret(tmp_path: Path) -> None:
    world = played(tmp_path, seeded=False)
    public = tmp_path / "public"
    publish(world, public)
    (public / "mine").write_text("stays")
    world.keep(rounds=1)
    publish(world, public)
    assert {each.name for each in public.iterdir()} == {"site", "proof", "mine"} | {
        f"table.{form}" for form in ("txt", "md", "json", "html")
    }
    assert (public / "table.md").read_bytes() == (world.folder / "table.md").read_bytes()
    verifier = RunVerifier(public / "proof", read_manifest(world.folder / "run").commitment)
    findings = [*verifier.findings, *(one for each in verifier.games() for one in each.findings)]
    assert findings == []
    opening, text = read_opening(world.folder / "run"), contents(public)
    chain = SeedChain(opening.seed)
    to_come = [chain.of(number) for number in range(ROUNDS + 1, ROUNDS + 5)]
    assert chain.of(ROUNDS - 1) in text
    for secret in (opening.seed, opening.salt, *to_come, SECRET, SOURCE, str(tmp_path)):
        assert secret not in text
    assert SECRET in contents(world.folder)


def test_with_hidden_names_or_a_seed_that_can_be_read_there_is_no_proof(tmp_path: Path) -> None:
    world = played(tmp_path, "names: hidden")
    publish(world, tmp_path / "public")
    assert {each.name for each in (tmp_path / "public").iterdir()} >= {"site", "table.md"}
    assert not (tmp_path / "public" / "proof").exists()
    (tmp_path / "other").mkdir()
    world = played(tmp_path / "other")
    (world.folder / "run" / "seed.json").chmod(0o644)
    publish(world, tmp_path / "open")
    assert not (tmp_path / "open" / "proof").exists()


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("l/run/public", "lies in .*/l/run, expected a folder outside of it"),
        ("l/bots", "lies in .*/l/bots"),
        ("l/answers/x", "lies in .*/l/answers"),
        ("l/submissions/anna", "lies in .*/l/submissions"),
        ("l", "holds .*/l/run, expected a folder without the ladder"),
        (".", "holds .*/l/run, expected a folder without the ladder"),
        ("l/ladder.yaml", "found something that is no folder"),
        ("missing/public", "the folder .*/missing does not exist"),
        ("held", "held/proof: found something that is no pack"),
    ],
)
def test_a_place_that_cannot_be_is_refused_before_anything_is_played(tmp_path, place, said) -> None:
    found = load_ladder(ladder(tmp_path / "l"))
    (tmp_path / "held" / "proof").mkdir(parents=True)
    (tmp_path / "held" / "proof" / "mine").touch()
    with pytest.raises(BadInput, match=said):
        Publication(found, tmp_path / place)


def git(folder: Path, *words: str) -> None:
    subprocess.run(("git", "-C", folder, *words), check=True, capture_output=True)


@pytest.mark.process
def test_a_seed_that_git_tracks_stops_a_ladder_unless_it_may(tmp_path: Path) -> None:
    home = ladder(tmp_path / "l", seeded=False)
    found = load_ladder(home)
    assert list(tracked_secrets(found)) == []  # no repository
    git(tmp_path, "init", "-q")
    (home / "run").mkdir()
    seed = home / "run" / "seed.json"
    seed.write_text("{}")
    git(tmp_path, "add", "l/ladder.yaml")
    assert list(tracked_secrets(found)) == []  # the file has no seed, and the other is not tracked
    git(tmp_path, "add", "l/run")
    assert list(tracked_secrets(found)) == [seed]
    path = home / "ladder.yaml"
    path.write_text(path.read_text().replace("schedule:", "seed: 1\nschedule:"))
    assert list(tracked_secrets(load_ladder(home))) == [seed, path]
    done = arena(tmp_path, "ladder", "l", "--once")
    assert (done.code, done.out) == (2, "")
    assert f"{seed}: is tracked by git: everybody who can read that repository" in done.err
    assert "--tracked-seed" in done.err
    assert not (home / "bots").exists()
    git(tmp_path, "rm", "-qf", "--cached", "l/run/seed.json", "l/ladder.yaml")
    assert list(tracked_secrets(load_ladder(home))) == []
