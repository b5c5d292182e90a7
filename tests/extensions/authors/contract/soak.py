"""Random self-play of every rules engine and option through all checks, with statistics.

``python -m tests.extensions.authors.contract.soak --games 10000`` prints one row per set of
options and exits with 1 if a check failed. ``--only TEXT`` keeps the sets whose label contains the
text.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from arena.extensions.authors.contract.checks import ONCE_IN_A_WHILE
from arena.testing import CHECKS
from arena.values.results import RulesSpec
from tests.games.games import PlayedGame, label, play, single_specs
from tests.games.titles import TITLES, known

Z_95 = 1.96
THOROUGH_EVERY = 10
"""Every so many games are played a second and a third time too."""


@dataclass
class Tally:
    """What was seen of one set of options."""

    label: str
    plies: list[int] = field(default_factory=list)
    seat_wins: Counter[int] = field(default_factory=Counter)
    starter_wins: int = 0
    draws: int = 0
    endings: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)

    def add(self, game: PlayedGame) -> None:
        title = TITLES[game.rules.info.name]
        outcome = game.rules.outcome(game.plies[-1].after)
        assert outcome is not None
        self.plies.append(len(game.plies))
        self.endings[title.ending(game)] += 1
        if outcome.places.count(1) > 1:
            self.draws += 1
            return
        winner = outcome.places.index(1)
        self.seat_wins[winner] += 1
        self.starter_wins += winner == title.starter(game)

    def lines(self) -> list[str]:
        """The row of the table, as lines of text."""
        games = len(self.plies)
        mean = sum(self.plies) / games
        endings = ", ".join(f"{name} {count / games:.1%}" for name, count in self.endings.items())
        seats = ", ".join(
            f"seat {seat} {rate(wins, games)}" for seat, wins in sorted(self.seat_wins.items())
        )
        return [
            self.label,
            f"  games {games}, plies {min(self.plies)} / {mean:.1f} / {max(self.plies)}",
            f"  wins: starter {rate(self.starter_wins, games)}, {seats}, draws {self.draws}",
            f"  ended by: {endings}",
            f"  violations: {len(self.violations)}",
            *(f"    {text}" for text in self.violations[:5]),
        ]


def rate(count: int, total: int) -> str:
    """A share with its 95 % Wilson interval."""
    centre = (count + Z_95**2 / 2) / (total + Z_95**2)
    spread = math.sqrt(count * (total - count) / total + Z_95**2 / 4) * Z_95 / (total + Z_95**2)
    return f"{count / total:.1%} [{centre - spread:.1%}, {centre + spread:.1%}]"


def soak(spec: RulesSpec, games: int) -> Tally:
    """Play and check this many games."""
    tally = Tally(label(spec))
    for index in range(games):
        game = play(spec, f"soak-{index}")
        tally.add(game)
        for check in CHECKS:
            if index % THOROUGH_EVERY and check in ONCE_IN_A_WHILE:
                continue
            try:
                check(game, known(spec.name))
            except AssertionError as error:
                tally.violations.append(f"game {index}: {check.__name__}: {error}")
    return tally


def main(arguments: Sequence[str]) -> int:
    """Soak what was asked for and print it; 1 if anything was violated."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.extensions.authors.contract.soak", description=__doc__
    )
    parser.add_argument("--games", type=int, default=1000, help="games per set of options")
    parser.add_argument("--only", default="", help="keep the sets whose label contains this")
    options = parser.parse_args(arguments)
    violated = False
    for spec in single_specs():
        if options.only in label(spec):
            tally = soak(spec, options.games)
            violated |= bool(tally.violations)
            print("\n".join(tally.lines()), flush=True)
    return int(violated)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
