"""Results of a run for its page, without the records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set

from arena.results import FaultKind, GameResult
from arena.runs.reader import StoredRun
from arena.runs.store import Stored
from arena.schedule.schedule import Discipline
from arena.views.export.run import Export, expired_words
from arena.views.page.choice import LISTED, chosen
from arena.views.page.gather import DisciplineCounter, DisciplineFacts
from arena.views.standings.standings import parts_of


class Reading:
    """Counts over the stored games, and the listed games."""

    def __init__(self, run: StoredRun, *, is_public: bool) -> None:
        """Read the results. Raises StoreError.

        ``is_public``: keep everything secret that a public pack would not hold.
        """
        self.run = run
        self.manifest = run.manifest
        self.is_public = is_public
        choice = Export(run, None).choice
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
    info = run.rules(discipline.name).info
    return DisciplineFacts(
        name=discipline.name,
        seats=discipline.rules.seats,
        entrants=discipline.entrants,
        score=info.score,
        less_is_better=info.less_is_better,
        worst_score=info.worst_score,
        block_games=run.schedule.seatings(discipline.name),
    )
