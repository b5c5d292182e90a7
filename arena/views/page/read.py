"""Results of a run for its page, without the records, and the choice of games that it lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from enum import Enum
from typing import Final, NamedTuple

from arena.documents.bad_input import BadInput
from arena.documents.problems import quote
from arena.results import FaultKind, GameResult
from arena.runs.reader import StoredRun
from arena.runs.store import Stored
from arena.schedule.keys import Discipline
from arena.views.export.run import choose, expired_words
from arena.views.page.gather import DisciplineCounter, DisciplineFacts
from arena.views.standings.standings import parts_of

DEFAULT: Final = 1000
"""Number of games to step through by default."""
LISTED: Final = 20_000
"""Most games in the list."""
_DIGITS: Final = 9


class Which(Enum):
    """Kind of games to choose."""

    SOME = "some"
    ALL = "all"
    FAULTS = "faults"
    NONE = "none"


class GameSelection(NamedTuple):
    """Value of ``--games``."""

    which: Which
    most: int = DEFAULT
    """Number of games for SOME."""


def parse_wanted(text: str | None) -> GameSelection:
    """Return the choice that the text of ``--games`` makes. Raises BadInput for any other text."""
    if text is None:
        return GameSelection(Which.SOME)
    if text in ("all", "faults", "none"):
        return GameSelection(Which(text))
    if text.isascii() and text.isdecimal() and len(text) <= _DIGITS:
        return GameSelection(Which.SOME, int(text)) if int(text) else GameSelection(Which.NONE)
    raise BadInput(f"--games: found {quote(text)}, expected all, none, faults or a number")


def chosen(numbers: Sequence[int], faulty: Sequence[int], most: int) -> list[int]:
    """Return at most ``most`` of the sorted ``numbers``: ``faulty`` first, others evenly."""
    if len(numbers) <= most:
        return list(numbers)
    first = evenly(faulty, most)
    taken = set(faulty)
    others = [number for number in numbers if number not in taken]
    return sorted([*first, *evenly(others, most - len(first))])


def evenly(numbers: Sequence[int], most: int) -> list[int]:
    """Return at most ``most`` of ``numbers`` in their order, evenly spread."""
    if len(numbers) <= most:
        return list(numbers)
    return [numbers[k * len(numbers) // most] for k in range(most)]


def to_step_through(
    wanted: GameSelection, numbers: Sequence[int], faulty: Sequence[int]
) -> list[int]:
    """Return the games that ``--games`` asks for, of the listed ``numbers``.

    ``faulty``: those of ``numbers`` with faults.
    """
    match wanted.which:
        case Which.ALL:
            return list(numbers)
        case Which.FAULTS:
            return list(faulty)
        case Which.NONE:
            return []
        case Which.SOME:
            return chosen(numbers, faulty, wanted.most)


class Reading:
    """Counts over the stored games, and the listed games."""

    def __init__(self, run: StoredRun, *, is_public: bool) -> None:
        """Read the results. Raises StoreError.

        ``is_public``: keep everything secret that a public pack would not hold.
        """
        self.run = run
        self.manifest = run.manifest
        self.is_public = is_public
        choice = choose(run, None)
        self.is_over = choice.is_over
        self.is_anonymous = is_public and not choice.tells_names
        """True if games have neither names nor ids."""
        excluded = choice.excluded if is_public else frozenset()
        self.held_back = len(excluded)
        """Number of games that are not public yet and not counted."""
        self.expired = expired_words(run, len(choice.expired))
        """Notice on games whose records have expired; empty if all have records."""
        self.parts = parts_of(run, excluded)
        if is_public:
            own = [part._replace(section=part.section._replace(costs=())) for part in self.parts]
            self.parts = own
        self.voids = list(run.voids())
        self.faults: dict[str, Counter[FaultKind]] = {
            name: Counter() for name in self.manifest.entrants
        }
        """Number of faults by kind in all games, for each bot."""
        self.played: Counter[str] = Counter()
        """Number of games by bot."""
        withdrawn = {gone.name for part in self.parts for gone in part.section.withdrawn}
        self.gathers = {
            each.name: DisciplineCounter(_kind(run, each), withdrawn)
            for each in self.manifest.disciplines
        }
        numbers = sorted(choice.numbers if is_public else {*choice.numbers, *choice.excluded})
        self.games = len(numbers)
        """Number of games that the reader may see."""
        faulty = choice.faulty.difference(excluded)
        listed = chosen(numbers, sorted(faulty), LISTED)
        found = self._read(excluded, set(listed))
        ranks = {number: rank for rank, number in enumerate(numbers, 1)}
        if self.is_anonymous:
            ranks = {number: rank for rank, number in enumerate(choice.numbers, 1)}
        order = sorted(listed, key=ranks.__getitem__)
        self.listed: dict[int, Stored] = {ranks[number]: found[number] for number in order}
        """Games by rank from 1: by schedule, or without a meaningful order if nameless."""
        self.faulty = {ranks[number] for number in listed if number in faulty}
        """Ranks of listed games with faults."""

    def _read(self, excluded: Set[int], listed: Set[int]) -> dict[int, Stored]:
        """Count the published games and return the listed ones by number."""
        found: dict[int, Stored] = {}
        for game in self.run.games():
            if game.number not in excluded:
                self._add(game.number, game.result)
                if game.number in listed:
                    found[game.number] = game.stored
        return found

    def _add(self, number: int, result: GameResult) -> None:
        spec = result.spec
        self.gathers[spec.discipline].add(*self.run.schedule.place(number), result)
        self.played.update(set(spec.entrants))
        for fault in result.faults:
            self.faults.setdefault(spec.entrants[fault.seat], Counter())[fault.kind] += 1


def _kind(run: StoredRun, discipline: Discipline) -> DisciplineFacts:
    facts = run.manifest.games[discipline.name]
    return DisciplineFacts(
        name=discipline.name,
        seats=discipline.rules.seats,
        entrants=discipline.entrants,
        score=facts.score,
        less_is_better=facts.less_is_better,
        worst_score=facts.worst_score,
        block_games=run.schedule.seatings(discipline.name),
    )
