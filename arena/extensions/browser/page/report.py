"""A run as a report: its results, its match, and what its games add once they are prepared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Final
from urllib.parse import urlencode

from arena.extensions.browser.live.games import Outlook
from arena.extensions.browser.page import facts, model
from arena.extensions.browser.page.bots import Shown, bot_pages
from arena.extensions.browser.page.counting.deals import DisciplineCounter
from arena.extensions.browser.page.counting.games import BotSums
from arena.extensions.browser.page.counting.results import Results, VersionedBot
from arena.extensions.browser.page.games import (
    DEFAULT,
    LISTED,
    GameSelection,
    Prepared,
    Source,
    Task,
    chosen,
    to_step_through,
)
from arena.extensions.browser.page.model import FaultLine, LabelledFact, MatchPage, Times, times_of
from arena.extensions.browser.page.run import (
    config_block,
    fault_block,
    machine_block,
    method_block,
    quotes_of,
    time_block,
    void_block,
)
from arena.extensions.matches.contest import MatchTerms
from arena.extensions.matches.judge import REPORT, other_sides, stored_report
from arena.ratings.elo.crosstable import pairs_of
from arena.runs.disk import StoreError
from arena.runs.reader import StoredRun
from arena.runs.store import Stored
from arena.values.results import Evidence, FaultKind
from arena.views.game.rows import GameRow, LeadCourse, row_of
from arena.views.standings.standings import SectionData, full_parts
from arena.views.tables import PageBlock, Quote

_EXTREMES: Final = 3
"""Number of best and of worst results of a bot."""
_OPPONENTS: Final = 50
"""Most opponents of a bot; ``_ROWS`` in all sections together, but ``_LEAST`` for each bot."""
_ROWS: Final = 5000
_LEAST: Final = 5


def match_page(run: StoredRun) -> MatchPage | None:
    """Return the stored report and the ratio after each block; None before the first verdict.

    Raises StoreError.
    """
    report = stored_report(run.folder)
    if report is None:
        return None
    if problem := other_sides(run, [report.candidate, report.baseline]):
        raise StoreError(f"{run.folder}/{REPORT}: {problem}")
    try:
        return MatchPage(report, _pace(run, MatchTerms.of(report)))
    except (ValueError, KeyError) as error:
        raise StoreError(f"{run.folder}/{REPORT}: does not fit the run: {error}") from None


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


class RunReport(Results):
    """A run as one page, whose games are prepared elsewhere and added one by one."""

    def __init__(self, run: StoredRun, wanted: GameSelection, *, is_public: bool) -> None:
        """Read all results of ``run``. Raises StoreError.

        ``wanted``: games to step through. ``is_public``: keep everything secret that a public pack
        would not hold.
        """
        super().__init__(
            run,
            is_public=is_public,
            extremes=_EXTREMES,
            costs=not is_public,
            address="#bot-{}",
        )
        withdrawn = {gone.name for part in self.parts for gone in part.section.withdrawn}
        self.deals = {
            each.name: DisciplineCounter(
                each.entrants,
                run.manifest.games[each.name],
                run.schedule.seatings(each.name),
                withdrawn,
            )
            for each in self.disciplines
        }
        choice = self.choice
        numbers = sorted(choice.numbers if is_public else {*choice.numbers, *choice.excluded})
        self.games = len(numbers)
        """Number of games that the reader may see."""
        faulty = {number for number in choice.faulty if number not in self.excluded}
        listed = chosen(numbers, sorted(faulty), LISTED)
        found = self._read(set(listed))
        ordered = choice.numbers if self.is_anonymous else numbers
        self._ranks = {number: rank for rank, number in enumerate(ordered, 1)}
        order = sorted(listed, key=self._ranks.__getitem__)
        self.listed: dict[int, Stored] = {self._ranks[number]: found[number] for number in order}
        """Games by rank from 1: by schedule, or without a meaningful order if nameless."""
        self._keep_latest()
        self.faulty = {self._ranks[number] for number in listed if number in faulty}
        """Ranks of listed games with faults."""
        ranks = [rank for rank, stored in self.listed.items() if not run.is_expired(stored.record)]
        self._documents = set(
            to_step_through(wanted, ranks, sorted(self.faulty.intersection(ranks)))
        )
        # Times per move are of an even choice; a public page has none.
        self._timed = set() if is_public else set(chosen(ranks, [], DEFAULT))
        self._quotes = [] if is_public else self._first_faults()
        self._moves: dict[str, list[int]] = {}
        self._evidence: dict[int, tuple[Evidence, ...]] = {}
        self._leads: dict[int, LeadCourse] = {}
        self.damaged: list[str] = []
        """Problems of the damaged records, which are not shown."""

    def _parts(self) -> list[SectionData]:
        return full_parts(self.run, self.counted, self.verdict, self.voids, self.excluded)

    def _read(self, listed: Set[int]) -> dict[int, Stored]:
        """Count the deals of the games that are shown, and return the listed ones by number."""
        found: dict[int, Stored] = {}
        for game in self.run.games():
            if game.number not in self.excluded:
                own = self.deals[game.result.spec.discipline]
                own.add(*self.run.schedule.place(game.number), game.result)
                if game.number in listed:
                    found[game.number] = game.stored
        return found

    def _keep_latest(self) -> None:
        """Take the latest games of each bot from the schedule, not from the time of play."""
        for bot in self.gathered.bots.values():
            bot.latest.clear()
        for stored in self.listed.values():
            for name in {*stored.result.spec.entrants}:
                self.gathered.bots[name].latest.append(stored)

    @property
    def source(self) -> Source:
        """Origin of the games."""
        return Source(self.run, self.games, self.is_public)

    def tasks(self) -> list[Task]:
        """Return the games to prepare, in the order of the list."""
        quoted = {rank for rank, _ in self._quotes}
        needed = self._documents | self._timed | quoted
        return [
            Task(rank, stored, rank in self._documents, self._alias(rank))
            for rank, stored in self.listed.items()
            if rank in needed and not self.run.is_expired(stored.record)
        ]

    def take(self, game: Prepared) -> None:
        """Keep the think times and the evidence of faults of a prepared game, or its problem."""
        if game.problem:
            self.damaged.append(game.problem)
            self._timed.discard(game.number)
            return
        if game.lead is not None:
            self._leads[game.number] = game.lead
        entrants = self.listed[game.number].result.spec.entrants
        if game.number in self._timed:
            for name, moves in zip(entrants, game.moves, strict=True):
                self._moves.setdefault(name, []).extend(moves)
        if game.evidence:
            self._evidence[game.number] = game.evidence

    def page(self, folder: str, place: Callable[[int], int]) -> model.RunPage:
        """Return the contents of the page, with the games added so far.

        ``folder``, ``place``: places of the games, as in ``Files``. Raises StoreError.
        """
        manifest = self.manifest
        times = [times_of(name, self._moves.get(name, ())) for name in manifest.entrants]
        found = {own.name: own for own in times if own is not None}
        places = {rank: place(rank) for rank in self.listed}
        return model.RunPage(
            name=manifest.title,
            rules=sorted({each.rules.name for each in manifest.disciplines}),
            head=list(facts.head_facts(self)),
            is_over=self.is_over,
            notices=[*facts.notices(self), *facts.damage(len(self.damaged))],
            parts=[self._part(part) for part in self.parts],
            match=match_page(self.run) if manifest.kind.verdict else None,
            blocks=[*filter(None, self._blocks([*found.values()]))],
            bots=list(bot_pages(self, self._shown(places, found))),
            links=self.links,
            listing=model.Listing(
                rows=[self._row(rank) for rank in self.listed],
                places=[*places.values()],
                stored=self.games,
                documents=sum(each > 0 for each in places.values()),
                folder=folder,
                is_anonymous=self.is_anonymous,
                titles=self.run.titles,
            ),
        )

    def _blocks(self, times: Sequence[Times]) -> Iterator[PageBlock | None]:
        """Yield the blocks on the run as a whole, or None for those that have nothing to show."""
        manifest, is_public, bots = self.manifest, self.is_public, self.gathered.bots
        yield fault_block({name: bots.get(name, BotSums()) for name in manifest.entrants})
        yield time_block(times, len(self._timed), self.games, facts.limit_us(manifest))
        yield void_block([] if is_public else self.voids[:_VOIDS], len(self.voids))
        yield machine_block(() if is_public else self.main.machines)
        origin = "Run", list(facts.origin_facts(self))
        yield config_block([origin, *facts.config_facts(manifest, is_public=is_public)])
        yield method_block(facts.verify_lines(manifest, is_public=is_public))

    def _shown(self, places: Mapping[int, int], times: Mapping[str, Times]) -> Shown:
        """Return what the sections of bots hold; ``places``: of the replays, by rank."""

        def address(stored: Stored) -> str:
            game_id = stored.result.spec.game_id
            number = self.run.schedule.number(game_id)
            rank = 0 if number is None else self._ranks.get(number, 0)
            return "#" + urlencode({"game": game_id}) if places.get(rank) else ""

        def more(player: VersionedBot) -> Sequence[LabelledFact]:
            known = [times[name] for name in player.versions if name in times]
            return [LabelledFact("time per move", own.words()) for own in known]

        main = self.parts[-1]
        pairs = {}
        if main.ratings is not None and self.shows_games:
            for cell in pairs_of(main.ratings.arrays):
                pairs[cell.name, cell.other] = cell
                pairs[cell.other, cell.name] = cell.mirrored()
        quotes: dict[str, list[Quote]] = {}
        for name, quote in quotes_of(self._fault_lines(places)):
            quotes.setdefault(name, []).append(quote)
        return Shown(
            address,
            max(_LEAST, min(_OPPONENTS, _ROWS // max(1, len(self.players)))),
            pairs,
            bool(self.listed) and self.shows_games,
            quotes,
            more,
            has_times=False,
        )

    def _first_faults(self) -> list[tuple[int, int]]:
        """Return (rank, index of the fault) of the first faults of each bot and kind."""
        found: dict[tuple[str, FaultKind], list[tuple[int, int]]] = {}
        for rank in sorted(self.faulty):
            result = self.listed[rank].result
            for k, fault in enumerate(result.faults):
                own = found.setdefault((result.spec.entrants[fault.seat], fault.kind), [])
                if len(own) < _FAULTS:
                    own.append((rank, k))
        bots = {name: k for k, name in enumerate(self.manifest.entrants)}
        kinds = list(FaultKind)
        keys = sorted(found, key=lambda key: (bots.get(key[0], 0), kinds.index(key[1])))
        return [quote for key in keys[:_KINDS] for quote in found[key]]

    def _alias(self, rank: int) -> str:
        """Return an id without meaning for a nameless game; "" for others."""
        if not self.is_anonymous:
            return ""
        return f"{self.listed[rank].result.spec.discipline}/{rank}"

    def _row(self, rank: int) -> GameRow:
        """Return the row of a game; a public one has no think time, a nameless one no names."""
        stored = self.listed[rank]
        facts = self.manifest.games[stored.result.spec.discipline]
        row = row_of(rank, stored, less_is_better=facts.less_is_better)
        row = row._replace(lead=self._leads.get(rank))
        if self.is_public:
            row = row._replace(slowest_us=None)
        if alias := self._alias(rank):
            names = tuple(f"seat {seat}" for seat in range(len(row.names)))
            row = row._replace(game_id=alias, deal=alias, names=names)
        return row

    def _fault_lines(self, places: Mapping[int, int]) -> Sequence[FaultLine]:
        lines = []
        for rank, k in self._quotes:
            result = self.listed[rank].result
            fault = result.faults[k]
            found = (each for each in self._evidence.get(rank, ()) if each.seat == fault.seat)
            evidence = next(found, Evidence(fault.seat))
            lines.append(
                FaultLine(
                    name=result.spec.entrants[fault.seat],
                    game_id=result.spec.game_id,
                    fault=fault,
                    evidence=evidence,
                    is_linked=places[rank] > 0,
                )
            )
        return lines

    def _part(self, part: SectionData) -> model.PageSection:
        """Return a section; for nameless games without numbers that reveal pairings."""
        section = part.section._replace(costs=()) if self.is_public else part.section
        deals = self.deals.get(section.title)
        numbers = deals.numbers() if self.shows_games and deals is not None else None
        shown = part._replace(section=section, page="report")
        return model.PageSection(shown, numbers, self.shows_games)
