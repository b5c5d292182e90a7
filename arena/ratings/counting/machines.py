"""Counts of games by the machine that played them: its speed and its timeouts.

Times are compared for the same bots only, so that a machine does not seem slow because slow bots
played on it. Times are kept as counts on a logarithmic scale, to half a percent.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from math import log2
from statistics import median
from typing import Final, NamedTuple, TypeAlias

import msgspec

from arena.ratings.probability import LEVEL, binomial_tail, digits, holm
from arena.results import FaultKind, GameResult, Termination, VoidCause

_STEPS: Final = 64
"""Number of steps of the time scale for each doubling of a time."""
_Times: TypeAlias = Counter[int]
"""Number of measurements per step of the time scale."""
_Bot: TypeAlias = tuple[str, str]
"""Name of a discipline and of a bot; a bot has its own pace in each discipline."""


class MachineNumbers(msgspec.Struct, frozen=True):
    """Figures of one of several machines. Times are wall times in microseconds."""

    name: str
    """Name of the machine; empty for the machine that holds the run."""
    games: int
    answer_us: float | None
    """Waiting time per answer, if all seats answer equally often: the median over bots of their
    medians over games. None if nothing was measured."""
    ratio: float | None
    """Waiting time relative to other machines, for the same bots: the median over bots of the bot's
    median here divided by its median elsewhere. Each other machine counts once. None if no bot
    played on another machine."""
    compared: int
    """Number of bots in ``ratio``, counted once for each discipline."""
    game_us: float | None
    """Median time of a game."""
    voids: dict[VoidCause, int]
    """Number of attempts to play a game here that failed, by cause."""
    timeouts: int
    """Number of timeout faults."""
    timeout_games: int
    """Number of games with a timeout."""
    timeout_blocks: int
    """Number of blocks with a timeout; the test counts these."""
    expected: float
    """Expected number of blocks with a timeout here if machines make no difference."""
    p: float
    """Upper bound of the probability of at least ``timeout_blocks`` if machines make no
    difference."""
    p_holm: float
    """``p`` adjusted for all machines (Holm)."""
    significant: bool
    """True if ``p_holm`` is at most the level of 5 %."""


class _Machine:
    """Counters of one machine."""

    def __init__(self) -> None:
        self.games = 0
        self.walls: _Times = Counter()
        self.voids: Counter[VoidCause] = Counter()
        self.timeouts = 0
        self.timeout_games = 0
        self.late: dict[tuple[str, str], str] = {}
        """Bot that had a timeout, by discipline and block; of several bots the first by name."""


class MachineTally:
    """Counts of games and voids by machine, independent of their order."""

    def __init__(self) -> None:
        self._machines: defaultdict[str, _Machine] = defaultdict(_Machine)
        self._times: defaultdict[_Bot, defaultdict[str, _Times]]
        self._times = defaultdict(lambda: defaultdict(Counter))
        self._played: defaultdict[_Bot, Counter[str]] = defaultdict(Counter)

    def add(self, machine: str, result: GameResult) -> None:
        """Count a game that was played on ``machine``."""
        if result.termination is Termination.VOID:
            return
        own, spec = self._machines[machine], result.spec
        own.games += 1
        if result.wall_us > 0:
            own.walls[_step(result.wall_us)] += 1
        for name in dict.fromkeys(spec.entrants):
            self._played[spec.discipline, name][machine] += 1
        late = [spec.entrants[f.seat] for f in result.faults if f.kind is FaultKind.TIMEOUT]
        if late:
            own.timeouts += len(late)
            own.timeout_games += 1
            block = spec.discipline, spec.block
            own.late[block] = min(*late, own.late.get(block, late[0]))
        self._add_times(machine, result)

    def add_void(self, machine: str, cause: VoidCause) -> None:
        """Count a game that could not be played on ``machine``."""
        self._machines[machine].voids[cause] += 1

    def numbers(self) -> tuple[MachineNumbers, ...]:
        """Return the figures of each machine, the slowest first."""
        paces = _paces(self._times)
        tests = self._tests()
        adjusted = dict(zip(tests, holm([test.p for test in tests.values()]), strict=True))
        found = [
            MachineNumbers(
                name=name,
                games=own.games,
                answer_us=paces[name].answer_us if name in paces else None,
                ratio=paces[name].ratio if name in paces else None,
                compared=paces[name].compared if name in paces else 0,
                game_us=_rounded(_middle(own.walls)) if own.walls else None,
                voids={cause: own.voids[cause] for cause in VoidCause},
                timeouts=own.timeouts,
                timeout_games=own.timeout_games,
                timeout_blocks=len(own.late),
                expected=_rounded(tests[name].expected),
                p=digits(tests[name].p),
                p_holm=digits(adjusted[name]),
                significant=adjusted[name] <= LEVEL,
            )
            for name, own in self._machines.items()
        ]
        return tuple(sorted(found, key=lambda own: (-(own.ratio or 0.0), own.name)))

    def _add_times(self, machine: str, result: GameResult) -> None:
        """Count the think times of a game, except those of faulty seats.

        The waiting time of a faulty seat shows only how long the clock was.
        """
        if not result.plies:
            return
        seats, discipline = len(result.spec.entrants), result.spec.discipline
        for seat, think in enumerate(result.think_us):
            if think > 0 and not (result.faults and result.faulty(seat)):
                bot = discipline, result.spec.entrants[seat]
                self._times[bot][machine][_step(think * seats / result.plies)] += 1

    def _tests(self) -> dict[str, _Test]:
        """Return the test for timeouts of each machine, by name.

        If machines make no difference, a block in which a bot had a timeout was played on a given
        machine with a probability equal to that machine's share of the bot's games. Blocks, not
        games, are taken as independent. A block counts once, however many bots had a timeout in it.
        """
        late = Counter(
            (discipline, bot)
            for own in self._machines.values()
            for (discipline, _), bot in own.late.items()
        )
        blocks = late.total()
        tests = {}
        for name, own in self._machines.items():
            shares = (
                number * self._played[bot][name] / self._played[bot].total()
                for bot, number in sorted(late.items())
            )
            expected = sum(shares)
            tests[name] = _Test(expected, _at_most(len(own.late), blocks, expected))
        return tests


class _Test(NamedTuple):
    expected: float
    p: float


class _Pace(NamedTuple):
    answer_us: float
    ratio: float | None
    compared: int


def _at_most(found: int, blocks: int, expected: float) -> float:
    """Return an upper bound of the probability of at least ``found`` of the ``blocks``.

    Each block has a probability of its own; ``expected`` is their sum. If all blocks have the mean
    probability instead, the tail is no smaller, from the mean plus 1 on (Hoeffding 1956, "On the
    distribution of the number of successes in independent trials", theorem 4). Nearer to the mean
    nothing is claimed, and the bound is 1.
    """
    return binomial_tail(found, blocks, expected / blocks) if found >= expected + 1 else 1.0


def _paces(times: Mapping[_Bot, Mapping[str, _Times]]) -> dict[str, _Pace]:
    """Return the pace of each machine with measurements, by name."""
    answers: defaultdict[str, list[float]] = defaultdict(list)
    ratios: defaultdict[str, list[float]] = defaultdict(list)
    for by_machine in times.values():
        medians = {name: _middle(own) for name, own in by_machine.items()}
        for name, own in medians.items():
            answers[name].append(own)
        for name, others in _others(medians):
            ratios[name].append(medians[name] / others)
    return {
        name: _Pace(
            _rounded(median(own)),
            _rounded(median(ratios[name])) if name in ratios else None,
            len(ratios[name]) if name in ratios else 0,
        )
        for name, own in answers.items()
    }


def _others(values: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """Yield each name with the median of the other values; of two middle values the lower."""
    if len(values) < 2:
        return
    order = sorted(values, key=values.__getitem__)
    middle = (len(order) - 2) // 2
    for place, name in enumerate(order):
        yield name, values[order[middle + (place <= middle)]]


def _step(time: float) -> int:
    return round(_STEPS * log2(time))


def _middle(times: _Times) -> float:
    """Return the median; of two middle values the lower."""
    left = (times.total() + 1) // 2
    for step, number in sorted(times.items()):
        left -= number
        if left <= 0:
            return float(2.0 ** (step / _STEPS))
    raise ValueError("no times")


def _rounded(value: float) -> float:
    return round(value, 6)
