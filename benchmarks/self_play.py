"""How fast functions play against each other in this process, beside the rules alone.

    python -m benchmarks.self_play [--deals N] [--game GAME] [--rounds N]

Two functions play random moves through ``arena.play``: one pair reads only how many actions are
legal, the other reads every part of its questions. The yardsticks play the same without arena: by
the rules alone, and with the JSON that the functions read.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable
from typing import Any, Final

import arena
from arena.games.base import CHANCE, NOBODY, Action, Rules
from arena.games.luck import Luck, derive_key
from arena.referee.records.perspective import Events, plain

_SECONDS: Final = 1.0
"""CPU time for which each yardstick plays."""


def main() -> int:
    options = _options()
    rules = arena.rules(options.game)
    for number in range(options.rounds):
        bare, whole = alone(rules, reads=False), alone(rules, reads=True)
        few = played(options.game, options.deals, _pick)
        every = played(options.game, options.deals, _read_and_pick)
        print(f"round {number + 1}, decisions a CPU second of {options.game}")
        print(f"  rules alone                 {bare:9,.0f}")
        print(f"  rules and JSON alone        {whole:9,.0f}")
        print(f"  functions that read little  {few:9,.0f}  {few / bare:.2f} x the rules alone")
        print(f"  functions that read all     {every:9,.0f}  {every / whole:.2f} x rules and JSON")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.self_play", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--deals", type=int, default=300, metavar="N")
    parser.add_argument("--game", default="dragonheart")
    parser.add_argument("--rounds", type=int, default=3, metavar="N")
    return parser.parse_args()


def _pick(question: Any) -> int:
    return random.randrange(len(question.legal))


def _read_and_pick(question: Any) -> int:
    """Read every part of the question."""
    seen = question.observation, question.events
    return random.randrange(len(question.legal)) if seen else 0


def alone(rules: Rules[Any, Action], *, reads: bool) -> float:
    """Decisions a CPU second of random games: legal actions, observation, events, and apply."""
    decisions, number, began = 0, 0, time.process_time()
    while time.process_time() < began + _SECONDS:
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
