"""What the rules of arena add to OpenSpiel's own loop in Python.

    python -m benchmarks.openspiel [--seconds N] [GAME ...]

Plays random games by both in turns, and prints CPU time a ply and the ratio. OpenSpiel's loop
changes one state in place. Arena's rules return a new state and draw chance from the deal.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from typing import Any, Final

from arena.games.base import CHANCE, NOBODY, Rules
from arena.games.luck import Luck, derive_key
from arena.games.registry import make_rules, rules_spec

_ROUNDS: Final = 5
GAMES: Final = ("connect_four", "hearts", "go:9", "chess", "go", "backgammon", "leduc_poker")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("games", nargs="*", default=GAMES, help="GAME or GAME:BOARD_SIZE")
    parser.add_argument("--seconds", type=float, default=0.5, help="of each loop in each round")
    arguments = parser.parse_args()
    print(f"{'game':<14} {'OpenSpiel':>10} {'arena':>10}  µs a ply   ratio")
    for text in arguments.games:
        theirs, ours, ratio = compared(text, arguments.seconds)
        print(f"{text:<14} {theirs:10.2f} {ours:10.2f}  {ratio:16.2f}")


def compared(text: str, seconds: float) -> tuple[float, float, float]:
    """Return the µs a ply of OpenSpiel and of arena, and the median of their ratios."""
    import pyspiel

    name, _, size = text.partition(":")
    options = {"board_size": int(size)} if size else {}
    game = pyspiel.load_game(name, options)
    rules = make_rules(rules_spec(f"openspiel.{name}", options=options))
    rounds = [
        (
            timed(lambda seed: _theirs(game, seed), seconds),
            timed(lambda seed: _ours(rules, seed), seconds),
        )
        for _ in range(_ROUNDS)
    ]
    theirs, ours = (statistics.median(each) for each in zip(*rounds, strict=True))
    return theirs, ours, statistics.median(one / other for one, other in rounds)


def timed(play: Callable[[int], int], seconds: float) -> float:
    """Return the CPU time of a ply in µs; ``play`` plays the game of a seed and counts plies."""
    plies, seed, begin = 0, 0, time.process_time()
    while (spent := time.process_time() - begin) < seconds:
        plies += play(seed)
        seed += 1
    return spent / plies * 1e6


def _theirs(game: Any, seed: int) -> int:
    state, draw, plies = game.new_initial_state(), random.Random(seed), 0
    while not state.is_terminal():
        if state.is_chance_node():
            numbers, shares = zip(*state.chance_outcomes(), strict=True)
            action = draw.choices(numbers, shares)[0]
        else:
            action = draw.choice(state.legal_actions())
        state.apply_action(action)
        plies += 1
    return plies


def _ours(rules: Rules[Any, Any], seed: int) -> int:
    state, draw, plies = rules.initial_state(), random.Random(seed), 0
    luck = Luck(derive_key("benchmark", seed))
    while (seat := rules.to_act(state)) != NOBODY:
        if seat == CHANCE:
            action = rules.chance(state, luck)
        else:
            action = draw.choice(rules.legal_actions(state))
        state = rules.apply(state, action)
        plies += 1
    return plies


if __name__ == "__main__":
    main()
