"""The cases of a check in their order, its games with injected faults, and the time they take."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, NamedTuple

from arena.results import RulesSpec
from arena.studies.check.fault_injection import NO_INJECTION, Injection
from arena.studies.check.finding import Name
from arena.studies.check.table import CheckGame, Opponents, ends_at_once, rotation


class Work(NamedTuple):
    """Expected processes and games of a case."""

    processes: int
    games: int


class CheckPace:
    """The remaining work, and the time that processes and games took so far.

    ``now``: a clock in seconds.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self.now = now
        self._planned: dict[str, Work] = {}
        self._done = Work(0, 0)
        self._starting = 0.0
        self._playing = 0.0

    def plan(self, planned: Mapping[str, Work]) -> None:
        """Set the expected work of every case that has not begun."""
        self._planned = dict(planned)

    def begin(self, case: str) -> None:
        """Remove the work of this case, which is about to start, and of the cases before it."""
        while case in self._planned and case != next(iter(self._planned)):
            del self._planned[next(iter(self._planned))]

    def add(self, seconds: float, starting: float, games: int) -> None:
        """Count a process: all its seconds, the seconds until it was ready, and its games."""
        self._done = Work(self._done.processes + 1, self._done.games + games)
        self._starting += starting
        self._playing += max(0.0, seconds - starting)

    def left(self) -> float | None:
        """Return the seconds that the remaining cases need; None: not known yet."""
        if not self._planned or not self._done.games:
            return None
        start = self._starting / self._done.processes
        game = self._playing / self._done.games
        return sum(each.processes * start + each.games * game for each in self._planned.values())


_LONG: Final = 300_000
_PIECES: Final = 7
_SMALL_PIPE: Final = 4096
_DELAY: Final = 0.4

MANIFEST_CASE: Final = "manifest and build"
START_CASE: Final = "start"
GAME_CASE: Final = "a game"
AGAIN_CASE: Final = "the same game again"
TABLES_CASE: Final = "every table and seat, ten games and more in one process"
WANTS_CASE: Final = "the information it asks for"


GAMES_OF_A_PROCESS: Final = 10
"""Least number of games in the process that plays at every table."""


class Variant(NamedTuple):
    """The first game played once more, with one injected fault."""

    case: str
    name: Name
    injection: Injection = NO_INJECTION
    against: Opponents = Opponents.ANY


TOGETHER: Final = Variant("lines together", Name.LINES_TOGETHER, Injection(together=True))
"""Variant that is tried first, else output soon after a line would look like another's fault."""
VARIANTS: Final = (
    Variant("a fault of another bot", Name.OTHERS_FAULT, against=Opponents.FAULTY),
    Variant("a game that ends at once", Name.ENDED_AT_ONCE),
    Variant("unknown fields", Name.UNKNOWN_FIELD, Injection(fields=True)),
    Variant("unknown messages", Name.UNKNOWN_MESSAGE, Injection(messages=True)),
    Variant("other spaces and order of keys", Name.OTHER_SPELLING, Injection(spelling=True)),
    Variant("long lines", Name.LONG_LINE, Injection(padding=_LONG)),
    Variant("lines in pieces", Name.IN_PIECES, Injection(pieces=_PIECES)),
    Variant("small pipes", Name.SMALL_PIPE, Injection(pipe=_SMALL_PIPE)),
    Variant("delays", Name.DELAYED, Injection(delay=_DELAY)),
    Variant("events of many plies", Name.MANY_EVENTS, against=Opponents.DAWDLING),
)
CASES: Final = (
    MANIFEST_CASE,
    START_CASE,
    GAME_CASE,
    TOGETHER.case,
    AGAIN_CASE,
    *(variant.case for variant in VARIANTS),
    TABLES_CASE,
    WANTS_CASE,
)
"""All cases in the order in which they are tried: short ones first."""
BUILT_ON: Final = frozenset({MANIFEST_CASE, START_CASE, GAME_CASE})
"""Cases that every check needs and that are tried first."""
ESSENTIAL: Final = BUILT_ON | {TOGETHER.case, TABLES_CASE}
"""Cases that show in seconds whether a bot can play at all."""


def work(
    cases: Collection[str], base: CheckGame, specs: Sequence[RulesSpec], seed: str, wants: int
) -> dict[str, Work]:
    """Return the work of each case after the first game, for a bot without faults.

    ``base``, ``specs``: as in ``games_of_variant``; ``wants``: the number of parts that it wants.
    """
    games = {
        variant.case: len(games_of_variant(variant, base, specs, seed)) for variant in VARIANTS
    }
    games |= {TOGETHER.case: 1, AGAIN_CASE: 1}
    games[TABLES_CASE] = len(rotation(specs, GAMES_OF_A_PROCESS))
    found = {case: Work(1, number) for case, number in games.items()}
    found[WANTS_CASE] = Work(wants, 2 * wants)
    return {case: found[case] for case in CASES if case in found and case in cases}


def games_of_variant(
    variant: Variant, base: CheckGame, specs: Sequence[RulesSpec], seed: str
) -> list[CheckGame]:
    """Return the games of ``variant``; empty if the bot plays no game that suits it.

    If a game may end early, an ordinary one follows. ``base``: the first game of the check;
    ``specs``: all tables.
    """
    most = max((s for s in specs if s.name == base.rules.name), key=lambda s: s.seats)
    match variant.name:
        case Name.ENDED_AT_ONCE:
            ended = ends_at_once(base.rules, seed)
            return [] if ended is None else [ended, base]
        case Name.OTHERS_FAULT:
            if most.seats == 1:
                return []
            faulty = [base] if base.rules.seats > 1 else []
            faulty += [CheckGame(most, 0, 0)] if most != base.rules else []
            return [*(each._replace(against=Opponents.FAULTY) for each in faulty), base]
        case Name.MANY_EVENTS:
            largest = max(specs, key=lambda s: s.seats)
            specs = [most] if most == largest else [most, largest]
            return [CheckGame(spec, spec.seats - 1, 3, Opponents.DAWDLING) for spec in specs]
    return [base]
