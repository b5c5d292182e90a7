"""A run as its page needs it: two passes over the results, nothing of the records."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from arena.games.registry import make_rules
from arena.results import FaultKind, GameResult
from arena.runs.store import Stored, stored_games
from arena.runs.voids import stored_voids
from arena.schedule.schedule import Discipline, Schedule
from arena.schedule.seeds import Seeds
from arena.views.export.run import Export
from arena.views.page.choice import LISTED, chosen
from arena.views.page.gather import Gather, Kind
from arena.views.standings.counted import BlockKey, block_of
from arena.views.standings.standings import parts_of


class Reading:
    """What is stored, counted, and the games that are listed."""

    def __init__(self, folder: Path, *, is_public: bool) -> None:
        """``is_public``: tell nothing that a pack for everybody would not. Raises StoreError."""
        self.folder = folder
        self.is_public = is_public
        export = Export(folder, None)
        self.manifest = export.manifest
        self.is_over = export.choice.is_over
        self.is_anonymous = is_public and not export.choice.tells_names
        """Whether games have neither names nor ids."""
        self.held_back = export.choice.held_back if is_public else 0
        """Games that are not told yet; nothing counts them."""
        told = {location: rank for rank, location in enumerate(export.choice.records, 1)}
        self._told = told.keys() if is_public else None
        """The records of games that may be told; None: all."""
        self.parts = parts_of(folder, self._untold() if self.held_back else frozenset())
        # The seeds decide who sits where, not which games there are nor their order.
        self.schedule = Schedule(self.manifest.disciplines, Seeds(b""))
        self.voids = list(stored_voids(folder))
        self.faults: dict[str, Counter[FaultKind]] = {
            name: Counter() for name in self.manifest.entrants
        }
        """By bot, of all games."""
        self.played: Counter[str] = Counter()
        """By bot its games."""
        self._starts = _first_numbers(self.manifest.disciplines, self.schedule)
        withdrawn = {gone.name for part in self.parts for gone in part.section.withdrawn}
        self.gathers = {
            each.name: Gather(_kind(each, self.schedule), withdrawn)
            for each in self.manifest.disciplines
        }
        numbers, faulty = self._count()
        self.games = len(numbers)
        """That the reader may see."""
        chosen_numbers = chosen(sorted(numbers), sorted(faulty), LISTED)
        found = self._find(set(chosen_numbers))
        by_number = {number: rank for rank, number in enumerate(sorted(numbers), 1)}
        by_digest = {number: told.get(stored.record, 0) for number, stored in found.items()}
        ranks = by_digest if self.is_anonymous else by_number
        order = sorted(chosen_numbers, key=ranks.__getitem__)
        self.listed: dict[int, Stored] = {ranks[number]: found[number] for number in order}
        """By rank: from 1, in the order of the schedule; of nameless games in one without sense."""
        self.faulty = {ranks[number] for number in chosen_numbers if number in faulty}
        """Ranks of listed games with faults."""

    def _is_told(self, stored: Stored) -> bool:
        return self._told is None or stored.record in self._told

    def _untold(self) -> set[BlockKey]:
        """The blocks whose games are held back: their results would tell of cards."""
        games = stored_games(self.folder)
        return {block_of(each.result.spec) for each in games if not self._is_told(each)}

    def _count(self) -> tuple[list[int], set[int]]:
        """(numbers of the games that are told, those of them with faults)."""
        numbers: list[int] = []
        faulty: set[int] = set()
        for stored in stored_games(self.folder):
            result = stored.result
            number = self.schedule.number(result.spec.game_id)
            if number is None or not self._is_told(stored):  # Export has looked at all of them
                continue
            self._add(number, result)
            numbers.append(number)
            if result.faults:
                faulty.add(number)
        return numbers, faulty

    def _add(self, number: int, result: GameResult) -> None:
        spec = result.spec
        self.gathers[spec.discipline].add(number - self._starts[spec.discipline], result)
        self.played.update(set(spec.entrants))
        for fault in result.faults:
            self.faults.setdefault(spec.entrants[fault.seat], Counter())[fault.kind] += 1

    def _find(self, wanted: set[int]) -> dict[int, Stored]:
        found = {}
        for stored in stored_games(self.folder):
            number = self.schedule.number(stored.result.spec.game_id)
            if number is not None and number in wanted:
                found[number] = stored
        return found


def _first_numbers(disciplines: tuple[Discipline, ...], schedule: Schedule) -> dict[str, int]:
    starts, first = {}, 0
    for each in disciplines:
        starts[each.name] = first
        first += schedule.games_of(each.name)
    return starts


def _kind(discipline: Discipline, schedule: Schedule) -> Kind:
    info = make_rules(discipline.rules).info
    games = schedule.seatings(discipline.name)
    return Kind(
        name=discipline.name,
        seats=discipline.rules.seats,
        entrants=discipline.entrants,
        score=info.score,
        less_is_better=info.less_is_better,
        worst_score=info.worst_score,
        block_games=games,
        deal_games=games * schedule.pairings(discipline.name),
    )
