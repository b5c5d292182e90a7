"""Contents of the page of a run: its results, its match, and what its games add once prepared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from arena.results import Evidence, FaultKind
from arena.runs.disk import StoreError
from arena.runs.reader import StoredRun
from arena.studies.match.contest import MatchTerms
from arena.studies.match.judge import stored_report
from arena.views.game.rows import GameRow, LeadCourse, row_of
from arena.views.live.games import Outlook
from arena.views.page import facts, model
from arena.views.page.games import Prepared, Source, Task
from arena.views.page.model import MatchPage, times_of
from arena.views.page.read import DEFAULT, GameSelection, Reading, chosen, to_step_through
from arena.views.standings.standings import SectionData


def match_page(run: StoredRun) -> MatchPage | None:
    """Return the stored report and the ratio after each block; None before the first verdict.

    Raises StoreError.
    """
    report = stored_report(run.folder)
    if report is None:
        return None
    try:
        return MatchPage(report, _pace(run, MatchTerms.of(report)))
    except (ValueError, KeyError) as error:
        raise StoreError(f"{run.folder}/match.json: does not fit the run: {error}") from None


def _pace(run: StoredRun, terms: MatchTerms) -> list[tuple[int, float]]:
    outlook = Outlook(run.schedule, terms.match(run.manifest.disciplines))
    for game in run.games():
        outlook.add(game.number, game.result)
    return outlook.curve[1:]


_FAULTS: Final = 5
"""Number of faults shown in full for each bot and kind."""
_KINDS: Final = 200
"""Number of pairs of bot and kind whose faults are shown in full."""
_VOIDS: Final = 100
"""Number of voids that are listed."""
_STDERR: Final = 2000
"""Characters kept of the end of a bot's standard error."""


class Draft:
    """A page without its games, which are prepared elsewhere and added one by one."""

    def __init__(self, run: StoredRun, wanted: GameSelection, *, is_public: bool) -> None:
        """Read all results of ``run``. Raises StoreError.

        ``wanted``: games to step through. ``is_public``: keep everything secret that a public pack
        would not hold.
        """
        self.reading = Reading(run, is_public=is_public)
        listed = self.reading.listed
        ranks = [rank for rank, stored in listed.items() if not run.is_expired(stored.record)]
        faulty = sorted(self.reading.faulty.intersection(ranks))
        self._documents = set(to_step_through(wanted, ranks, faulty))
        # Times per move are of an even choice; a public page has none.
        self._timed = set() if is_public else set(chosen(ranks, [], DEFAULT))
        self._quotes = [] if is_public else self._first_faults()
        self._moves: dict[str, list[int]] = {}
        self._evidence: dict[int, tuple[Evidence, ...]] = {}
        self._leads: dict[int, LeadCourse] = {}
        self.damaged: list[str] = []
        """Problems of the damaged records, which are not shown."""

    @property
    def source(self) -> Source:
        """Origin of the games."""
        reading = self.reading
        return Source(reading.run, reading.games, reading.is_public)

    def tasks(self) -> list[Task]:
        """Return the games to prepare, in the order of the list."""
        quoted = {rank for rank, _ in self._quotes}
        needed = self._documents | self._timed | quoted
        return [
            Task(rank, stored, rank in self._documents, self._alias(rank))
            for rank, stored in self.reading.listed.items()
            if rank in needed and not self.reading.run.is_expired(stored.record)
        ]

    def take(self, game: Prepared) -> None:
        """Keep the think times and the evidence of faults of a prepared game, or its problem."""
        if game.problem:
            self.damaged.append(game.problem)
            self._timed.discard(game.number)
            return
        if game.lead is not None:
            self._leads[game.number] = game.lead
        entrants = self.reading.listed[game.number].result.spec.entrants
        if game.number in self._timed:
            for name, moves in zip(entrants, game.moves, strict=True):
                self._moves.setdefault(name, []).extend(moves)
        if game.evidence:
            self._evidence[game.number] = game.evidence

    def page(self, folder: str, place: Callable[[int], int]) -> model.RunPage:
        """Return the contents of the page, with the games added so far.

        ``folder``, ``place``: places of the games, as in ``Files``. Raises StoreError.
        """
        reading, manifest = self.reading, self.reading.manifest
        times = (times_of(name, self._moves.get(name, ())) for name in manifest.entrants)
        places = [place(rank) for rank in reading.listed]
        voids = [] if reading.is_public else reading.voids[:_VOIDS]
        return model.RunPage(
            name=manifest.title,
            rules=sorted({each.rules.name for each in manifest.disciplines}),
            head=list(facts.head_facts(reading)),
            is_over=reading.is_over,
            notices=[*facts.notices(reading), *facts.damage(len(self.damaged))],
            parts=[self._part(part) for part in reading.parts],
            match=match_page(reading.run) if manifest.is_match else None,
            faults=model.Faults(reading.faults, reading.played, self._fault_lines(place)),
            times=[own for own in times if own is not None],
            times_games=len(self._timed),
            limit_us=facts.limit_us(manifest),
            voids=[model.VoidLine(void.game, void.cause.value, void.reason) for void in voids],
            voids_count=len(reading.voids),
            machines=() if reading.is_public else reading.parts[-1].section.machines,
            listing=model.Listing(
                rows=[self._row(rank) for rank in reading.listed],
                places=places,
                stored=reading.games,
                documents=sum(each > 0 for each in places),
                folder=folder,
                is_anonymous=reading.is_anonymous,
                titles=reading.run.titles,
            ),
            config=[
                ("Run", list(facts.origin_facts(reading))),
                *facts.config_facts(manifest, is_public=reading.is_public),
            ],
            verify=facts.verify_lines(manifest, is_public=reading.is_public),
        )

    def _first_faults(self) -> list[tuple[int, int]]:
        """Return (rank, index of the fault) of the first faults of each bot and kind."""
        found: dict[tuple[str, FaultKind], list[tuple[int, int]]] = {}
        for rank in sorted(self.reading.faulty):
            result = self.reading.listed[rank].result
            for k, fault in enumerate(result.faults):
                own = found.setdefault((result.spec.entrants[fault.seat], fault.kind), [])
                if len(own) < _FAULTS:
                    own.append((rank, k))
        bots = {name: k for k, name in enumerate(self.reading.manifest.entrants)}
        kinds = list(FaultKind)
        keys = sorted(found, key=lambda key: (bots.get(key[0], 0), kinds.index(key[1])))
        return [quote for key in keys[:_KINDS] for quote in found[key]]

    def _alias(self, rank: int) -> str:
        """Return an id without meaning for a nameless game; "" for others."""
        if not self.reading.is_anonymous:
            return ""
        return f"{self.reading.listed[rank].result.spec.discipline}/{rank}"

    def _row(self, rank: int) -> GameRow:
        """Return the row of a game; a public one has no think time, a nameless one no names."""
        reading = self.reading
        stored = reading.listed[rank]
        kind = reading.gathers[stored.result.spec.discipline].kind
        row = row_of(rank, stored, less_is_better=kind.less_is_better)
        row = row._replace(lead=self._leads.get(rank))
        if reading.is_public:
            row = row._replace(slowest_us=None)
        if alias := self._alias(rank):
            names = tuple(f"seat {seat}" for seat in range(len(row.names)))
            row = row._replace(game_id=alias, deal=alias, names=names)
        return row

    def _fault_lines(self, place: Callable[[int], int]) -> Sequence[model.FaultLine]:
        lines = []
        for rank, k in self._quotes:
            result = self.reading.listed[rank].result
            fault = result.faults[k]
            found = (each for each in self._evidence.get(rank, ()) if each.seat == fault.seat)
            evidence = next(found, Evidence(fault.seat))
            lines.append(
                model.FaultLine(
                    name=result.spec.entrants[fault.seat],
                    kind=fault.kind,
                    game_id=result.spec.game_id,
                    ply=fault.ply,
                    detail=fault.detail,
                    line=evidence.line,
                    stderr=evidence.stderr.strip()[-_STDERR:],
                    is_linked=place(rank) > 0,
                )
            )
        return lines

    def _part(self, part: SectionData) -> model.PageSection:
        """Return a section; for nameless games without numbers that reveal pairings."""
        gather = self.reading.gathers.get(part.section.title)
        has_pairs = not self.reading.is_anonymous
        numbers = gather.numbers() if has_pairs and gather is not None else None
        return model.PageSection(*part, numbers, has_pairs)
