from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.games import registry
from arena.games.base import RulesError
from arena.referee.channel import Silence
from arena.referee.play import GameConditions, play_game
from arena.runs.config.keys import Names, Ratings
from arena.runs.disk import StoreError
from arena.runs.identity import identity_digest
from arena.runs.manifest import Identity, Until
from arena.runs.store import GAMES, RECORDS, Store
from arena.runs.verify import RunVerifier
from arena.runs.voids import VOIDS, Void
from arena.schedule.schedule import Schedule
from arena.schedule.seeds import Opening, Seeds
from arena.values.results import (
    BreakerPolicy,
    GameDone,
    GameSpec,
    Limits,
    OnFault,
    TimeControl,
    VoidCause,
)
from tests.referee.scripted import FakeTime, Scripted, seated
from tests.runs.manifests import ENTRANT, identity_of, manifest_of
from tests.tournament.tables import discipline
from tests.toy import ToyRules, at_toys

OPENING = Opening("seed", "salt")
SEEDS = Seeds.of(OPENING.seed)
DISCIPLINE = discipline("a", "b", "c", deals=2)
PLAN = Schedule([DISCIPLINE], SEEDS)
SPECS = [game for block in PLAN.blocks() for game in block.games]
IDENTITY = identity_of(DISCIPLINE)
MANIFEST = manifest_of(IDENTITY, OPENING.commitment(identity_digest(IDENTITY)))


@pytest.fixture(autouse=True)
def toy_table(monkeypatch: pytest.MonkeyPatch) -> None:
    at_toys(monkeypatch)


def play(spec: GameSpec, seeds: Seeds = SEEDS, told: int = 0) -> GameDone:
    """The third game ends by a fault. ``told`` is added to the seeds of the bots."""
    second = [0, Silence.TIMED_OUT] if spec == SPECS[2] else [2]
    players = [seated(Scripted([1])), seated(Scripted(second))]
    bot_seeds = tuple(seeds.bot(spec, seat) + told for seat in range(2))
    terms = GameConditions(TimeControl(), "opaque", bot_seeds, ({}, {}), None)
    played = play_game(ToyRules(2), players, spec, seeds.deal(spec.deal), terms, FakeTime())
    return GameDone(played.result, played.record, played.stderr, played.evidence)


def write_run(folder: Path, *games: GameDone, identity: Identity = IDENTITY) -> Path:
    """``identity``: of another run, which was committed to."""
    manifest = manifest_of(identity, OPENING.commitment(identity_digest(identity)))
    (folder / "run.json").write_bytes(msgspec.json.encode(manifest))
    (folder / "seed.json").write_bytes(msgspec.json.encode(OPENING))
    with Store(folder) as store:
        for game in games or map(play, SPECS):
            store.add(game)
    return folder


def findings(folder: Path) -> list[str]:
    verifier = RunVerifier(folder)
    found = list(verifier.findings)
    for checked in verifier.games():
        found += checked.findings
    return [str(each) for each in found]


def test_an_intact_run_passes(tmp_path: Path) -> None:
    verifier = RunVerifier(write_run(tmp_path))
    assert verifier.findings == []
    assert verifier.planned == len(SPECS) == 12
    checked = list(verifier.games())
    assert [each.result.spec for each in checked if each.result] == SPECS
    assert [each.findings for each in checked] == [()] * 12


def test_games_and_voids_of_other_machines_pass(tmp_path: Path) -> None:
    """Who played a game is nothing that its record tells."""
    games = [
        msgspec.structs.replace(play(spec), machine="far\x1b" * (k % 2 * 1000))
        for k, spec in enumerate(SPECS)
    ]
    void = Void(SPECS[0].game_id, VoidCause.MACHINE, "busy", SPECS[0].entrants, "far")
    write_run(tmp_path, *games[1:])
    with Store(tmp_path) as store:
        store.add_void(void)
        store.add(games[0])
    assert findings(tmp_path) == []


def test_an_unfinished_run_passes_and_what_is_missing_is_counted(tmp_path: Path) -> None:
    verifier = RunVerifier(write_run(tmp_path, play(SPECS[5]), play(SPECS[1])))
    assert (verifier.missing, verifier.findings) == (None, [])
    assert [each.findings for each in verifier.games()] == [(), ()]
    assert (verifier.missing, dict(verifier.withdrawn)) == (10, {})


def test_voids_are_read(tmp_path: Path) -> None:
    spec = SPECS[3]
    write_run(tmp_path)
    with Store(tmp_path) as store:
        store.add_void(Void(spec.game_id, VoidCause.MACHINE, "busy", spec.entrants))
    assert findings(tmp_path) == []
    with Store(tmp_path) as store:
        store.add_void(Void(spec.game_id, VoidCause.MACHINE, "busy", ("x", "y")))
    assert findings(tmp_path) == [
        f"voids.jsonl line 2: {spec.game_id} is not a game of this schedule and seed"
    ]
    with (tmp_path / VOIDS).open("a") as file:
        file.write("hello\n")
    (_, found) = findings(tmp_path)
    assert "voids.jsonl:3: no void game" in found


@pytest.mark.parametrize(
    ("damage", "what"),
    [
        (lambda lines: None, ""),
        (lambda lines: lines.pop(0), "voids.jsonl: is not what it was at games.jsonl line 1: lin"),
        (lambda lines: lines.pop(), "voids.jsonl: is not what it was at games.jsonl line 2: line"),
        (lambda lines: lines.reverse(), "voids.jsonl: is not what it was at games.jsonl line 1: "),
        (lambda lines: lines.clear(), "voids.jsonl: is not what it was at games.jsonl line 1: li"),
        (lambda lines: lines.append(lines[0]), ""),
        (lambda lines: lines.append(lines[1][:-1]), "voids.jsonl: its last line is torn"),
        (lambda lines: lines.append(lines.pop()[:-1]), "voids.jsonl: is not what it was at games."),
        (lambda lines: lines.insert(0, lines.pop(0).replace(b"busy", b"idle")), "voids.jsonl: is"),
    ],
)
def test_voids_that_are_lost_or_changed_are_found(tmp_path, damage, what) -> None:
    write_run(tmp_path)
    games = [play(spec) for spec in SPECS]
    (tmp_path / GAMES).unlink()
    for first, last in ((0, 1), (1, 2), (2, len(SPECS))):
        with Store(tmp_path) as store:
            for done in games[first:last]:
                if last < len(SPECS):
                    spec = done.result.spec
                    void = Void(spec.game_id, VoidCause.MACHINE, "busy", spec.entrants)
                    store.add_void(void)
                store.add(done)
    assert findings(tmp_path) == []
    lines = (tmp_path / VOIDS).read_bytes().splitlines(keepends=True)
    damage(lines)
    (tmp_path / VOIDS).write_bytes(b"".join(lines))
    found = findings(tmp_path)
    assert [each[: len(what)] for each in found] == [what] * bool(what)


def test_a_void_line_torn_by_a_kill_is_told_at_the_next_start(tmp_path, caplog) -> None:
    write_run(tmp_path, play(SPECS[0]))
    (tmp_path / VOIDS).write_text('{"game":')
    assert findings(tmp_path) == []
    with Store(tmp_path):
        pass
    assert "voids.jsonl: its last line was torn and is cut away" in caplog.text


def test_a_bot_that_was_given_up_is_told_and_its_games_are_not_missing(tmp_path: Path) -> None:
    """Both bots crash in the third game, so after one game in common they have a share each."""
    identity = identity_of(DISCIPLINE, breaker=BreakerPolicy(faults=0.3, after=2))
    crashed = play(SPECS[2])
    name = SPECS[2].entrants[crashed.result.faults[0].seat]
    write_run(tmp_path, *map(play, SPECS[:4]), identity=identity)
    verifier = RunVerifier(tmp_path)
    assert verifier.findings == []
    assert [each.findings for each in verifier.games()] == [()] * 4
    assert verifier.withdrawn.keys() == {name}
    rest = [spec for spec in SPECS[4:] if name not in spec.entrants]
    assert verifier.missing == len(rest) < 8
    assert verifier.given_up == {name: len(SPECS[4:]) - len(rest)}


def test_a_run_without_its_seed_is_checked_as_far_as_it_can_be(tmp_path: Path) -> None:
    (write_run(tmp_path) / "seed.json").unlink()
    (found,) = findings(tmp_path)
    assert found.startswith("seed.json: deals cannot be checked:")


def edit(folder: Path, number: int, *changes: tuple[str, Any]) -> None:
    """Change members of a line of games.jsonl; ``number`` is 1-based."""
    lines = (folder / GAMES).read_text().splitlines()
    stored = json.loads(lines[number - 1])
    for path, value in changes:
        *parents, last = path.split(".")
        target = stored
        for name in parents:
            target = target[name]
        target[last] = value
    lines[number - 1] = json.dumps(stored)
    (folder / GAMES).write_text("\n".join(lines) + "\n")


def result(*changes: tuple[str, Any]) -> Callable[[Path], None]:
    return lambda folder: edit(folder, 2, *((f"result.{path}", value) for path, value in changes))


def other_record(folder: Path) -> None:
    first = json.loads((folder / GAMES).read_text().splitlines()[0])
    edit(folder, 2, ("record", first["record"]))


def flip(folder: Path) -> None:
    """In the middle of the second record."""
    location = json.loads((folder / GAMES).read_text().splitlines()[1])["record"]
    data = bytearray((folder / RECORDS).read_bytes())
    data[location["offset"] + location["length"] // 2] ^= 1
    (folder / RECORDS).write_bytes(data)


def double(folder: Path) -> None:
    lines = (folder / GAMES).read_text().splitlines()
    (folder / GAMES).write_text("\n".join([*lines[:2], lines[1], *lines[2:]]) + "\n")


DAMAGE: dict[str, tuple[Callable[[Path], None], str]] = {
    "a flipped bit": (flip, r"record: line \d+: the gzip member is damaged"),
    "other places": (
        result(("places", [1, 1])),
        r"places is \(1, 1\) in games.jsonl line 2, \(. ?, .\) in the record",
    ),
    "other scores": (result(("scores", [99, 99])), r"scores is \(99, 99\) in games.jsonl line 2"),
    "no scores": (result(("scores", None)), r"scores is None in games.jsonl line 2"),
    "other plies": (result(("plies", 1)), "plies is 1 in games.jsonl line 2, 8 in the record"),
    "other times": (result(("wall_us", 1)), "wall_us is 1 in games.jsonl line 2, 0 in the record"),
    "other thinking": (result(("think_us", [1, 0])), r"think_us is \(1, 0\) in games.jsonl line 2"),
    "a digest of moves": (
        result(("moves_digest", "0")),
        "moves_digest is 0 in games.jsonl line 2, none in the record",
    ),
    "another digest": (result(("digest", "0")), "digest is 0 in games.jsonl line 2"),
    "a forfeit": (
        result(("termination", "forfeited")),
        "termination is forfeited in games.jsonl line 2, completed in the record",
    ),
    "other entrants": (result(("spec.entrants", ["x", "y"])), "spec is .* in games.jsonl line 2"),
    "the record of another game": (other_record, "spec is .* in games.jsonl line 2"),
    "a record that is nowhere": (
        lambda folder: edit(folder, 2, ("record.offset", 10**9)),
        "record: .*records are lost",
    ),
    "a record outside": (
        lambda folder: edit(folder, 2, ("record.file", "../other")),
        "record: .*outside the run folder",
    ),
    "a game stored twice": (double, "is stored twice: in line 3 as in line 2, which stands"),
}


@pytest.mark.parametrize(("damage", "what"), DAMAGE.values(), ids=DAMAGE)
def test_damage_is_found_and_named(tmp_path, damage, what) -> None:
    damage(write_run(tmp_path))
    found = findings(tmp_path)
    assert re.match(re.escape(f"game {SPECS[1].game_id}: ") + what, found[0]), found


@pytest.mark.parametrize(
    ("line", "what"), [(1, "as"), (2, "otherwise than"), (3, "otherwise than")]
)
def test_a_game_stored_twice_is_compared_with_itself(tmp_path: Path, line: int, what: str) -> None:
    double(write_run(tmp_path))
    edit(tmp_path, line, ("result.places", [1, 1]))
    assert f"in line 3 {what} in line 2, which stands" in "\n".join(findings(tmp_path))


def test_a_line_that_is_no_game_is_named(tmp_path: Path) -> None:
    lines = (write_run(tmp_path) / GAMES).read_text().splitlines()
    (tmp_path / GAMES).write_text("\n".join([*lines[:3], "hello", *lines[3:]]) + "\n")
    (found,) = findings(tmp_path)
    assert "games.jsonl:4: no stored game" in found


FORGERIES = {
    "another deal": (play(SPECS[1], Seeds.of("other")), "record: line 2: chance is not"),
    "seats exchanged": (
        play(msgspec.structs.replace(SPECS[1], entrants=SPECS[1].entrants[::-1])),
        "is not a game of this schedule and seed",
    ),
    "a game too many": (
        play(msgspec.structs.replace(SPECS[1], game_id="toy-2/a+b:9:1", deal="toy-2/a+b:9")),
        "is not a game of this schedule and seed",
    ),
    "other seeds for the bots": (play(SPECS[1], told=1), "record: line 1: bot seeds are not"),
}


def test_a_game_too_many_is_found_without_the_seed_too(tmp_path: Path) -> None:
    game, _ = FORGERIES["a game too many"]
    (write_run(tmp_path, play(SPECS[0]), game) / "seed.json").unlink()
    seed, forged = findings(tmp_path)
    assert seed.startswith("seed.json: deals cannot be checked:")
    assert forged == f"game {game.result.spec.game_id}: is not a game of this run"


@pytest.mark.parametrize(("game", "what"), FORGERIES.values(), ids=FORGERIES)
def test_a_forged_game_is_found(tmp_path: Path, game: GameDone, what: str) -> None:
    found = findings(write_run(tmp_path, play(SPECS[0]), game))
    assert found[0].startswith(f"game {game.result.spec.game_id}: {what}")


def test_a_run_replayed_with_a_better_seed_is_found(tmp_path: Path) -> None:
    other = Opening("better", "salt")
    (write_run(tmp_path) / "seed.json").write_bytes(msgspec.json.encode(other))
    assert findings(tmp_path) == ["run.json: seed and config do not fit the commitment"]


def test_a_commitment_is_opened_by_one_seed_alone(tmp_path: Path) -> None:
    """Of a text in three lines the second could be of the salt or of the seed."""
    digest = identity_digest(IDENTITY)
    one, other = Opening("b\nc", "a"), Opening("c", "a\nb")
    assert one.commitment(digest) == other.commitment(digest)
    manifest = manifest_of(IDENTITY, one.commitment(digest))
    (write_run(tmp_path) / "run.json").write_bytes(msgspec.json.encode(manifest))
    (tmp_path / "seed.json").write_bytes(msgspec.json.encode(other))
    assert findings(tmp_path)[0].startswith("seed.json: deals cannot be checked:")


def test_what_is_no_run_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(StoreError, match=r"found no run\.json"):
        RunVerifier(tmp_path)

    def refuse(spec: Any) -> None:
        raise RulesError(("name",), "unknown")

    monkeypatch.setattr(registry, "make_rules", refuse)
    with pytest.raises(StoreError, match=r"run\.json: rules: name: unknown"):
        RunVerifier(write_run(tmp_path))


def test_what_tables_say_of_a_game_is_what_it_says_of_itself(tmp_path: Path) -> None:
    facts = {
        name: msgspec.structs.replace(each, score="cows") for name, each in MANIFEST.games.items()
    }
    manifest = msgspec.structs.replace(MANIFEST, games=facts)
    (write_run(tmp_path) / "run.json").write_bytes(msgspec.json.encode(manifest))
    assert findings(tmp_path) == ["run.json: games.toy-2: is not what the game says of itself"]


OTHERS = {
    "a deal fewer": {"disciplines": (discipline("a", "b", "c", deals=1),)},
    "other rules": {"disciplines": (discipline("a", "b", "c", rules=ToyRules(3).spec, deals=2),)},
    "other players": {"disciplines": (discipline("a", "b", deals=2),)},
    "another entrant": {"entrants": {**IDENTITY.entrants, "d": ENTRANT}},
    "another program": {
        "entrants": IDENTITY.entrants | {"a": msgspec.structs.replace(ENTRANT, digest="0")}
    },
    "another clock": {"clock": TimeControl(move=2.0)},
    "other limits": {"limits": Limits(files=None)},
    "pondering": {"pondering": False},
    "other paths": {"readable": ("books",)},
    "another breaker": {"breaker": BreakerPolicy(after=21)},
    "hidden names": {"names": Names.HIDDEN},
    "another end after a fault": {"on_fault": OnFault.END},
    "an anchor": {"ratings": Ratings(anchor="a")},
    "another end": {"until": Until.MATCH},
}


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param(each, id=name, marks=[pytest.mark.extensions("matches")] * ("until" in each))
        for name, each in OTHERS.items()
    ],
)
def test_whatever_is_changed_in_run_json_does_not_fit_the_commitment(tmp_path, changes) -> None:
    write_run(tmp_path)
    identity = msgspec.structs.replace(IDENTITY, **changes)
    (tmp_path / "run.json").write_bytes(
        msgspec.json.encode(manifest_of(identity, MANIFEST.commitment))
    )
    told = [str(finding) for finding in RunVerifier(tmp_path).findings]
    assert told == ["run.json: seed and config do not fit the commitment"]


def test_a_run_that_was_cut_down_is_found_by_the_commitment_of_its_beginning(tmp_path) -> None:
    identity = identity_of(discipline("a", "b", "c", deals=1))
    write_run(tmp_path, *map(play, SPECS[:6]), identity=identity)
    assert findings(tmp_path) == []
    commitment = OPENING.commitment(identity_digest(identity))
    [told] = RunVerifier(tmp_path, MANIFEST.commitment).findings
    assert str(told) == f"run.json: the commitment is {commitment}, not the one that was given"
