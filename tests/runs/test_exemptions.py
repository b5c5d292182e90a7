"""Whatever ``verify`` accepts without a proof is found where the run does not grant it."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.runs.damage import set_damage_aside
from arena.runs.disk import StoreError
from arena.runs.identity import commitment_of, identity_digest
from arena.runs.manifest import Manifest, Until
from arena.runs.store import GAMES, LOST, RECORDS
from arena.runs.thinning import THINNED
from arena.runs.verify import RunVerifier
from arena.runs.voids import VOIDS
from arena.values.bad_input import lacking
from arena.values.results import BreakerPolicy, Then
from tests.runs.manifests import manifest_of
from tests.runs.sharded import NAMES, OPENING, Table, manifest, of_shard, played, toys
from tests.toy import at_toys

NEVER = BreakerPolicy(faults=0.5, after=4, starts=3, then=Then.IGNORE)
RUN = manifest(toys((2, 2)), NEVER)


def as_match() -> Manifest:
    identity = msgspec.structs.replace(RUN.identity, until=Until.MATCH)
    return manifest_of(identity, OPENING.commitment(identity_digest(identity)))


KINDS = {"run": RUN, "shard": of_shard(RUN, 1, 2)}
if not lacking("matches"):
    KINDS["match"] = as_match()


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("runs")
    for name, own in KINDS.items():
        played(root / name, own, Table())
    return {name: root / name for name in KINDS}


def lines(folder: Path, name: str = GAMES) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def write(folder: Path, name: str, documents: list[dict[str, Any]]) -> bytes:
    data = b"".join(msgspec.json.encode(each) + b"\n" for each in documents)
    (folder / name).write_bytes(data)
    return data


def commitment(folder: Path) -> str:
    return str(json.loads((folder / "run.json").read_text())["commitment"])


def change(folder: Path, **values: Any) -> None:
    document = json.loads((folder / "run.json").read_text())
    for path, value in values.items():
        *parents, last = path.split("__")
        target = document
        for parent in parents:
            target = target[parent]
        target[last] = value
    (folder / "run.json").write_text(json.dumps(document))


def without(folder: Path, name: str) -> None:
    """Remove the games of a bot, with their records."""
    kept = [one for one in lines(folder) if name not in one["result"]["spec"]["entrants"]]
    data, records = (folder / RECORDS).read_bytes(), b""
    for one in kept:
        place = one["record"]
        record = data[place["offset"] : place["offset"] + place["length"]]
        place["offset"], records = len(records), records + record
    (folder / RECORDS).write_bytes(records)
    write(folder, GAMES, kept)


def removed_by_rule(
    folder: Path, number: int, at: str = "2030-01-01T00:00:00+00:00", before: str = ""
) -> None:
    """Results of the first games, turned round, without their records."""
    games = lines(folder)
    for one in games[:number]:
        one["result"]["places"].reverse()
        one["result"]["scores"] = None
    end = games[number - 1]["record"]["offset"] + games[number - 1]["record"]["length"]
    write(folder, GAMES, games)
    data = b"".join((folder / GAMES).read_bytes().splitlines(keepends=True)[:number])
    (folder / RECORDS).write_bytes(bytes(end) + (folder / RECORDS).read_bytes()[end:])
    link = commitment(folder)
    digest = hashlib.sha256(data).hexdigest()
    one = {
        "at": at,
        "before": before or at,
        "lines": number,
        "end": end,
        "results": digest,
        "link": link,
    }
    write(folder, THINNED, [one])


def removed_by_another_rule(folder: Path, number: int) -> None:
    """The run claims to keep records for a day, as only ladders do."""
    change(folder, identity__keep=86_400)
    own = msgspec.json.decode((folder / "run.json").read_bytes(), type=Manifest)
    began = "2020-01-01T00:00:00+00:00"
    change(folder, commitment=commitment_of(own.identity, OPENING), created=began)
    played_at = int(datetime.fromisoformat(began).timestamp())
    write(folder, GAMES, [one | {"played_at": played_at} for one in lines(folder)])
    removed_by_rule(folder, number, "2020-01-09T00:00:00+00:00", "2020-01-08T00:00:00+00:00")


def lost(folder: Path, number: int) -> None:
    """Games are set aside that are intact, and played again until others win."""
    games = (folder / GAMES).read_text().splitlines(keepends=True)
    (folder / GAMES).write_text("".join(games[number:]))
    write(folder, LOST, [{"at": "", "file": GAMES, "why": "", "line": g} for g in games[:number]])
    set_damage_aside(folder)
    own = msgspec.json.decode((folder / "run.json").read_bytes(), type=Manifest)
    played(folder, own, Table(dict.fromkeys(NAMES, 1.0)))


def dead_workers(folder: Path, number: int) -> None:
    """A bot is said to have brought its workers down."""
    name = NAMES[number % len(NAMES)]
    specs = [one["result"]["spec"] for one in lines(folder)]
    without(folder, name)
    dead = [spec for spec in specs if name in spec["entrants"]] * 3
    own = {"cause": "worker", "reason": "died"}
    write(folder, VOIDS, [own | {"game": s["game_id"], "entrants": s["entrants"]} for s in dead])


def unbuilt(folder: Path, number: int) -> None:
    name = NAMES[number % len(NAMES)]
    without(folder, name)
    change(folder, **{f"identity__entrants__{name}__unbuilt": "cc: not found"})


def other_policy(folder: Path, number: int) -> None:
    dead_workers(folder, number)
    change(folder, identity__breaker__then="withdraw")


def entry(folder: Path, number: int, **more: Any) -> None:
    """A line of entries.jsonl as it would be written."""
    name = NAMES[number % len(NAMES)]
    without(folder, name)
    document = {
        "number": 1, "created": "", "before": commitment(folder), "entered": {}, "left": [name],
        "pairings": {}, "commitment": "",
    }  # fmt: skip
    write(folder, "entries.jsonl", [document | more])


def refills(folder: Path, number: int) -> None:
    entry(folder, number, left=[], refills={"withdrawn": [NAMES[0]], "by": "fewest games/1"})


def version(folder: Path, number: int) -> None:
    name = NAMES[number % len(NAMES)]
    identity = json.loads((folder / "run.json").read_text())["identity"]["entrants"][name]
    entry(folder, number, entered={f"{name}@2": identity})


def no_seed(folder: Path, number: int) -> None:
    lost(folder, number)
    (folder / "seed.json").unlink()


def a_shard(folder: Path, number: int) -> None:
    change(folder, shard={"number": 1, "of": 1 + number})


def hidden_games(folder: Path, number: int) -> None:
    """Games that were played and are not listed."""
    data = (folder / RECORDS).read_bytes()
    (folder / RECORDS).write_bytes(data + data[: 100 * number])


FORGERIES: dict[str, tuple[Callable[[Path, int], None], str]] = {
    "thinned": (removed_by_rule, "run"),
    "thinned by a rule of ladders": (removed_by_another_rule, "run"),
    "thinned shard": (removed_by_rule, "shard"),
    "thinned match": (removed_by_rule, "match"),
    "lost": (lost, "run"),
    "workers that died": (dead_workers, "run"),
    "another policy": (other_policy, "run"),
    "unbuilt": (unbuilt, "run"),
    "left": (entry, "run"),
    "left a match": (entry, "match"),
    "left a shard": (entry, "shard"),
    "a later version": (version, "run"),
    "a later version in a match": (version, "match"),
    "refilled": (refills, "run"),
    "no seed": (no_seed, "run"),
    "a shard with all games": (a_shard, "run"),
    "a shard of a match": (a_shard, "match"),
    "hidden games": (hidden_games, "run"),
    "hidden games of a shard": (hidden_games, "shard"),
}


def is_found(folder: Path) -> bool:
    try:
        verifier = RunVerifier(folder)
        found = [*verifier.findings]
        for checked in verifier.games():
            found += checked.findings
    except StoreError:
        return True
    return bool(found or verifier.missing)


@pytest.mark.parametrize("kind", KINDS)
def test_the_run_itself_is_proved(folders, kind: str, monkeypatch) -> None:
    at_toys(monkeypatch)
    assert not is_found(folders[kind])


@pytest.mark.parametrize("forgery", [each for each in FORGERIES if FORGERIES[each][1] in KINDS])
@settings(max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(number=st.integers(1, 9))
def test_what_is_not_granted_is_found(
    folders, forgery: str, number: int, tmp_path_factory, monkeypatch
) -> None:
    at_toys(monkeypatch)
    forge, kind = FORGERIES[forgery]
    folder = tmp_path_factory.mktemp("forged") / "run"
    shutil.copytree(folders[kind], folder)
    forge(folder, number)
    assert is_found(folder)
    shutil.rmtree(folder.parent)
