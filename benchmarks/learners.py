"""How fast learners are served: by ``arena.env`` beside PettingZoo, by ``arena.play`` beside rules.

    python -m benchmarks.learners [--game GAME] [--rounds N] [--seconds N]

The cases take turns in one process, and every ratio is taken within a round, in CPU time. Random
legal actions are played everywhere. The rival of the environment is ``connect_four_v3``, stepped in
the same way; without ``pip install 'pettingzoo[classic]'`` it is not measured. The yardsticks of
functions that play through ``arena.play`` play the same without arena: by the rules alone, and with
the JSON that the functions read.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from typing import Any, Final

import numpy as np

import arena
from arena.games.base import CHANCE, NOBODY, Action, Rules
from arena.games.luck import Luck, derive_key
from arena.referee.records.perspective import Events, plain

_DEALS: Final = 20
"""Deals of a call of ``arena.play`` for each tenth of a second that yardsticks play."""


def main() -> int:
    options = _options()
    game, rules = options.game, arena.rules(options.game)
    deals = max(1, int(_DEALS * 10 * options.seconds))
    cases: dict[str, Callable[[], float]] = {}
    if (rival := _rival()) is None:
        print("connect_four_v3 is not measured: pip install 'pettingzoo[classic]'")
    else:
        cases["steps of connect_four_v3"] = _timed_env(rival, options.seconds)
    cases |= {  # those that are compared stand side by side
        "steps of arena.env": _timed_env(arena.env(game, actions="fixed"), options.seconds),
        "functions that read little": partial(played, game, deals, _pick),
        "rules alone": partial(alone, rules, options.seconds, reads=False),
        "rules and JSON alone": partial(alone, rules, options.seconds, reads=True),
        "functions that read all": partial(played, game, deals, _read_and_pick),
    }
    rounds = [{name: measure() for name, measure in cases.items()} for _ in range(options.rounds)]
    print(f"decisions a CPU second of {game}; median [least..greatest] of {len(rounds)} rounds")
    for name in cases:
        print(f"  {name:<28} {_spread([each[name] for each in rounds], ',.0f')}")
    for own, other in (
        ("steps of arena.env", "steps of connect_four_v3"),
        ("functions that read all", "rules and JSON alone"),
        ("functions that read little", "rules alone"),
    ):
        if other in cases:
            ratios = [each[own] / each[other] for each in rounds]
            print(f"  {own} / {other}: {_spread(ratios, '.2f')}")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.learners", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--game", default="dragonheart")
    parser.add_argument("--rounds", type=int, default=9, metavar="N")
    parser.add_argument("--seconds", type=float, default=0.5, help="of a case in a round")
    return parser.parse_args()


def _spread(values: Sequence[float], form: str) -> str:
    median = statistics.median(values)
    return f"{median:{form}} [{min(values):{form}}..{max(values):{form}}]"


def _rival() -> Any:
    """Return the rival, or None where it is not installed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            from pettingzoo.classic import connect_four_v3

            return connect_four_v3.env()
        except ImportError:
            return None


def _timed_env(env: Any, seconds: float) -> Callable[[], float]:
    """Return a function that plays new games for so long and returns steps a CPU second."""
    seeds = count()  # no game is played twice, since facts of one that was met may be known

    def measure() -> float:
        steps, began = 0, time.process_time()
        while (spent := time.process_time() - began) < seconds:
            steps += stepped(env, next(seeds))
        return steps / spent

    return measure


def stepped(env: Any, seed: int) -> int:
    """Play random legal actions to the end of a game. Return the number of steps."""
    steps, draw = 0, random.Random(seed).random
    env.reset(seed=seed)
    for _ in env.agent_iter():
        observation, _, has_ended, _, _ = env.last()
        if has_ended:
            env.step(None)
            continue
        legal = np.flatnonzero(observation["action_mask"])
        env.step(int(legal[int(draw() * len(legal))]))
        steps += 1
    return steps


def _pick(question: Any) -> int:
    return random.randrange(len(question.legal))


def _read_and_pick(question: Any) -> int:
    """Read every part of the question."""
    seen = question.observation, question.events
    return random.randrange(len(question.legal)) if seen else 0


def alone(rules: Rules[Any, Action], seconds: float, *, reads: bool) -> float:
    """Decisions a CPU second of random games: legal actions, observation, events, and apply."""
    decisions, number, began = 0, 0, time.process_time()
    while time.process_time() < began + seconds:
        number += 1
        luck, state = Luck(derive_key("deal", number)), rules.initial_state()
        events = Events(rules, range(rules.info.seats))
        while (seat := rules.to_act(state)) != NOBODY:
            if seat == CHANCE:
                action = rules.chance(state, luck)
            else:
                legal, observation = rules.legal_actions(state), rules.observe(state, seat)
                if reads:
                    plain(observation), plain(events.of[seat]), plain(legal)
                events.of[seat].clear()
                action = legal[random.randrange(len(legal))]
                decisions += 1
            after = rules.apply(state, action)
            events.add(state, action, after)
            state = after
    return decisions / (time.process_time() - began)


def played(game: str, deals: int, function: Callable[[Any], int]) -> float:
    """Decisions a CPU second of games through ``arena.play``."""
    began = time.process_time()
    run = arena.play(game, {"a": function, "b": function}, deals=deals)
    seconds = time.process_time() - began
    return float(sum(row["decisions"] for row in run.seats())) / seconds


if __name__ == "__main__":
    sys.exit(main())
