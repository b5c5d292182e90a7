"""Whole runs in this process, with workers that die or find the machine busy."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from contextlib import nullcontext
from itertools import count
from pathlib import Path

import msgspec
import pytest

from arena.runs.config.tournament import load_tournament
from arena.runs.manifest import read_manifest
from arena.runs.reader import StoredRun
from arena.runs.store import Store, stored_voids
from arena.runs.verify import RunVerifier
from arena.runs.voids import Void
from arena.runs.withdrawals import Ground, Withdrawal
from arena.tournament import worker
from arena.tournament.events import (
    BotWithdrawn,
    Event,
    GameEnded,
    GameVoided,
    RoundLimit,
    Stoppable,
    ignore,
)
from arena.tournament.executor import Executor, Lost
from arena.tournament.prepare import opened, play, with_workers
from arena.tournament.progress import Progress
from arena.tournament.run import Run
from arena.tournament.session import Session, is_stopped
from arena.values.results import BreakerPolicy, GameDone, GameSpec, Then, VoidCause
from arena.views.standings.standings import render, table_of
from tests.cli.shell import BOT, bot
from tests.tournament import deadly
from tests.tournament.executors import InMemory, Play, won

pytestmark = [pytest.mark.slow, pytest.mark.process]


@pytest.fixture(autouse=True)
def _deadly_worker(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(worker, "run", deadly.run)
    monkeypatch.chdir(tmp_path)


CRASHING = "import sys\nsys.stdin.readline()\nsys.exit(1)\n"


class Heard:
    """What a listener was told."""

    def __init__(self) -> None:
        self.games: list[str] = []
        self.voids: list[Void] = []
        self.withdrawn: list[Withdrawal] = []

    def __call__(self, event: Event) -> None:
        match event:
            case GameEnded(done=done):
                self.games.append(done.result.spec.game_id)
            case GameVoided(void=void):
                self.voids.append(void)
            case BotWithdrawn(withdrawal=withdrawal):
                self.withdrawn.append(withdrawal)


def written(*names: str, schedule: str = "deals: 3", more: str = "") -> Path:
    """A tournament file; all its bots are the same, but "bad" cannot be started."""
    for name in names:
        if not Path(name).exists():
            bot(Path.cwd(), name, CRASHING if name == "bad" else BOT)
    entrants = "".join(f"  - bot: {name}\n" for name in names)
    path = Path("cup.yaml")
    path.write_text(
        f"arena: 1\ngame: dragonheart\nseed: 1\nisolation: none\nschedule: {{{schedule}}}\n"
        f"{more}entrants:\n{entrants}"
    )
    return path


def session(path: Path, workers: int = 1, run: str = "run") -> tuple[Progress, Heard]:
    """Play until it ends by itself."""
    tournament, heard = load_tournament(path), Heard()
    with opened(tournament, Path(run), None) as begun:
        played = play(with_workers(tournament, workers), begun, heard)
    return played.progress, heard


def stored(run: str = "run") -> set[str]:
    return {each.result.spec.game_id for each in StoredRun(Path(run)).games()}


@pytest.mark.parametrize("workers", [2, pytest.param(1, marks=pytest.mark.soak)])
def test_a_bot_that_brings_workers_down_is_withdrawn_and_the_others_go_on(workers: int) -> None:
    path = written("anna", "berta", "clara", "zed", schedule="deals: 4")
    progress, heard = session(path, workers)
    assert {name: each.ground for name, each in progress.withdrawn.items()} == {
        "zed": Ground.WORKER
    }
    assert [each.name for each in heard.withdrawn] == ["zed"]
    assert progress.is_finished
    assert (progress.total, progress.done, progress.waiting) == (24, 24, {})
    assert len(stored()) == 24
    assert {void.cause for void in stored_voids(Path("run"))} == {VoidCause.WORKER}
    assert all("zed" in void.entrants for void in heard.voids)
    text = render(table_of(StoredRun(Path("run"))), "txt")
    assert "zed: withdrawn: brought its worker down in" in text
    assert "without the 24 games of withdrawn bots" in text
    assert "void through" not in text, "the games of zed are not waited for"

    again, heard = session(path, workers)
    assert (again.withdrawn.keys(), again.is_finished, heard.games) == ({"zed"}, True, [])
    assert not is_stopped(load_tournament(path), Path("run"))


@pytest.mark.soak
def test_two_bots_of_which_one_brings_workers_down_stop_the_run() -> None:
    path = written("anna", "zed", schedule="deals: 50")
    progress, heard = session(path)
    assert progress.withdrawn == {}
    assert progress.stopped == "20 worker processes ended one after another"
    assert not progress.is_finished
    assert len(progress.waiting) <= len(heard.voids) == 20
    assert is_stopped(load_tournament(path), Path("run"))


def test_games_void_through_the_machine_are_played_again_in_the_same_session() -> None:
    path = written("anna", "busy", "clara", schedule="deals: 2")
    progress, heard = session(path)
    assert progress.voids == {VoidCause.MACHINE: 8}
    assert (progress.is_finished, progress.waiting) == (True, {})
    assert [void.reason for void in heard.voids] == ["for too long"] * 8
    assert len(heard.games) == len(set(heard.games)) == 12
    table = table_of(StoredRun(Path("run")))
    assert "8 games were void through the machine and played again" in render(table, "txt")
    (section,) = json.loads(render(table, "json"))["tables"]
    assert section["voids"] == {"machine": {"times": 8, "played_again": 8, "waiting": 0}}
    (Path("run") / "voids.jsonl").unlink()
    undisturbed = render(table_of(StoredRun(Path("run"))), "txt")
    lines = render(table, "txt").splitlines()
    assert [line for line in lines if "void" not in line] == undisturbed.splitlines()


@pytest.mark.parametrize("workers", [1, 2])
def test_the_run_goes_on_without_a_bot_that_cannot_be_started(workers: int) -> None:
    progress, heard = session(written("anna", "bad", "clara", schedule="deals: 10"), workers)
    assert progress.withdrawn["bad"].reason == "could not be started"
    assert (progress.is_finished, progress.done) == (True, 20)
    assert [each.name for each in heard.withdrawn] == ["bad"]
    assert len(stored()) < 40, "what was not played by then was not played"


def test_with_one_bot_left_the_run_ends() -> None:
    progress, _ = session(written("anna", "bad", schedule="deals: 10"))
    assert (progress.is_finished, progress.total, progress.left) == (True, 0, 0)
    text = render(table_of(StoredRun(Path("run"))), "txt")
    assert "without the 20 games of withdrawn bots" in text


def test_a_run_may_be_stopped_instead() -> None:
    path = written("anna", "bad", "clara", schedule="deals: 10", more="breaker: {then: stop}\n")
    progress, _ = session(path)
    assert progress.stopped == "bad: could not be started"
    assert progress.withdrawn == {}
    assert progress.left > 0
    assert not progress.is_finished
    text = render(table_of(StoredRun(Path("run"))), "txt")
    assert "the run was stopped: bad: could not be started" in text
    again, heard = session(path)
    assert (again.stopped, heard.games) == (progress.stopped, [])


def test_or_all_games_be_played() -> None:
    path = written("anna", "bad", "clara", schedule="deals: 4", more="breaker: {then: ignore}\n")
    progress, _ = session(path)
    assert (progress.is_finished, progress.done, progress.withdrawn) == (True, 24, {})


def test_solo_games_and_an_anchor_that_is_withdrawn() -> None:
    path = written("anna", "bad", "clara", more="ratings: {anchor: bad, elo: 0}\n")
    games = "games: [{rules: dragonheart}, {rules: dragonkrak, seats: 1}]\n"
    path.write_text(path.read_text().replace("game: dragonheart\n", games))
    progress, _ = session(path, 2)
    assert progress.is_finished
    assert progress.done == 3 * 2 + 3 * 2
    sections = table_of(StoredRun(Path("run"))).sections
    assert [section.title for section in sections] == ["dragonheart-2", "dragonkrak-1", "overall"]
    assert [section.annulled for section in sections] == [12, 3, 15]
    for section in sections:
        assert [row.name for row in section.standings.rows].count("bad") == 0
        assert [gone.name for gone in section.withdrawn] == ["bad"]
        assert any("bad, the anchor, was withdrawn" in notice for notice in section.notices)


def test_the_policy_of_the_run_is_kept(tmp_path: Path) -> None:
    path = written(
        "anna", "bad", schedule="deals: 2", more="breaker: {faults: 20 %, after: 5, starts: 2}\n"
    )
    session(path)
    manifest = msgspec.json.decode((tmp_path / "run" / "run.json").read_bytes())
    assert msgspec.convert(manifest["identity"]["breaker"], BreakerPolicy) == BreakerPolicy(
        0.2, 5, 2, Then.WITHDRAW
    )
    assert manifest["machine"]["isolation"] == {"anna": "none", "bad": "none"}


def switched_off(*games: int) -> Play:
    """An executor's place is lost with each of these games, by the order in which they come."""
    number = count(1)

    def play(spec: GameSpec) -> GameDone | Lost:
        return Lost("was switched off") if next(number) in games else won(spec)

    return play


def in_memory(run: Run, executor: Executor, until: int) -> Progress:
    """Have it play until so many games are stored."""
    stop: list[Callable[[], None]] = []

    def heard(event: Event) -> None:
        match event:
            case Stoppable():
                stop.append(event.stop)
            case GameEnded(progress=progress) if progress.done >= until:
                stop[0]()

    with Store(run.folder) as store:
        session = Session(run, store, heard)
        session.play(nullcontext(executor), math.inf)
    return session.progress


SHY = BOT.replace('"start":', '"start":\n        met = message["names"]').replace(
    '"act":',
    '"act" and not NAME.startswith("late") and any(n.startswith("late") for n in met):'
    '\n        sys.exit(1)\n    elif message["type"] == "act":',
)
"""Ends at the table of one whose name begins with ``late``."""


@pytest.mark.extensions("rounds")
@pytest.mark.parametrize("workers", [2, pytest.param(1, marks=pytest.mark.soak)])
def test_a_bot_that_begins_to_bring_workers_down_changes_no_round_before(workers: int) -> None:
    """Bots were withdrawn for their faults in its games, which still count."""
    names = [f"b{number}" for number in range(8)]
    for name in (*names, "late"):
        bot(Path.cwd(), name, SHY.replace("NAME", repr(name)))
    ladder, breaker = "kind: ladder, rounds: 5, deals: 1", "breaker: {faults: 20 %, after: 4}\n"
    for playing, wanted in ((names, 3), ([*names, "late"], 1), ([*names, "late"], None)):
        tournament = load_tournament(written(*playing, schedule=ladder, more=breaker))
        rounds = RoundLimit(wanted or 1)
        with opened(tournament, Path("run"), None) as begun:
            judge = rounds if wanted else None
            play(with_workers(tournament, workers), begun, ignore, judge)
    grounds = [each.ground for each in StoredRun(Path("run")).withdrawals().withdrawn.values()]
    assert grounds.count(Ground.WORKER) == 1
    assert Ground.FAULTS in grounds
    changes = read_manifest(Path("run")).changes
    assert len(changes) == 7  # five rounds, who came, and that nothing follows
    checked = RunVerifier(Path("run")).games()
    assert [finding for each in checked for finding in each.findings] == []


@pytest.mark.parametrize("places", [1, 3])
def test_whatever_plays_the_blocks_the_run_is_the_same(places: int) -> None:
    tournament = load_tournament(written("anna", "berta", "clara", schedule="deals: 6"))
    with opened(tournament, Path("calm"), None) as run:
        assert in_memory(run, InMemory(), 36).is_finished
    with opened(tournament, Path("rough"), None) as run:
        rough = InMemory(places, switched_off(1, 12), away=2)
        assert 11 <= in_memory(run, rough, 11).done < 36
    with opened(tournament, Path("rough"), None) as run:
        assert in_memory(run, InMemory(places, switched_off(2, 3, 9)), 36).is_finished
    assert stored("calm") == stored("rough")
    assert {void.cause for void in stored_voids(Path("rough"))} == {VoidCause.WORKER}
    calm, troubled = (
        render(table_of(StoredRun(Path(each))), "txt").splitlines() for each in ("calm", "rough")
    )
    assert [line for line in troubled if "void" not in line] == calm
