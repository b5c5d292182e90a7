"""The interface of every rules engine.

One loop serves play, replay, tests and search bots:

    while (seat := rules.to_act(state)) != NOBODY:
        action = rules.chance(state, luck) if seat == CHANCE else choose(rules, state, seat)
        state = rules.apply(state, action)

Three more methods are optional: ``action_text`` (see ``action_texts``), ``action_space`` (see the
function of this name), and ``simultaneous`` for seats that decide at once (see
``arena.games.simultaneous``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol, TypeAlias, TypeVar

import msgspec

from arena.games.luck import Luck
from arena.values.bad_input import printable
from arena.values.numbers import count
from arena.values.results import Outcome, RulesSpec, Seat

CHANCE: Final[Seat] = -1
"""Returned by ``Rules.to_act`` when a chance event is due."""
NOBODY: Final[Seat] = -2
"""Returned by ``Rules.to_act`` when the game has ended."""
MOST_BYTES: Final = 4 << 20
"""Largest size of an observation, of the events of a ply and of a question to a bot, as JSON."""

Json: TypeAlias = Any
"""Any value that msgspec encodes to JSON: structs, dicts, tuples, strings, integers, None."""


def written(value: object) -> str:
    """Return an option's ``value`` as YAML and JSON write it: ``kosmos``, ``true``."""
    return str(value).lower() if isinstance(value, bool) else str(value)


class Action(msgspec.Struct, frozen=True, tag_field="type"):
    """One decision or chance event. Its JSON is its form on the wire and in records."""


class Transition(NamedTuple):
    """One applied action, with the states before and after it."""

    actor: Seat
    """The seat that decided, or CHANCE."""
    before: Any
    action: Any
    after: Any


class InvalidActionError(ValueError):
    """Raised for data that is no action of these rules; an action legal elsewhere is valid data."""


class RulesError(ValueError):
    """Raised for options or data from which these rules cannot be built.

    ``path`` leads to the offending value, such as ``("data", "deck", "troll", 2)``.
    """

    def __init__(self, path: tuple[str | int, ...], message: str) -> None:
        super().__init__(message)
        self.path, self.message = path, str(message)

    def __str__(self) -> str:
        """Return the message, after its path if that leads to an option."""
        where = printable(".".join(map(str, self.path)))
        return f"{where}: {self.message}" if self.path[:1] == ("options",) else self.message


def check_keys(
    path: tuple[str | int, ...],
    data: Mapping[str, object],
    allowed: Sequence[str],
    optional: Sequence[str] = (),
) -> None:
    """Raise RulesError if the object at ``path`` lacks a key or has an unexpected one.

    ``data`` is that object; keys in ``allowed`` but not in ``optional`` are required.
    """
    for key in data:
        if key not in allowed:
            raise RulesError((*path, key), f"expected one of {', '.join(allowed)}, got {key!r}")
    for key in allowed:
        if key not in data and key not in optional:
            raise RulesError(path, f"expected a value for {key!r}, which is missing")


_MOST: Final = 10**9
"""Largest score, see ``arena.values.results.Score``."""


def wrong_outcome(found: object, seats: int) -> str:
    """Return what is expected instead of an outcome at a table of ``seats`` seats, or ""."""
    if not isinstance(found, Outcome):
        return "Outcome"
    scores, places = found.scores, found.places
    if not (type(scores) is type(places) is tuple and len(scores) == len(places) == seats):
        return f"tuples of {seats} scores and {seats} places"
    if any(type(score) is not int or abs(score) > _MOST for score in scores):
        return (
            f"scores that are whole numbers (int) up to {_MOST:,}; "
            "count fractions in a smaller unit, and name it in info.score"
        )
    if any(type(place) is not int for place in places):
        return "places that are whole numbers (int)"
    if any(place != 1 + sum(other < place for other in places) for place in places):
        return "places that are 1 and the number of better ones, such as 1, 1, 3"
    return "" if isinstance(found.ruling, str) else "a ruling that is a text"


class RulesInfo(msgspec.Struct, frozen=True):
    """Facts about one rules engine with its options."""

    name: str
    title: str
    seats: int
    max_plies: int
    """Upper bound on the plies of any game, chance events included."""
    score: str
    """Plural noun for what ``Outcome.scores`` counts, such as ``points``."""
    worst_score: int
    """Lower bound: no seat can score worse than this."""
    less_is_better: bool = False
    """True if a lower score places a seat higher."""
    public: tuple[str, ...] = ()
    """Observation fields that are equal for every seat; a spectator sees only these."""
    unused: tuple[str, ...] = ()
    """Types of actions of the game that never occur at this table with these options."""
    teams: int = 0
    """Number of teams, 2, at an even number of seats; seat s belongs to team s % 2. Partners share
    score and place, one entrant plays all seats of a team, and a fault loses for the team. 0: every
    seat plays for itself."""
    is_cooperative: bool = False
    """True if all seats share one score and the first place: tables show mean scores, no Elo."""
    can_determinize: bool = True
    """False if ``determinize`` is never to be called."""


class TableFacts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Facts of the game of a discipline for tables; stored with a run, which then needs no game."""

    title: str
    """Title by which people read of the discipline."""
    score: str
    """See ``RulesInfo.score``."""
    worst_score: int
    less_is_better: bool = False
    data: str = ""
    """Notice on the card data in use; empty if none is needed."""
    endings: dict[str, str] = {}
    """See ``Game.endings``."""


def titles(disciplines: Mapping[str, RulesInfo]) -> dict[str, str]:
    """Return the titles by which people read of ``disciplines``, the rules by name.

    The seats are added where a game is played at several sizes. A name that the organiser chose
    comes first: ``alley (Dragonrealm)``.
    """
    sizes: dict[str, set[int]] = {}
    for info in disciplines.values():
        sizes.setdefault(info.name, set()).add(info.seats)
    found = {}
    for name, info in disciplines.items():
        seats = f", {count(info.seats, 'seat')}" if len(sizes[info.name]) > 1 else ""
        title = f"{info.title}{seats}"
        found[name] = title if name == f"{info.name}-{info.seats}" else f"{name} ({title})"
    return found


def wrong_info(info: object) -> str:
    """Return what is expected instead of the facts ``info``, or ""."""
    if not isinstance(info, RulesInfo):
        return "RulesInfo"
    try:
        msgspec.convert(msgspec.structs.asdict(info), RulesInfo)
    except msgspec.ValidationError as error:
        return f"RulesInfo: {error}"
    if not type(info.public) is type(info.unused) is tuple:
        return "public and unused as tuples"
    for name in ("seats", "max_plies"):
        if (value := getattr(info, name)) < 1:
            return f"{name} of at least 1, not {value}"
    if info.teams not in ((0,) if info.seats % 2 else (0, 2)):
        return "teams of 0, or 2 at an even number of seats"
    texts = (info.name, info.title, info.score)
    return "" if all(map(str.isprintable, texts)) else "name, title and score of one line each"


_KINDS: Final = {str: "a text", bool: "true or false", int: "a whole number", float: "a number"}


class Option(msgspec.Struct, frozen=True):
    """One option of the rules, used for validation and help."""

    name: str
    choices: tuple[str | bool | int | float, ...]
    """All values; empty if every value of the type of ``default`` within the bounds is allowed."""
    default: str | bool | int | float
    help: str
    seats: tuple[int, ...] = ()
    """Table sizes for which the option exists; empty if it exists for all."""
    least: float | None = None
    """Lower bound of a number without ``choices``."""
    most: float | None = None
    """Upper bound of a number without ``choices``."""

    def allows(self, value: object) -> bool:
        """Return whether ``value`` is allowed; the integer 1 does not count as true."""
        kinds = (int, float) if type(self.default) is float else (type(self.default),)
        if type(value) not in kinds:
            return False
        if self.choices:
            return value in self.choices
        is_low = isinstance(value, int | float) and self.least is not None and value < self.least
        is_high = isinstance(value, int | float) and self.most is not None and value > self.most
        return not is_low and not is_high

    @property
    def expected(self) -> tuple[str, ...]:
        """The choices as YAML and JSON write them, or the kind of value in words."""
        if self.choices:
            return tuple(map(written, self.choices))
        kind = _KINDS[type(self.default)]
        low = "" if self.least is None else f"from {self.least:g}"
        high = "" if self.most is None else f"up to {self.most:g}"
        return (" ".join(filter(None, [kind, low, high])),)

    def read(self, text: str) -> object:
        """Return the value of the option that ``text`` on a command line stands for.

        A text that stands for none is returned as it is.
        """
        known = {written(choice): choice for choice in self.choices}
        if self.choices or type(self.default) not in (int, float):
            return known.get(text, text)
        try:
            return type(self.default)(text)
        except ValueError:
            return text

    @property
    def samples(self) -> tuple[str | bool | int | float, ...]:
        """Values with which the contract is tested: the choices, or the bounds."""
        if self.choices:
            return self.choices
        kind: Any = type(self.default)
        return tuple(kind(each) for each in (self.least, self.most) if each is not None)

    def applies(self, seats: int) -> bool:
        """Return whether the option exists at a table of ``seats`` seats."""
        return not self.seats or seats in self.seats


S = TypeVar("S")
A = TypeVar("A", bound=Action)


def action_texts(rules: object, state: Any, actions: Sequence[Any]) -> list[str]:
    """Return ``actions`` as people read them; [] if the rules have no texts for their actions.

    Rules whose actions are numbers or codes have a method ``action_text(state, action)``. It
    returns one line, unique among the legal actions. It is called only where people look, and for
    bots that want ``texts``. The generic board shows it in place of the fields of the action.
    """
    text = getattr(rules, "action_text", None)
    return [] if text is None else [text(state, action) for action in actions]


def action_space(rules: object) -> Sequence[Any]:
    """Return all actions that seats can ever decide on; empty if the rules do not list them.

    Rules that have few enough actions list them by a method ``action_space()``, for learners: each
    action once, those of chance left out, in an order that is the same in every process. It depends
    on nothing but the spec. Some of the actions may never become legal.
    """
    method = getattr(rules, "action_space", None)
    found: Sequence[Any] = method() if method else ()
    return found


class Rules(Protocol[S, A]):
    """A rules engine with its options, immutable; states are values and never change in place."""

    @property
    def info(self) -> RulesInfo:
        """Name, number of seats, bound on plies and other facts."""

    @property
    def spec(self) -> RulesSpec:
        """Specification from which equal rules can be built."""

    def initial_state(self) -> S:
        """Return the state before any chance event."""

    def to_act(self, state: S) -> Seat:
        """Return the seat that decides, CHANCE or NOBODY."""

    def legal_actions(self, state: S) -> Sequence[A]:
        """Return every legal action of the seat to act, in a fixed order, without duplicates.

        The sequence is never empty.
        """

    def chance(self, state: S, luck: Luck) -> A:
        """Draw the chance action that is due, from the stream that belongs to it."""

    def apply(self, state: S, action: A) -> S:
        """Return the next state.

        Defined for every legal action and chance action; does not check legality.
        """

    def outcome(self, state: S) -> Outcome | None:
        """Return the outcome, or None exactly while a seat or chance has to act."""

    def observe(self, state: S, seat: Seat) -> Json:
        """Return what ``seat`` may see now: a list of the visible parts, never a redacted state."""

    def describe(self, before: S, action: A, after: S) -> Sequence[Json]:
        """Return, by seat, the event it saw when ``action`` led from ``before`` to ``after``.

        The event is None for a seat that saw nothing. All seats are described in one call because
        their events share parts.
        """

    def decode_action(self, data: Json) -> A:
        """Return the action that parsed JSON stands for.

        Raises InvalidActionError if it stands for none. Does not check legality.
        """

    def determinize(self, observation: Json, luck: Luck) -> S:
        """Return a random full state that agrees with everything in ``observation``.

        Bots that search use it, and the test for leaks of a game without ``redeal``. It is
        optional: rules whose ``info.can_determinize`` is False raise NotImplementedError.
        """

    def is_chance_possible(self, state: S, action: A) -> bool:
        """Return whether ``action`` is an outcome of the chance event that is due in ``state``."""
