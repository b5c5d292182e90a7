"""Rules without a referee: legal actions and apply, in random self-play."""

from __future__ import annotations

import importlib
import importlib.util
import random
import time
from functools import partial

import msgspec

from arena.games.base import CHANCE, NOBODY
from arena.games.luck import Luck, derive_key
from arena.games.registry import make_rules, rules_spec
from benchmarks.child import call, serve
from benchmarks.figures import Figure, Figures
from benchmarks.workshop import UnavailableError, Workshop, pinned


class SelfPlay(msgspec.Struct, frozen=True):
    """How many games of what."""

    games: int
    rules: str = "dragonheart"
    """``hearts`` is that of OpenSpiel."""
    seats: int = 2


class Speed(msgspec.Struct, frozen=True):
    """Per second of CPU time: decisions, if nothing else is said."""

    games: float
    """Whole games per second."""
    whole: float
    """Chance is played in that time too, but not counted."""
    after_deal: float
    """From the first decision on."""


def dragonheart(shop: Workshop) -> Figures:
    """Our rules."""
    with pinned(0):
        speed = call(__name__, SelfPlay(shop.sizes.rules_games), Speed)
    return {Figure.RULES_STEPS: speed.whole, Figure.RULES_STEPS_DEALT: speed.after_deal}


def dragonkrak(shop: Workshop) -> Figures:
    """Our rules at the largest table."""
    speed = _large_table(shop, "dragonkrak")
    return {Figure.KRAK_STEPS: speed.whole, Figure.KRAK_GAMES: speed.games}


def dragonrealm(shop: Workshop) -> Figures:
    """Our rules at the largest table."""
    speed = _large_table(shop, "dragonrealm")
    return {Figure.REALM_STEPS: speed.whole, Figure.REALM_GAMES: speed.games}


def _large_table(shop: Workshop, rules: str) -> Speed:
    with pinned(0):
        return call(__name__, SelfPlay(max(1, shop.sizes.rules_games // 5), rules, 4), Speed)


def openspiel(shop: Workshop) -> Figures:
    """Hearts of OpenSpiel, C++ stepped from Python. Raises UnavailableError without it."""
    if importlib.util.find_spec("pyspiel") is None:
        raise UnavailableError("OpenSpiel is not installed: pip install open_spiel")
    with pinned(0):
        speed = call(__name__, SelfPlay(shop.sizes.rules_games, "hearts"), Speed)
    return {Figure.OPENSPIEL_STEPS: speed.whole, Figure.OPENSPIEL_STEPS_DEALT: speed.after_deal}


def _measure(job: SelfPlay) -> Speed:
    play = _hearts if job.rules == "hearts" else partial(_ours, job)
    play(max(1, job.games // 10))
    began = time.process_time()
    decisions, dealing = play(job.games)
    spent = time.process_time() - began
    return Speed(job.games / spent, decisions / spent, decisions / (spent - dealing))


def _ours(job: SelfPlay, games: int) -> tuple[int, float]:
    """Decisions, and the seconds before the first of each game."""
    rules = make_rules(rules_spec(job.rules, job.seats))
    rng = random.Random(1)
    decisions, dealing = 0, 0.0
    for number in range(games):
        began = time.process_time()
        luck = Luck(derive_key("benchmark", number))
        state = rules.initial_state()
        while rules.to_act(state) == CHANCE:
            state = rules.apply(state, rules.chance(state, luck))
        dealing += time.process_time() - began
        while (seat := rules.to_act(state)) != NOBODY:
            if seat == CHANCE:
                state = rules.apply(state, rules.chance(state, luck))
                continue
            legal = rules.legal_actions(state)
            state = rules.apply(state, legal[int(rng.random() * len(legal))])
            decisions += 1
    return decisions, dealing


def _hearts(games: int) -> tuple[int, float]:
    """The same; all chance of hearts comes before the first decision."""
    game = importlib.import_module("pyspiel").load_game("hearts")
    rng = random.Random(1)
    decisions, dealing = 0, 0.0
    for _ in range(games):
        began = time.process_time()
        state = game.new_initial_state()
        while state.is_chance_node():
            actions, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(actions, weights)[0])
        dealing += time.process_time() - began
        while not state.is_terminal():
            legal = state.legal_actions()
            state.apply_action(legal[int(rng.random() * len(legal))])
            decisions += 1
    return decisions, dealing


if __name__ == "__main__":
    serve(SelfPlay, _measure)
