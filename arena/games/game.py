"""Descriptions of a game and of a family of games, which packages provide by entry points."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib import resources
from importlib.util import find_spec
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from arena.games.base import Action, Option, Rules, RulesError, Transition, written
from arena.games.board import BoardDisplay
from arena.games.luck import Luck
from arena.games.positions import PositionBook
from arena.values.problems import did_you_mean, some
from arena.values.results import Seat, TimeControl

_CHANCE: Final = "Chance:"
"""First word of the docstring of an action that chance brings."""


_RULING: Final = re.compile(
    r"\| (?P<id>[A-Z]+-\d+) \| (?P<question>.+) \| (?P<ruling>.+) \| (?P<reason>.+) \|"
)
"""A row of the table of rulings of a page."""


class Ruling(NamedTuple):
    """The answer to a question that the rulebook leaves open."""

    question: str
    ruling: str
    reason: str


CheckState: TypeAlias = Callable[[Rules[Any, Any], Any], None]
"""Raises AssertionError unless a state is whole: no card vanished, no number out of its range."""
Redeal: TypeAlias = Callable[[Rules[Any, Any], Transition, Seat, Luck], Transition]
"""Returns another transition that looks the same to the seat, before and after it."""


class NotedMove(NamedTuple):
    """A ply as the notation of a game writes it."""

    action: Mapping[str, Any]
    """The action, as in the record."""
    seat: Seat | None
    """Seat that acted; None for chance."""
    think_us: int
    """Think time, in microseconds."""
    info: Any
    """Remark of the bot, or None."""


class NotedGame(NamedTuple):
    """A finished game as its notation writes it."""

    event: str
    """Name of the run."""
    round: str
    """Number of the block and of the game in it, such as ``3.2``."""
    names: tuple[str, ...]
    """Players by seat."""
    options: Mapping[str, object]
    moves: tuple[NotedMove, ...]
    places: tuple[int, ...]
    """Places by seat, 1 = first."""
    ending: str
    """The kind of the fault that ended the game; otherwise ``completed`` or ``adjudicated``."""
    control: TimeControl = TimeControl()
    played_at: int = 0
    """Time when the game was stored, in seconds since 1970 UTC; 0 if unknown."""


class Game(NamedTuple):
    """One game, with all its options and everything it provides."""

    name: str
    """Name by which the game is selected, equal to that of its entry point and of its rules."""
    title: str
    package: str
    """Python package that contains the files named below."""
    seats: tuple[int, ...]
    """Allowed numbers of seats, ascending."""
    options: tuple[Option, ...]
    build: Callable[[int, Mapping[str, object], Mapping[str, object]], Rules[Any, Any]]
    """Builds rules from seats, complete options and data. Raises RulesError for invalid data."""
    action_types: tuple[type[Action], ...]
    observation_type: type[msgspec.Struct]
    event_types: tuple[type[msgspec.Struct], ...]
    endings: Mapping[str, str] = {}
    """Descriptions of endings beyond the rulebook, by the ruling that ends the game."""
    data_file: str | None = None
    """File with the default data; None if the rules need none."""
    page_file: str | None = None
    """File with summary, options and rulings in Markdown; None generates a page."""
    kit_folder: str | None = None
    """Folder with a new bot's first file in each language, such as ``choose.py``. With None a new
    bot plays the first legal action."""
    board: Callable[[], BoardDisplay] | None = None
    """Returns the board; None selects the generic one. It is a function, so that code that only
    plays the game does not import the board."""
    book: PositionBook | None = None
    """How start positions are read from a book; None if the game reads none."""
    notation: Callable[[NotedGame], str] | None = None
    """Writes a game in the notation by which other programs know it, such as PGN."""
    check_state: CheckState | None = None
    """Used by the tests of ``arena.testing``; None if the package has no such check."""
    redeal: Redeal | None = None
    """Used by the test for leaks of ``arena.testing``. With None hidden information is dealt again
    by ``Rules.determinize``, which finds less: not what an observation gives away and
    ``determinize`` reads there."""
    extra: str = ""
    """Part of arena that is installed only on request and that the rules need; "" for none."""
    extra_module: str = ""
    """Module of that part, which is looked for, not imported, where games are listed."""

    @property
    def decisions(self) -> frozenset[str]:
        """Types of the actions that a seat can choose; chance brings the others."""
        return frozenset(
            str(each.__struct_config__.tag)
            for each in self.action_types
            if not (each.__doc__ or "").startswith(_CHANCE)
        )

    @property
    def has_extra(self) -> bool:
        """True if the part that the rules need is installed."""
        return not self.extra_module or find_spec(self.extra_module) is not None

    @property
    def lacks(self) -> str:
        """The message that the part is not installed."""
        return f"{self.name} needs more: pip install 'botarena[{self.extra}]'"

    @property
    def default_seats(self) -> int:
        """Fewest seats at which bots play each other; one if they never do."""
        return min((seats for seats in self.seats if seats > 1), default=1)

    def rules(
        self, seats: int, options: Mapping[str, object], data: Mapping[str, object]
    ) -> Rules[Any, Any]:
        """Return the rules; options that are left out have their default.

        Raises RulesError, with a path that starts with "seats", "options" or "data".
        """
        if seats not in self.seats:
            counts = " or ".join(map(str, self.seats))
            raise RulesError(("seats",), f"{self.name} has {counts} seats, got {seats!r}")
        complete = self._complete(seats, options)
        try:
            return self.build(seats, complete, data)
        except RulesError:
            raise
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever a package of others does
            if self.extra and isinstance(error, ModuleNotFoundError):
                raise RulesError(("rules",), self.lacks) from None
            text = f"{self.package} failed to build the rules: {type(error).__name__}: {error}"
            raise RulesError(("rules",), text) from error

    def page(self) -> str:
        """Return the page about these rules for people, in Markdown."""
        if self.page_file is not None:
            return self.text(self.page_file)
        seats = ", ".join(map(str, self.seats))
        lines = [f"# {self.title}", "", "These rules come without a page.", "", f"Seats: {seats}."]
        if self.options:
            lines += ["", "## Options", "", "| option | values | default | meaning |"]
            lines += ["| --- | --- | --- | --- |", *map(_option_row, self.options)]
        return "\n".join(lines) + "\n"

    def rulings(self) -> dict[str, Ruling]:
        """Return the rulings of the page by id, such as ``DH-04``; empty if it has none."""
        rows = _RULING.finditer(self.page())
        return {row["id"]: Ruling(row["question"], row["ruling"], row["reason"]) for row in rows}

    def text(self, file: str) -> str:
        """Return the text of a file of the package. Raises RulesError if it cannot be read."""
        try:
            return resources.files(self.package).joinpath(file).read_text("utf-8")
        except (OSError, ImportError, ValueError) as error:
            text = f"{self.package} has no readable file {file}: {error}"
            raise RulesError(("rules",), text) from None

    def _complete(self, seats: int, given: Mapping[str, object]) -> dict[str, object]:
        """Return the value of every option that exists at this table size."""
        known = {option.name: option for option in self.options if option.applies(seats)}
        for name in given:
            if name not in known:
                hint = did_you_mean(name, known)
                expected = f"expected one of {', '.join(known) or 'no options'} at {seats} seats"
                told = f"{expected}, got {name!r}" + f" ({hint})" * bool(hint)
                raise RulesError(("options", name), told)
        for name, option in known.items():
            value = given.get(name, option.default)
            if not option.allows(value):
                one = "one of " * bool(option.choices)
                expected = f"expected {one}{', '.join(some(option.expected))}"
                raise RulesError(("options", name), f"{expected}, got {value!r}")
        return {name: given.get(name, option.default) for name, option in known.items()}


def _option_row(option: Option) -> str:
    values = ", ".join(f"`{value}`" if option.choices else value for value in option.expected)
    return f"| `{option.name}` | {values} | `{written(option.default)}` | {option.help} |"


JOINT: Final = "."
"""Separator between the name of a family and that of one of its games."""


class Family(NamedTuple):
    """Games that one entry point of the group ``arena.families`` provides.

    The module of the entry point imports no engine: lists and messages of games load it too.
    """

    name: str
    """Name of the entry point, with which the names of all its games begin; has no dot."""
    title: str
    members: Callable[[], Mapping[str, str]]
    """Returns the title of each game by its name within the family. It is called for lists and for
    messages, so it takes milliseconds."""
    load: Callable[[str], Game]
    """Returns the game of a name within the family. The game's own name is the whole name, as
    openspiel.hearts. Raises RulesError with the reason if a game cannot be played here."""
