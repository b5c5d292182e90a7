"""Results of a run for a report and a site, counted by bot and by step."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from arena.extensions.browser.page.counting.games import GameCounter
from arena.extensions.browser.page.counting.steps import Steps
from arena.extensions.browser.page.files import slugs
from arena.extensions.publishing.visible import choose, expired_words
from arena.ratings.elo.rating import Rated
from arena.ratings.elo.standings import Standings
from arena.ratings.elo.standings import standings as rated
from arena.runs.config.keys import Names
from arena.runs.reader import StoredGame, StoredRun
from arena.values.results import player_of
from arena.views.standings.run_view import RunView, view_of
from arena.views.standings.standings import SectionData, read, sections_of
from arena.views.standings.tables import Section


class VersionedBot(NamedTuple):
    """A bot with all its versions."""

    name: str
    page: str
    """Address of its page in a site, or of its section in a report."""
    author: str
    """Author; empty: not known."""
    versions: tuple[str, ...]
    """Entrants of the run that were its versions, oldest first."""
    newest: str
    """The version that plays, or played last."""
    state: str
    """State: ``plays``, ``left``, ``withdrawn`` or ``disqualified``."""
    reason: str
    """Reason why it was withdrawn or disqualified."""

    @property
    def plays(self) -> bool:
        """True if it has a place in the tables."""
        return self.state == "plays"


class Others(Container[int]):
    """All numbers but some, so games that are stored during the read belong to it."""

    def __init__(self, told: frozenset[int]) -> None:
        self._told = told

    def __contains__(self, number: object) -> bool:
        return number not in self._told


class Results:
    """The results of a run as one reader may see them."""

    def __init__(
        self, run: StoredRun, *, is_public: bool, extremes: int, costs: bool, address: str
    ) -> None:
        """Read the run.

        ``is_public``: keep everything secret that a public pack would not hold. ``extremes``:
        number of best and of worst games of each bot. ``costs``: count the time and memory that
        bots took. ``address``: pattern of the address of a bot's page. Raises StoreError.
        """
        self.run = run
        self.manifest = run.manifest
        self.is_public = is_public
        self.disciplines = run.manifest.disciplines
        """Disciplines with all entrants that ever entered; the manifest computes them each time."""
        self.choice = choose(run, None)
        self.is_over = self.choice.is_over
        hidden = self.manifest.identity.names is Names.HIDDEN
        self.is_anonymous = is_public and hidden and not self.is_over
        """True if it may not be shown which bots met."""
        told = frozenset(self.choice.numbers)
        self.excluded: Container[int] = Others(told) if is_public else frozenset()
        """Numbers of games that are not shown and do not count yet."""
        self.held_back = len(self.choice.excluded) if is_public else 0
        """Number of games that are not public yet and not counted."""
        self.expired = expired_words(run, len(self.choice.expired))
        """Notice on games whose records have expired; empty if all have records."""
        self.steps = Steps(run)
        self.gathered = GameCounter(self.steps, self.manifest.games, extremes)

        def look(game: StoredGame) -> None:
            self.gathered.add(game, is_told=game.number not in self.excluded)

        self.counted, self.verdict, self.voids = read(
            run, self.excluded, look, self.gathered.drop, with_costs=costs
        )
        self.parts = self._parts()
        """A section for each discipline, the one of all last."""
        self._address = address
        self.players: dict[str, VersionedBot] = {each.name: each for each in self._players()}

    def _parts(self) -> list[SectionData]:
        return list(sections_of(self.run, self.counted, self.verdict, self.voids))

    @property
    def main(self) -> Section:
        """The table of all disciplines, or of the only one."""
        return self.parts[-1].section

    @property
    def shows_games(self) -> bool:
        """True if single games and pairings are shown."""
        return not self.is_anonymous

    @cached_property
    def links(self) -> dict[str, str]:
        """Address of the page of each entrant's bot."""
        return {name: each.page for each in self.players.values() for name in each.versions}

    def of(self, entrant: str) -> VersionedBot:
        """Return the bot of which an entrant is a version."""
        return self.players[player_of(entrant)]

    @cached_property
    def places(self) -> Mapping[str, tuple[int, str]]:
        """Place in the last stage and points for it, by entrant; empty if ratings decide."""
        return self.view.places(self.main)

    @property
    def view(self) -> RunView:
        """The view that decides the places."""
        return view_of(self.manifest.kind)

    def playing(self, part: SectionData) -> Standings:
        """Return a table with the bots that play, each by its newest version."""
        standings = part.section.standings
        newest = {each.newest for each in self.players.values() if each.plays}
        return replace(standings, rows=tuple(row for row in standings.rows if row.name in newest))

    @cached_property
    def rows(self) -> list[dict[str, Rated]]:
        """Rows by entrant of each part, including those that no longer play."""
        return [{row.name: row for row in whole(part).rows} for part in self.parts]

    def _players(self) -> Iterator[VersionedBot]:
        field, authors = self.manifest.field, self.run.authors
        entered = dict.fromkeys(self.manifest.entrants, 0)
        """Number of the change with which an entrant entered last, by entrant."""
        for change in self.manifest.changes:
            entered.update(dict.fromkeys(change.entered, change.number))
        versions: dict[str, list[str]] = {}
        for entrant in self.manifest.entrants:
            versions.setdefault(player_of(entrant), []).append(entrant)
        pages = slugs(versions)
        withdrawn, barred = self.verdict.withdrawn, self.manifest.rulings.barred
        for name, own in versions.items():
            there = [entrant for entrant in own if entrant not in field.left]
            newest = max(there or own, key=lambda name: (entered[name], own.index(name)))
            state, reason = "plays" if there else "left", ""
            if newest in withdrawn:
                state, reason = "withdrawn", withdrawn[newest].reason
            elif name in barred:
                state, reason = "disqualified", barred[name].reason
            author = "" if authors is None else authors.of.get(newest, "")
            page = self._address.format(pages[name])
            yield VersionedBot(name, page, author, tuple(own), newest, state, reason)


def whole(part: SectionData) -> Standings:
    """Return the table including bots that no longer play, which a ladder lists apart."""
    if part.section.gone is None or part.ratings is None:
        return part.section.standings
    return rated(part.tally, part.ratings)
