"""Everything that the page of a run shows, as plain values. Whoever knows folders makes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from arena.ratings.counting.machines import MachineNumbers
from arena.ratings.counting.tally import Tally
from arena.ratings.elo.rating import Ratings
from arena.ratings.full.history import History
from arena.ratings.match.report import MatchReport
from arena.results import FaultKind, Seat
from arena.views.page.gather import Numbers
from arena.views.page.times import Times
from arena.views.standings.tables import Section


class Part(NamedTuple):
    """A section of the standings with what it was computed from."""

    section: Section
    tally: Tally
    ratings: Ratings | None
    """None for a solo discipline."""
    clean: Tally | None
    """Without the blocks with faults; None if there are none, or no others."""
    numbers: Numbers | None
    """None for the section of all disciplines, and where they are not told."""
    has_pairs: bool = True
    """Whether it may be told who met whom."""


class RowFault(NamedTuple):
    """A fault of a listed game."""

    seat: Seat
    kind: FaultKind
    ply: int


class GameRow(NamedTuple):
    """A game of the list."""

    number: int
    """From 1, in the order of the list of all games."""
    game_id: str
    discipline: str
    names: tuple[str, ...]
    """By seat."""
    places: tuple[int, ...]
    scores: tuple[int, ...] | None
    plies: int
    faults: tuple[RowFault, ...]
    place: int
    """Where it can be stepped through: 1 in the page, or the number of its file in the folder; 0:
    nowhere."""


class FaultLine(NamedTuple):
    """A fault in full."""

    name: str
    kind: FaultKind
    game_id: str
    ply: int
    detail: str
    line: str
    """What it wrote; empty if nothing, or not told."""
    stderr: str
    """The last it wrote to its standard error."""
    is_linked: bool
    """Whether its game can be stepped through in the page."""


class Faults(NamedTuple):
    """The faults of a run."""

    counts: Mapping[str, Counter[FaultKind]]
    """By bot, all of them."""
    games: Mapping[str, int]
    """By bot, all stored."""
    lines: Sequence[FaultLine]
    """The first of each bot and kind; empty where they are not told."""


class VoidLine(NamedTuple):
    """A game that could not be played through no bot's fault."""

    game_id: str
    cause: str
    reason: str


class MatchPage(NamedTuple):
    """A match for a verdict."""

    report: MatchReport
    pace: Sequence[tuple[int, float]]
    """Blocks and the log-likelihood ratio after them; of many a part."""


class Fact(NamedTuple):
    """One line of the head or of the config."""

    label: str
    value: str
    note: str = ""


class Listing(NamedTuple):
    """The list of games, and what is left out of it."""

    rows: Sequence[GameRow]
    stored: int
    """Games of the run that the reader may see."""
    documents: int
    """Games that can be stepped through."""
    folder: str
    """Where they are, beside the page; empty: in it."""
    is_anonymous: bool
    """Whether games have neither names nor ids."""


class RunPage(NamedTuple):
    """A run."""

    name: str
    rules: Sequence[str]
    """What was played, by name; their boards are in the page."""
    head: Sequence[Fact]
    is_over: bool
    notices: Sequence[str]
    """What a reader has to know first."""
    parts: Sequence[Part]
    match: MatchPage | None
    faults: Faults
    times: Sequence[Times]
    times_games: int
    """Games whose records the times are of."""
    limit_us: float | None
    """For one answer."""
    voids: Sequence[VoidLine]
    voids_count: int
    machines: Sequence[MachineNumbers]
    """Of a run that several machines played; empty where they are not told."""
    listing: Listing
    config: Sequence[tuple[str, Sequence[Fact]]]
    """Groups of facts with their titles."""
    verify: Sequence[str]
    """Commands that prove it."""
    histories: Sequence[tuple[str, History]] = ()
    """Of bots over this and other runs, each with the title of its table."""
