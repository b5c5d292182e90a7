"""``arena site``: a competition as static pages."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import urlsplit

import msgspec

from arena.cli.command import command
from arena.cli.common import AsJson, Preparers, Quiet, RunFolder, round_option
from arena.cli.terminal.console import out, print_document, say
from arena.cli.terminal.progress import counting, warn_of_damage
from arena.cli.terminal.signals import interrupting
from arena.extensions.browser.page.files import size_text
from arena.extensions.browser.site.folder import Built, Options
from arena.extensions.browser.site.write import write_site
from arena.extensions.publishing.visible import held_back_words
from arena.runs.growth.past import as_of
from arena.runs.reader import StoredRun, with_authors
from arena.values.bad_input import BadInput
from arena.values.numbers import count
from arena.values.option import Arg, Opt
from arena.values.problems import quote
from arena.values.schema import RunAnswer

_EVERY: Final = 10
"""Number of games between two updates of the live line."""
_MOST: Final = 20
"""Largest number of games of each kind that ``--games`` may ask for, per bot."""


class SiteData(msgspec.Struct, frozen=True):
    """Content of ``SiteDocument``."""

    path: str
    files: int
    written: int
    removed: int
    bytes: int
    bots: int
    games: int
    opened: int
    """Number of games to step through."""
    held_back: int


class SiteDocument(RunAnswer[SiteData], frozen=True, tag="arena.site-written/1"):
    """A site that was written."""


@dataclass(frozen=True, kw_only=True)
class SiteOptions:
    """Write a competition as static pages for everybody.

    The site has standings, rounds or days, a page for each bot, games to step through and a feed,
    for any web server or GitHub Pages. The same command again writes only what has changed, also
    while the run is played; with --until it stays at the end of a round, until it is written
    without. The site has nothing that a public pack would not have: no seed, no
    hand, no words of bots.

    \b
    arena site runs/cup public
    arena site runs/cup public --until 3
    arena site runs/cup public --url https://example.org/cup/
    """

    folder: RunFolder
    target: Annotated[
        Path,
        Arg("A folder that is new, empty, or holds an older site of the run.", metavar="FOLDER"),
    ]
    games: Annotated[
        int,
        Opt(
            "Games to step through: this many of the clearest wins and losses of each "
            "bot; 0: no games at all.",
            least=0,
            most=_MOST,
            metavar="N",
        ),
    ] = 2
    until: Annotated[
        int | None, round_option("Freeze the site when this round has ended.", "--until")
    ] = None
    costs: Annotated[bool, Opt("Show how much time and memory bots took.")] = False
    url: Annotated[
        str,
        Opt("Address that the site will have, for links in the feed.", metavar="URL"),
    ] = ""
    workers: Preparers = None
    quiet: Quiet = False
    as_json: AsJson = False


def write_pages(options: SiteOptions) -> None:
    """Write the site and say what was written. Raises BadInput and StoreError."""
    _check_url(options.url)
    own = Options(
        games=options.games,
        costs=options.costs,
        url=options.url,
        jobs=options.workers or os.cpu_count() or 1,
        until=options.until,
    )
    run = with_authors(options.folder)
    if options.until is not None:
        run = as_of(run, options.until, "--until")
    with interrupting(), counting("games prepared", _EVERY) as show:

        def step(done: int, _: int) -> None:
            if not options.quiet:
                show(done)

        built = write_site(run, options.target, own, step=step)
    warn_of_damage(built.damaged)
    _tell(options, built)


def _check_url(url: str) -> None:
    """Raise BadInput unless ``url`` is empty or an http(s) address."""
    try:
        is_sound = not url or (urlsplit(url).scheme in ("http", "https") and urlsplit(url).netloc)
    except ValueError:
        is_sound = False
    if not is_sound or not url.isprintable() or " " in url:
        raise BadInput(
            f"--url: found {quote(url)}, expected an address such as https://example.org/"
        )


def _tell(options: SiteOptions, built: Built) -> None:
    files, counts = built.files, built.counts
    if options.as_json:
        data = SiteData(
            path=str(options.target),
            files=files.files,
            written=files.written,
            removed=files.removed,
            bytes=files.bytes,
            bots=counts.bots,
            games=counts.games,
            opened=counts.opened,
            held_back=counts.held_back,
        )
        title = StoredRun(options.folder).manifest.title
        warnings = tuple(built.damaged)
        print_document(SiteDocument(run=title, data=data, warnings=warnings))
        return
    removed = f", {files.removed} removed" if files.removed else ""
    size = f" ({size_text(files.bytes)})" if files.written else ""
    out(
        f"{options.target}: {files.files} files, {files.written} written{size}"
        f"{removed}; {count(counts.bots, 'bot')}, {count(counts.games, 'game')}, "
        f"{counts.opened} to step through"
    )
    if counts.held_back:
        say(held_back_words(counts.held_back, until=""))


COMMAND: Final = command(write_pages)
