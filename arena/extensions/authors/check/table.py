"""Tables at which a bot is checked: games, opponents, and what the bot's seat saw.

Also the cases of a check in their order, with the games and injected faults of each, and the time
that they take.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Collection, Mapping, Sequence
from enum import Enum
from typing import Any, Final, NamedTuple

from arena.extensions.authors.bots import BuildableBot
from arena.extensions.authors.check.fault_injection import NO_INJECTION, SET_PIPE_SIZE, Injection
from arena.extensions.authors.check.finding import Name, Where
from arena.extensions.authors.trial.trial import TrialGame, player, seated
from arena.games.base import CHANCE, NOBODY, Action, Rules
from arena.games.installed import GameError
from arena.games.registry import GAMES, make_rules, rules_spec
from arena.referee.play import GameConditions, play_game
from arena.referee.records.perspective import plain
from arena.referee.session import BotSession
from arena.schedule.seeds import Seeds
from arena.values.problems import ConfigError, Problem, Problems, either
from arena.values.results import Fault, GameSpec, RulesSpec, Seat, TimeControl

_LOOKED_THROUGH: Final = 12
"""Number of actions whose consequences an opponent of the kind DAWDLING tries."""
_DEALS_TRIED: Final = 40
_ID_BYTES: Final = 8


class Opponents(Enum):
    """Behaviour of the opponents at the other seats."""

    ANY = "any"
    """The opponents take any legal action."""
    DAWDLING = "dawdling"
    """The opponents take actions after which the bot is not asked yet."""
    FAULTY = "faulty"
    """The first opponent that is asked commits a fault at once."""


class CheckGame(NamedTuple):
    """A game that one bot is to play in a check."""

    rules: RulesSpec
    seat: Seat
    deal: int
    against: Opponents = Opponents.ANY

    def where(self, number: int = 1) -> Where:
        """Return the game as printed to people. ``number``: number of the game in its process."""
        return Where(self.rules.name, self.rules.seats, self.seat, self.deal, number)


class CheckGameResult(NamedTuple):
    """Result of a game for the bot that is checked."""

    fault: Fault | None
    """The bot's own fault."""
    actions: tuple[tuple[Seat, Action], ...]
    """All decisions of the game."""
    view: RecordingRules


class RecordingRules:
    """Rules that remember the position in which a player decides; otherwise the plain rules.

    Seats that decide at once are asked one after the other.
    """

    simultaneous = None
    """See ``arena.games.simultaneous``."""

    def __init__(self, rules: Rules[Any, Action], seat: Seat) -> None:
        self._rules = rules
        self._seat = seat
        self.state: Any = None
        self._deciding: Seat = NOBODY
        self.legal: Sequence[Action] = ()
        self.actions: list[tuple[Seat, Action]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rules, name)

    def legal_actions(self, state: Any) -> Sequence[Action]:
        """See Rules."""
        self.state, self._deciding = state, self._rules.to_act(state)
        self.legal = self._rules.legal_actions(state)
        return self.legal

    def apply(self, state: Any, action: Action) -> Any:
        """See Rules."""
        self.actions.append((self._rules.to_act(state), action))
        return self._rules.apply(state, action)

    def phase(self) -> str:
        """Return the phase of the position of the last decision; "" if the rules have no phases."""
        if self.state is None:
            return ""
        seen = plain(self._rules.observe(self.state, self._deciding))
        return str(seen.get("phase", "")) if isinstance(seen, dict) else ""

    def dawdled(self, rng: random.Random) -> int:
        """Return the index of a legal action after which another seat decides.

        Without such an action among those tried, any legal action.
        """
        order = list(range(len(self.legal)))
        rng.shuffle(order)
        for index in order[:_LOOKED_THROUGH]:
            after = self._rules.apply(self.state, self.legal[index])
            if self._rules.to_act(after) not in (self._seat, CHANCE, NOBODY):
                return index
        return order[0]


def disciplines(
    candidate: BuildableBot,
    games: Sequence[str],
    on_broken: Callable[[GameError], object] = lambda error: None,
) -> list[RulesSpec]:
    """Return the tables that the bot says it plays, default sizes first.

    ``games``: the only ones to be listed; empty: all. ``on_broken`` gets the error of each game of
    the bot that cannot be loaded. Raises GameError for such a game in ``games``.
    """
    declared = None if candidate.bot is None else candidate.bot.manifest.plays
    asked = [GAMES[name] for name in sorted({*games}) if name in GAMES]
    known = asked if games else [*GAMES.usable(declared and sorted(declared), on_broken)]
    found = [
        rules_spec(game.name, seats)
        for game in known
        for seats in game.seats
        if candidate.plays(game.name, seats)
    ]
    usual = {game.name: game.default_seats for game in known}
    return sorted(found, key=lambda spec: spec.seats != usual[spec.name])


def strange_games(candidate: BuildableBot) -> list[tuple[Name, Problem]]:
    """Return problems for games and table sizes of the manifest that do not exist."""
    if candidate.bot is None:
        return []
    problems = Problems(candidate.bot.document)
    declared = candidate.bot.manifest.plays or {}
    sizes_of = {game.name: game.seats for game in GAMES.usable(declared)}
    for name, tables in declared.items():
        if name not in GAMES:
            problems.unknown_key(("plays", name), GAMES.similar(name))
            continue
        sizes = sizes_of.get(name, tables)
        if found := [size for size in tables if size not in sizes]:
            expected = f"{either([*map(str, sizes)])} seats"
            problems.add(("plays", name), f"found {either([*map(str, found)])}", expected=expected)
    try:
        problems.raise_if_any()
    except ConfigError as error:
        return [(Name.UNKNOWN_GAME, problem) for problem in error.problems]
    return []


def play(
    match: CheckGame,
    candidate: BuildableBot,
    session: BotSession,
    seed: str,
    control: TimeControl,
    sweep: Callable[[], object],
) -> CheckGameResult:
    """Play ``match`` and return its result. Raises MachineTooBusy.

    ``session``: that of the bot. ``sweep``: called when the game has ended.
    """
    spec, names = match.rules, seated(TrialGame(match.rules, match.deal, match.seat), candidate)
    discipline = f"{spec.name}-{spec.seats}"
    game = GameSpec(
        f"{discipline}/check:{match.deal}", "check", f"{discipline}:{match.deal}", 0, names
    )
    chance = Seeds.of(seed).chance([game])
    seeds = chance.bots[game.game_id]
    view = RecordingRules(make_rules(spec), match.seat)
    players = [
        session if seat == match.seat else _opponent(view, match.against, seeds[seat])
        for seat in range(spec.seats)
    ]
    options = tuple(candidate.options({}) if n == candidate.name else {} for n in names)
    opaque = hashlib.sha256(f"{seed} {match.where()}".encode()).hexdigest()[: 2 * _ID_BYTES]
    terms = GameConditions(control, opaque, seeds, options, names)
    rules: Any = view
    played = play_game(rules, players, game, chance.luck(), terms, after_fault=sweep)
    own = next((fault for fault in played.result.faults if fault.seat == match.seat), None)
    return CheckGameResult(own, tuple(view.actions), view)


def ends_at_once(spec: RulesSpec, seed: str) -> CheckGame | None:
    """Return a game that an opponent's fault ends before the bot is asked, or None."""
    if spec.seats != 2:  # with more players the game continues without that seat
        return None
    rules = make_rules(spec)
    for deal in range(_DEALS_TRIED):
        discipline = f"{spec.name}-{spec.seats}"
        luck = Seeds.of(seed).deal(f"{discipline}:{deal}")
        state = rules.initial_state()
        while (seat := rules.to_act(state)) == CHANCE:
            state = rules.apply(state, rules.chance(state, luck))
        if seat != NOBODY:
            return CheckGame(spec, 1 - seat, deal, Opponents.FAULTY)
    return None


def _opponent(view: RecordingRules, against: Opponents, seed: int) -> BotSession:
    """Return an opponent, a player without a program."""
    rng = random.Random(seed)

    def choose(legal: int) -> int:
        if against is Opponents.FAULTY:
            return legal
        return view.dawdled(rng) if against is Opponents.DAWDLING else rng.randrange(legal)

    return player(choose)


def rotation(specs: Sequence[RulesSpec], games: int) -> list[CheckGame]:
    """Return at least ``games`` games for one process: each table in turn, its last seat first."""
    found: list[CheckGame] = []
    while len(found) < max(games, len(specs)):
        turn = len(found) // len(specs)
        spec = specs[len(found) % len(specs)]
        found.append(CheckGame(spec, (spec.seats - 1 - turn) % spec.seats, 1 + turn))
    return found


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
SMALL_PIPES: Final = (Variant("small pipes", Name.SMALL_PIPE, Injection(pipe=_SMALL_PIPE)),)[
    : SET_PIPE_SIZE is not None
]
"""Empty where pipes keep their capacity."""
VARIANTS: Final = (
    Variant("a fault of another bot", Name.OTHERS_FAULT, against=Opponents.FAULTY),
    Variant("a game that ends at once", Name.ENDED_AT_ONCE),
    Variant("unknown fields", Name.UNKNOWN_FIELD, Injection(fields=True)),
    Variant("unknown messages", Name.UNKNOWN_MESSAGE, Injection(messages=True)),
    Variant("other spaces and order of keys", Name.OTHER_SPELLING, Injection(spelling=True)),
    Variant("long lines", Name.LONG_LINE, Injection(padding=_LONG)),
    Variant("lines in pieces", Name.IN_PIECES, Injection(pieces=_PIECES)),
    *SMALL_PIPES,
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
