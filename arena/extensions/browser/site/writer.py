"""Makes the files of a site that has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import msgspec

from arena.extensions.browser.page.files import slugs
from arena.extensions.browser.page.games import Source, Task, prepared
from arena.extensions.browser.page.model import Page
from arena.extensions.browser.site import history, rounds
from arena.extensions.browser.site.feed import feed
from arena.extensions.browser.site.folder import Built, Counts, Folder, Options
from arena.extensions.browser.site.html import FEED, Frame, frame_of, game_html, game_page, html
from arena.extensions.browser.site.model import Site
from arena.extensions.browser.site.pages import about_page, site_bots
from arena.extensions.browser.site.standings import index_pages, table_pages
from arena.extensions.publishing.processes import uncollected
from arena.runs.reader import StoredRun
from arena.runs.store import Stored
from arena.values.numbers import NOTHING, score_line
from arena.values.titles import called


def written(
    run: StoredRun,
    folder: Folder,
    options: Options,
    step: Callable[[int, int], object],
    inputs: bytes,
) -> Built:
    """Write the site as ``write_site`` does; ``inputs``: see ``Folder.finish``."""
    with uncollected():
        known = history.read_marks(folder.read(history.FILE))
        site = Site(run, extremes=options.games, costs=options.costs, known=known)
        return _Writer(site, folder, options).write(step, inputs)


class _Writer:
    def __init__(self, site: Site, folder: Folder, options: Options) -> None:
        self.site = site
        self.folder = folder
        self.options = options
        shown = sorted({each.rules.name for each in site.disciplines})
        others = site.parts[:-1]
        titles = slugs(part.section.title for part in others)
        self.tables = [(part, titles[part.section.title]) for part in others]
        noun = site.steps.noun if site.shows_games else ""
        tables = [(part.section.heading, slug) for part, slug in self.tables]
        self.frame: Frame
        self.frame, assets = frame_of(site.manifest.title, shown, noun, tables)
        for asset in assets:
            self._put_bytes(asset.name, asset.data)
        self.frame_bytes = msgspec.json.encode(self.frame)

    def write(self, step: Callable[[int, int], object], inputs: bytes) -> Built:
        """Write all files; ``inputs``: see ``Folder.finish``."""
        site, gathered = self.site, self.site.gathered
        wanted = {each.result.spec.game_id: each for each in self._wanted()}
        damaged = self._write_games(list(wanted.values()), step)
        pages = {name for name in wanted if name not in damaged}

        def address(stored: Stored) -> str:
            game_id = stored.result.spec.game_id
            return game_page(game_id) if game_id in pages else ""

        latest = [*reversed(gathered.latest)] if site.shows_games else []
        self._put_pages(index_pages(site, latest, address))
        for part, slug in self.tables:
            self._put_pages(table_pages(site, part, slug))
        self._put_pages(site_bots(site, address, costs=self.options.costs))
        if site.shows_games:
            self._put_pages(rounds.round_pages(site, filter(address, wanted.values())))
            self._put_pages(rounds.list_pages(site))
        self._put_pages([about_page(site)])
        self._put_bytes(FEED, feed(site, self._url()))
        self._put_bytes(history.FILE, history.encoded(site.marks))
        counts = Counts(len(site.players), site.main.games.counting, site.held_back, len(pages))
        whole = b"" if damaged else inputs
        return Built(self.folder.finish(whole, counts), counts, tuple(damaged.values()))

    def _url(self) -> str:
        url = self.options.url
        return url if not url or url.endswith("/") else f"{url}/"

    def _put_bytes(self, name: str, data: bytes) -> None:
        self.folder.put(name, data, lambda: data)

    def _put_pages(self, pages: Iterable[Page]) -> None:
        """Write the pages whose contents have changed.

        The address of a bot follows from its name and those of earlier bots, so it never changes.
        """
        for page in pages:
            make = partial(html, self.frame, page, self.site.links)
            self.folder.put(page.name, self.frame_bytes + msgspec.json.encode(page), make)

    def _wanted(self) -> Iterator[Stored]:
        """Yield the games that are linked and may be stepped through, in a fixed order."""
        site = self.site
        if not self.options.games:
            return
        found = [*site.gathered.latest]
        for player in site.players.values():
            bot = site.gathered.bots.get(player.newest)
            if bot is not None:
                found += [stored for *_, stored in (*bot.best, *bot.worst)]
        yield from filter(site.may_open, found)

    def _write_games(
        self, games: list[Stored], step: Callable[[int, int], object]
    ) -> dict[str, str]:
        """Write the missing games; return the problems of damaged records by game id."""
        missing = []
        for stored in games:
            if not self.folder.keep(_name(stored), self._inputs(stored)):
                missing.append(stored)
        # Each is the only game of its source, so that later games do not change its page.
        tasks = [Task(1, stored, wants_document=True, alias="") for stored in missing]
        source = Source(self.site.run, 1, is_public=True)
        damaged = {}
        for done, (stored, game) in enumerate(
            zip(missing, prepared(tasks, source, self.options.jobs), strict=True), 1
        ):
            if game.problem:
                damaged[stored.result.spec.game_id] = game.problem
            else:
                make = partial(self._game, stored, game.document)
                self.folder.put(_name(stored), self._inputs(stored), make)
            step(done, len(missing))
        return damaged

    def _inputs(self, stored: Stored) -> bytes:
        result = stored.result
        own = (result.spec.game_id, result.digest, self.site.manifest.title)
        return self.frame_bytes + msgspec.json.encode(own)

    def _game(self, stored: Stored, document: str) -> bytes:
        result = stored.result
        scores = NOTHING if result.scores is None else score_line(result.scores)
        title = " – ".join(map(called, result.spec.entrants))
        return game_html(self.frame, _name(stored), title, f"{title}: {scores}", document)


def _name(stored: Stored) -> str:
    return game_page(stored.result.spec.game_id)
