"""Looking back at games costs CPU too: a report of them, and proof that they were played so."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from arena.games.base import CHANCE, Action, Rules
from arena.games.luck import Luck
from arena.runs.reader import StoredRun
from arena.runs.store import read_opening
from arena.runs.verify import RunVerifier
from arena.schedule.seeds import Seeds
from benchmarks.child import call, serve
from benchmarks.figures import Figure, Figures
from benchmarks.workshop import ROOT, Workshop, pinned

_SEATS: Final = {"dragonheart": 2, "dragonrealm": 4}
"""As many as a deal has games."""


class Folder(msgspec.Struct, frozen=True):
    """A run folder."""

    path: str


class Cost(msgspec.Struct, frozen=True):
    """CPU time of one game, milliseconds."""

    rules: float
    verify: float


class _Known(NamedTuple):
    """A game of which everything is decoded."""

    rules: Rules[Any, Action]
    luck: Luck
    plies: list[Any]
    """As they stand in the record."""


def reports(shop: Workshop) -> Figures:
    """``arena report`` as a command, beside one that has no game to step through."""
    return {
        Figure.REPORT_HEART: _report(shop, "dragonheart", max(4, shop.sizes.games // 10)),
        Figure.REPORT_REALM: _report(shop, "dragonrealm", max(4, shop.sizes.games // 250)),
    }


def verify(shop: Workshop) -> Figures:
    """Both games, each beside its rules alone."""
    figures: Figures = {}
    for game, games, alone, whole in (
        ("dragonheart", max(4, shop.sizes.games // 10), Figure.ALONE_HEART, Figure.VERIFY_HEART),
        ("dragonrealm", max(4, shop.sizes.games // 250), Figure.ALONE_REALM, Figure.VERIFY_REALM),
    ):
        with pinned(0):
            cost = call(__name__, Folder(str(_played(shop, game, games))), Cost)
        figures |= {alone: cost.rules, whole: cost.verify}
    return figures


def _played(shop: Workshop, game: str, games: int) -> Path:
    """A run of random bots, played once."""
    folder, seats = shop.scratch / f"back-{game}", _SEATS[game]
    if not folder.exists():
        deals = str(games // seats)
        bots = ["bots/random"] * seats
        command = ["run", "-g", game, "-s", str(seats), *bots, "-n", deals, "--seed", "1", "-q"]
        _arena(*command, "-o", str(folder))
    return folder


def _report(shop: Workshop, game: str, games: int) -> float:
    """Milliseconds of CPU for each game."""
    folder = _played(shop, game, games)
    used = {}
    for wanted in ("none", "all"):
        before = os.times()
        target = shop.scratch / f"{game}.html"
        _arena("report", str(folder), "-j", "1", "-q", "--games", wanted, "-o", str(target))
        after = os.times()
        used[wanted] = after.children_user + after.children_system
        used[wanted] -= before.children_user + before.children_system
    return 1000 * (used["all"] - used["none"]) / games


def _arena(*arguments: str) -> None:
    command = [sys.executable, "-m", "arena", *arguments]
    subprocess.run(command, check=True, cwd=ROOT, capture_output=True)


def _measure(folder: Folder) -> Cost:
    path = Path(folder.path)
    games = _known(path)
    _alone(games[:1])
    rules, proof = 0.0, 0.0
    for _ in range(3):  # in turns
        began = time.process_time()
        _alone(games)
        between = time.process_time()
        _verify(path)
        rules += between - began
        proof += time.process_time() - between
    share = 1000 / (3 * len(games))
    return Cost(rules * share, proof * share)


def _known(path: Path) -> list[_Known]:
    run, seeds = StoredRun(path), Seeds.of(read_opening(path).seed)
    found = []
    for game in run.games():
        record = run.record(game.stored)
        spec = record.header.spec
        plies = [ply.action for ply in record.plies]
        found.append(_Known(run.rules(spec.discipline), seeds.deal(spec.deal), plies))
    return found


def _alone(games: list[_Known]) -> None:
    """Every action decoded, found possible and applied; nothing is read or checked besides."""
    for rules, luck, plies in games:
        state = rules.initial_state()
        for ply in plies:
            action = rules.decode_action(ply)
            if rules.to_act(state) == CHANCE:
                is_right = rules.chance(state, luck) == action
            else:
                is_right = action in rules.legal_actions(state)
            if not is_right:
                raise AssertionError("the record is not of these rules")
            state = rules.apply(state, action)
        rules.outcome(state)


def _verify(path: Path) -> None:
    for checked in RunVerifier(path).games():
        if checked.findings:
            raise AssertionError(str(checked.findings[0]))


if __name__ == "__main__":
    serve(Folder, _measure)
