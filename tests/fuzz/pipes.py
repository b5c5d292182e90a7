"""Games of an honest bot against one that babbles, over real pipes.

    python -m tests.fuzz.pipes [--games 2000] [--seed 1]

Each game must end with a result, soon, and the honest bot must never be blamed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from arena.games.luck import Luck
from arena.hosting.process import BotProcess
from arena.hosting.sandbox.isolation import Launch
from arena.referee.compiled import channel_to
from arena.referee.play import GameConditions, play_game
from arena.referee.session import BotSession
from arena.values.results import GameDone, Limits, TimeControl
from tests.referee.processes import AMPLE, seated, started
from tests.toy import ToyRules, toy_spec

BOTS: Final = Path(__file__).parent / "bots"
SLOW: Final = AMPLE / 2
"""Seconds that no game may take: the babbler never lets its time run out."""
_CONTROL: Final = TimeControl(move=AMPLE, startup=AMPLE)


class Failed(AssertionError):
    """A game that did not end as it must."""


def play(seed: str, honest: BotSession) -> GameDone:
    """One game; the seed says what is babbled."""
    limits = Limits()
    launch = Launch((sys.executable, "-S", "babbler.py", seed), str(BOTS))
    channel = channel_to(BotProcess(launch), limits.reply, limits.stderr)
    try:
        player = seated(channel, _CONTROL)
        terms = GameConditions(_CONTROL, "opaque", (0, 1), ({}, {}), None)
        return play_game(ToyRules(2), [player, honest], toy_spec(2), Luck(seed.encode()), terms)
    finally:
        channel.close()


def play_all(seed: int | str, games: int, counts: Counter[str]) -> float:
    """Many games against one process of the honest bot; how long the longest took, seconds.

    Raises Failed.
    """
    longest = 0.0
    with started("honest") as channel:
        honest = seated(channel, _CONTROL)
        if not isinstance(honest, BotSession):
            raise Failed(f"the honest bot did not start: {honest}")
        for number in range(games):
            began = time.monotonic()
            played = play(f"{seed}/{number}", honest)
            took = time.monotonic() - began
            faults = played.result.faults
            if any(fault.seat == 1 for fault in faults) or len(faults) > 1:
                raise Failed(f"seed {seed}, game {number}: {faults}")
            if took > SLOW:
                raise Failed(f"seed {seed}, game {number}: took {took:.0f} s")
            counts[faults[0].kind.value if faults else "no fault"] += 1
            longest = max(longest, took)
    return longest


def main(arguments: Sequence[str] | None = None) -> int:
    """Play; 0 if every game ended as it must."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--seed", default="1")
    options = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    began = time.monotonic()
    try:
        longest = play_all(options.seed, options.games, counts)
    except Failed as error:
        print(error, file=sys.stderr)
        return 1
    for verdict, count in sorted(counts.items()):
        print(f"{count:>8,}  {verdict}")
    print(f"{options.games:,} games in {time.monotonic() - began:.0f} s; longest {longest:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
