"""Measured use of games: time and memory of bots, and the speed and timeouts of machines.

Times of machines are compared for the same bots only, so that a machine does not seem slow because
slow bots played on it. Times are kept as counts on a logarithmic scale: those of bots to a fifth,
those of machines to half a percent. The longest time of a bot is exact.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil, log2
from statistics import median
from typing import Final, NamedTuple, TypeAlias

import msgspec

from arena.ratings.probability import LEVEL, binomial_tail, digits, holm
from arena.values.results import (
    STEPS,
    FaultKind,
    GameResult,
    GameSpec,
    SeatUsage,
    Termination,
    VoidCause,
)

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


_LAST_STEP: Final = 40 * STEPS
"""Last step of the time scale, about twelve days; longer times are counted here."""


class CostNumbers(msgspec.Struct, frozen=True):
    """Costs of one bot in one discipline."""

    name: str
    moves: int
    """Number of answers that were timed."""
    median_us: float | None
    """Median wall time of an answer, in microseconds; None without answers."""
    p95_us: float | None
    """Wall time within which 95 % of the answers were given, in microseconds."""
    longest_us: int | None
    cpu_us: float | None
    """Processor time per game of all processes of the bot, in microseconds; None if not
    measured."""
    cpu_games: int
    """Number of games that ``cpu_us`` is averaged over."""
    memory_bytes: int | None
    """Peak memory in bytes of a process of the bot with its children; None if not measured."""


class _BotCosts:
    def __init__(self) -> None:
        self.times: Counter[int] = Counter()
        self.longest = 0
        self.games = 0
        self.cpu_us = 0
        self.memory = 0


class CostTally:
    """Counts of what games cost, independent of their order."""

    def __init__(self) -> None:
        self._bots: defaultdict[tuple[str, str], _BotCosts] = defaultdict(_BotCosts)

    def add(self, spec: GameSpec, spent: Sequence[SeatUsage]) -> None:
        """Count a game; ``spent`` is ordered by seat and empty if nothing is known."""
        for name, own in zip(spec.entrants, spent, strict=False):
            bot = self._bots[spec.discipline, name]
            for step, number in zip(own.times[::2], own.times[1::2], strict=False):
                bot.times[min(step, _LAST_STEP)] += number
            bot.longest = max(bot.longest, own.longest_us)
            bot.games += own.games
            bot.cpu_us += own.cpu_us
            bot.memory = max(bot.memory, own.memory)

    def numbers(self, discipline: str, names: Iterable[str]) -> tuple[CostNumbers, ...]:
        """Return the costs of the bots ``names``, without those of which nothing is known."""
        known = ((name, self._bots.get((discipline, name))) for name in names)
        return tuple(_numbers(name, bot) for name, bot in known if bot is not None)

    def answers(self) -> dict[str, tuple[float, int]]:
        """Return for each bot the 99 % quantile and the longest of all its answers, in µs."""
        times: defaultdict[str, Counter[int]] = defaultdict(Counter)
        longest: Counter[str] = Counter()
        for (_, name), bot in self._bots.items():
            times[name] += bot.times
            longest[name] = max(longest[name], bot.longest)
        return {
            name: (min(_quantile(own, 0.99), longest[name]), longest[name])
            for name, own in times.items()
            if own
        }


def _numbers(name: str, bot: _BotCosts) -> CostNumbers:
    moves = bot.times.total()
    return CostNumbers(
        name=name,
        moves=moves,
        median_us=_quantile(bot.times, 0.5) if moves else None,
        p95_us=_quantile(bot.times, 0.95) if moves else None,
        longest_us=bot.longest if moves else None,
        cpu_us=round(bot.cpu_us / bot.games, 1) if bot.games else None,
        cpu_games=bot.games,
        memory_bytes=bot.memory or None,
    )


def _quantile(times: Counter[int], share: float) -> float:
    """Return the middle of the least step at which the ``share`` of all times is reached."""
    left = ceil(share * times.total())
    for step, number in sorted(times.items()):
        left -= number
        if left <= 0:
            return round(float(2.0 ** ((step + 0.5) / STEPS)), 1)
    raise ValueError("no times")
