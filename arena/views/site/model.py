"""A competition as its site needs it: its results, counted by bot and by step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import takewhile
from typing import Final, NamedTuple

from arena.config.keys import Names
from arena.ratings.elo.rating import ELO_UNIT, Rated, ValueUnit
from arena.ratings.elo.standings import Standings
from arena.ratings.elo.standings import standings as rated
from arena.results import OVERALL
from arena.runs.reader import StoredGame, StoredRun
from arena.runs.rounds.played import paired
from arena.runs.store import Stored
from arena.schedule.kinds.registry import kind_of
from arena.schedule.rounds.knockout.plan import round_of
from arena.schedule.rounds.state import Paired, player_of
from arena.text.cells import Cell
from arena.text.slugs import slugs
from arena.views.export.run import choose, expired_words
from arena.views.page.blocks.bots import rounds_places
from arena.views.site.gather import Scoring, SiteCounter
from arena.views.site.history import StepRatings, Values, marks_of, values_of, wanted_of
from arena.views.site.html import bot_page
from arena.views.site.steps import FieldBySteps, Steps
from arena.views.standings import ratings_table
from arena.views.standings.counted import Counted, out_of
from arena.views.standings.headline import Headline, by_values, is_row_provisional
from arena.views.standings.rounds.panels import leaders_by_round
from arena.views.standings.standings import SectionData, read, sections_of
from arena.views.standings.tables import Section

TREND: Final = 5
"""Number of rounds or days over which the change of a rating is shown."""


class SitePlayer(NamedTuple):
    """A bot with all its versions."""

    name: str
    page: str
    """Address of its page in the site."""
    author: str
    """Author; empty: not known."""
    versions: tuple[str, ...]
    """Entrants of the run that were its versions, oldest first."""
    newest: str
    """The version that plays, or played last."""
    state: str
    """State: ``plays``, ``left`` or ``withdrawn``."""
    reason: str
    """Reason why it was withdrawn."""

    @property
    def plays(self) -> bool:
        """True if it has a place in the tables."""
        return self.state == "plays"


class BotRow(NamedTuple):
    """The row of a bot in a table."""

    player: SitePlayer
    row: Rated
    interval: Cell
    is_provisional: bool
    last: tuple[Cell, ...]
    """Cells of ``Ranking.last``."""


class Ranking(NamedTuple):
    """A table of the site."""

    title: str
    section: Section
    places: tuple[BotRow, ...]
    last: tuple[str, ...]
    """Headers of the columns that follow the value."""
    rows: Mapping[str, Rated]
    """Rows by entrant, including those that no longer play."""

    @property
    def unit(self) -> ValueUnit:
        """Unit of the values."""
        return self.section.standings.unit

    @property
    def is_elo(self) -> bool:
        """True if the values are Elo."""
        return self.unit == ELO_UNIT


class Others(Container[int]):
    """All numbers but some, so games that are stored during the read belong to it."""

    def __init__(self, told: frozenset[int]) -> None:
        self._told = told

    def __contains__(self, number: object) -> bool:
        return number not in self._told


class Site:
    """The results of a run as its site shows them.

    Nothing in it is a secret, except which bots met where ``is_anonymous``.
    """

    def __init__(
        self,
        run: StoredRun,
        *,
        extremes: int,
        costs: bool,
        known: Sequence[StepRatings],
    ) -> None:
        """Read the run.

        ``extremes``: number of best and of worst games of each bot. ``costs``: count the time and
        memory that bots took. ``known``: see ``marks_of``. Raises StoreError.
        """
        self.run = run
        self.manifest = run.manifest
        self.disciplines = run.manifest.disciplines
        """Disciplines with all entrants that ever entered; the manifest computes them each time."""
        choice = choose(run, None)
        self.is_over = choice.is_over and self.manifest.is_over
        self.is_anonymous = self.manifest.identity.names is Names.HIDDEN and not self.is_over
        """True if it may not be shown which bots met."""
        told = frozenset(choice.numbers)
        excluded = Others(told)
        self.held_back = len(choice.excluded)
        """Number of games that are not public yet and not counted."""
        self.expired = expired_words(run, len(choice.expired))
        """Notice on games whose records have expired; empty if all have records."""
        self.steps = Steps(run)
        scorings = {each.name: self._scoring(each.name) for each in self.disciplines}
        self.gathered = SiteCounter(self.steps, scorings, extremes)

        def look(game: StoredGame) -> None:
            self.gathered.add(game, is_told=game.number in told)

        counted, self.verdict, self.voids = read(
            run, excluded, look, self.gathered.drop, with_costs=costs
        )
        self.counted: Counted = counted
        self.parts: list[SectionData] = list(sections_of(run, counted, self.verdict, self.voids))
        self.players: dict[str, SitePlayer] = {each.name: each for each in self._players()}
        self._pages: dict[str, str] = {}
        main = self.parts[-1]
        self.rankings = [self._ranking(part) for part in self.parts]
        last: Values = values_of(_whole(main).rows)
        out = out_of(run, self.verdict.withdrawn)
        self.annulled = {name for name, number in out.items() if not number}
        """Entrants that were withdrawn and have no game that counts."""
        wanted = wanted_of(main, out, excluded, counted.cut)
        self.marks = marks_of(run, self.gathered, wanted, last, known) if self.order else []

    def _scoring(self, discipline: str) -> Scoring:
        facts = self.manifest.games[discipline]
        return Scoring(facts.score, facts.less_is_better)

    @property
    def main(self) -> Ranking:
        """The table of all disciplines, or of the only one."""
        return self.rankings[-1]

    @property
    def others(self) -> list[Ranking]:
        """The tables of each of several disciplines."""
        return self.rankings[:-1]

    @property
    def has_several(self) -> bool:
        """True if there are several disciplines."""
        return self.main.title == OVERALL

    @cached_property
    def order(self) -> list[int]:
        """The steps with published games, in order."""
        return sorted(self.gathered.by_step)

    @cached_property
    def closed(self) -> list[int]:
        """Rounds of a run by rounds that have ended, in order; nothing changes their results."""
        return list(takewhile(self.is_closed, self.order))

    def is_closed(self, step: int) -> bool:
        """Return whether a step is a round, of a run by rounds, that has ended."""
        return step in self.paired and self.paired[step].is_over

    @property
    def shows_games(self) -> bool:
        """True if single games and pairings are shown."""
        return not self.is_anonymous

    def may_open(self, stored: Stored) -> bool:
        """Return True if a game may be stepped through.

        Where all bots play alone, later entrants play the same deals.
        """
        if self.is_anonymous or self.run.is_expired(stored.record):
            return False
        return len(stored.result.spec.entrants) > 1 or self.run.is_opened

    @cached_property
    def paired(self) -> dict[int, Paired]:
        """Pairings by step, of a tournament by rounds; empty for others."""
        schedule, played = self.run.schedule, self.counted.played
        if played is None:
            return {}
        return {
            self.step_of(each.label): each._replace(is_over=each.is_over or self.manifest.is_over)
            for each in paired(self.manifest.field, schedule, played, self.verdict)
        }

    def step_of(self, label: str) -> int:
        """Return the step of a round that follows from results."""
        start = self.run.schedule.numbers_of(label).start
        return self._starts[start]

    @cached_property
    def _starts(self) -> dict[int, int]:
        """Step of each round, by the number of its first game."""
        rounds = self.run.schedule.numbers_by_round()
        return {numbers.start: step for step, numbers in enumerate(rounds, 1)}

    @cached_property
    def called(self) -> dict[int, str]:
        """Name of each step's round, in a tournament in stages or a knockout."""
        stages = self.manifest.identity.disciplines[0].schedule.parts
        found = {}
        played: Counter[str] = Counter()
        """Rounds so far, by tie."""
        for step, each in sorted(self.paired.items()):
            if each.ties:
                played.update(each.ties)
                names = (_round_words(tie, played[tie]) for tie in each.ties)
                found[step] = ", ".join(dict.fromkeys(names))
            elif len(stages) > 1:
                found[step] = kind_of(stages[each.stage]).title
        return found

    @cached_property
    def places(self) -> dict[str, tuple[int, str]]:
        """Place in the last stage and points for it, by entrant.

        Only for tournaments by rounds, and entrants that have a place already.
        """
        return rounds_places(self.main.section)

    def player(self, entrant: str) -> SitePlayer:
        """Return the bot of which an entrant is a version."""
        return self.players[player_of(entrant)]

    def page_of(self, entrant: str) -> str:
        """Return the address of the page of an entrant's bot; "" for an unknown bot."""
        page = self._pages.get(entrant)
        if page is None:
            found = self.players.get(player_of(entrant))
            page = self._pages[entrant] = "" if found is None else found.page
        return page

    @property
    def base(self) -> StepRatings | None:
        """Earlier ratings that trends are measured from; None if it is too early."""
        if len(self.marks) < 2:
            return None
        places = {step: k for k, step in enumerate(self.order)}
        bound = places[self.marks[-1].after] - TREND
        old = [mark for mark in self.marks[:-1] if places[mark.after] <= bound]
        return old[-1] if old else self.marks[0]

    def trend(self, player: SitePlayer) -> float | None:
        """Return the change of a bot's rating since ``base``, from the version that played then.

        None if no version did.
        """
        base, now = self.base, self.marks[-1].values.get(player.newest) if self.marks else None
        if base is None or now is None:
            return None
        there = self.field.there(base.after)
        then = [name for name in player.versions if name in base.values and name in there]
        return now[0] - base.values[then[-1]][0] if then else None

    @cached_property
    def field(self) -> FieldBySteps:
        """The entrants that played, and those with a place, after each step."""
        return FieldBySteps(self.run, self.verdict, self.order)

    @cached_property
    def leaders(self) -> dict[int, Headline]:
        """The known leaders after each day, or each round that has ended.

        In a run by rounds, they follow from the results up to the round and from nothing later.
        """
        if self.main.section.rounds is not None:
            shown = {mark.after for mark in self.marks}
            wanted = {each.label for step, each in self.paired.items() if step in shown}
            rounds = leaders_by_round(self.run, self.counted.played, self.verdict, wanted)
            return {self.step_of(label): own for label, own in rounds.items()}
        found = {mark.after: own for mark in self.marks if (own := self._led(mark)) is not None}
        if self.manifest.grows:
            return {step: own for step, own in found.items() if self.is_closed(step)}
        if not self.order:
            return {}
        last, now = self.order[-1], self.main.section.headline
        before = {step: found[step] for step in self.order[:-1] if step in found}
        return before if now is None else {**before, last: now}

    def _led(self, mark: StepRatings) -> Headline | None:
        standings = self.main.section.standings
        placed = self.field.placed(mark.after)
        values = {name: value for name, value in mark.values.items() if name in placed}
        fixed = [row.name for row in standings.rows if standings.is_fixed(row.name)]
        return by_values(values, standings.unit, fixed)

    def _players(self) -> Iterator[SitePlayer]:
        field, authors = self.manifest.field, self.run.authors
        entered = dict.fromkeys(self.manifest.entrants, 0)
        """Number of the change with which an entrant entered last, by entrant."""
        for change in self.manifest.changes:
            entered.update(dict.fromkeys(change.entered, change.number))
        versions: dict[str, list[str]] = {}
        for entrant in self.manifest.entrants:
            versions.setdefault(player_of(entrant), []).append(entrant)
        pages = slugs(versions)
        withdrawn = self.verdict.withdrawn
        for name, own in versions.items():
            there = [entrant for entrant in own if entrant not in field.left]
            newest = max(there or own, key=lambda name: (entered[name], own.index(name)))
            state, reason = "plays" if there else "left", ""
            if newest in withdrawn:
                state, reason = "withdrawn", withdrawn[newest].reason
            author = "" if authors is None else authors.of.get(newest, "")
            page = bot_page(pages[name])
            yield SitePlayer(name, page, author, tuple(own), newest, state, reason)

    def _ranking(self, part: SectionData) -> Ranking:
        section = part.section
        standings = section.standings
        rows = {row.name: row for row in _whole(part).rows}
        last = tuple(each.header for each in ratings_table.site_columns(standings))
        newest = {each.newest: each for each in self.players.values() if each.plays}
        places = tuple(
            row_of(standings, row, newest[row.name]) for row in standings.rows if row.name in newest
        )
        return Ranking(section.title, section, places, last, rows)


def _whole(part: SectionData) -> Standings:
    """Return the table including bots that no longer play, which a ladder lists apart."""
    if part.section.gone is None or part.ratings is None:
        return part.section.standings
    return rated(part.tally, part.ratings)


def _round_words(tie: str, part: int) -> str:
    """Return ``semi-final``, or ``semi-final, part 2`` of a tie that is continued."""
    return round_of(tie) if part == 1 else f"{round_of(tie)}, part {part}"


def row_of(standings: Standings, row: Rated, player: SitePlayer) -> BotRow:
    """Return the row of a table as that of ``player``."""
    return BotRow(
        player,
        row,
        ratings_table.interval_cell(row, standings.unit, is_fixed=standings.is_fixed(row.name)),
        is_row_provisional(standings, row),
        tuple(each.cell(row, standings) for each in ratings_table.site_columns(standings)),
    )
