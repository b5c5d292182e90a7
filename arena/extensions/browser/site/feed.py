"""News as an Atom feed: entries and departures, rulings, finished rounds, new leaders, the winner.

Ids and dates are those of the run: the same run gives the same feed, so readers see nothing twice.
An entry is written when what it states is final, and never changes. So a run that does not grow by
rounds has no news of its games before its end: they are played in any order.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Final, NamedTuple

from markupsafe import Markup
from msgspec import UNSET

from arena.extensions.browser.page.counting.games import Encounter
from arena.extensions.browser.page.counting.steps import moment
from arena.extensions.browser.page.drawing import markup
from arena.extensions.browser.site.html import FEED, INDEX, round_page
from arena.extensions.browser.site.model import Site
from arena.values.numbers import count, listed
from arena.values.titles import called
from arena.views.standings.headline import Headline

ENTRIES: Final = 50
_NAMED: Final = 10
"""Number of bots named in one entry."""
_EPOCH: Final = "1970-01-01T00:00:00Z"
NAMESPACE: Final = uuid.UUID("6f6cbe5c-5d0c-5cf3-9a54-0d6b7a3c7f55")


class FeedEntry(NamedTuple):
    """One entry of the feed."""

    key: str
    """Key, unique within the run."""
    when: str
    """Time in UTC."""
    title: str
    text: str
    address: str


def entries(site: Site) -> list[FeedEntry]:
    """Return the entries, newest first."""
    found = [*_field(site), *_rulings(site), *_rounds(site), *_won(site)]
    # of the same second, later events of the run come first
    return sorted(found, key=lambda each: each.when)[::-1][:ENTRIES]


def feed(site: Site, url: str) -> bytes:
    """Return the text of the feed.

    ``url``: address of the site, with a slash at the end; empty: not known.
    """
    name, shown = site.manifest.title, entries(site)
    links = [markup('<link href="{}"/>', url + INDEX)]
    if url:
        links.append(markup('<link rel="self" href="{}"/>', url + FEED))
    parts = [
        markup(
            '<?xml version="1.0" encoding="utf-8"?>\n'
            '<feed xmlns="http://www.w3.org/2005/Atom">\n'
            "<title>{}</title>\n<id>{}</id>\n<updated>{}</updated>\n"
            "<author><name>{}</name></author>\n{}\n",
            *(name, entry_id(site, ""), shown[0].when if shown else _EPOCH, name),
            Markup("\n").join(links),
        ),
        *(
            markup(
                "<entry>\n<title>{}</title>\n<id>{}</id>\n<updated>{}</updated>\n"
                '<link href="{}"/>\n<summary>{}</summary>\n</entry>\n',
                *(each.title, entry_id(site, each.key), each.when, url + each.address, each.text),
            )
            for each in shown
        ),
        Markup("</feed>\n"),
    ]
    return Markup("").join(parts).encode("utf-8", "replace")


def entry_id(site: Site, key: str) -> str:
    """Return the id of an entry, or with an empty key that of the feed."""
    return uuid.uuid5(NAMESPACE, f"{site.manifest.commitment}\n{key}").urn


def _field(site: Site) -> Iterator[FeedEntry]:
    manifest = site.manifest
    bots = count(len(manifest.identity.entrants), "bot")
    began = _when(manifest.created)
    yield FeedEntry("begin", began, f"{manifest.title} begins", f"with {bots}", INDEX)
    paired = 0
    for change in manifest.changes:
        when = _when(change.created)
        names = [n for n in change.entered if not site.field.was_out(n, change.number)]
        last = site.field.rounds_before(change.number)
        is_known = not manifest.grows or not last or site.is_closed(last)
        if names and is_known:  # who is withdrawn in a round that is played is not known
            verb = "enters" if len(names) == 1 else "enter"
            address = site.links[names[0]] if len(names) == 1 else INDEX
            title = f"{_names(names)} {verb}"
            first = paired + 1 if manifest.grows else change.number + 1
            yield FeedEntry(f"enter {change.number}", when, title, f"round {first}", address)
        left = [name for name in change.left if not _is_replaced(site, name, change.entered)]
        if left:
            verb = "plays" if len(left) == 1 else "play"
            address = site.links[left[0]] if len(left) == 1 else INDEX
            title = f"{_names(left)} {verb} no more"
            text = "its games stand" if change.ruling is UNSET else "by a ruling"
            yield FeedEntry(f"leave {change.number}", when, title, text, address)
        paired += change.follows is not UNSET and bool(change.pairings)


def _rulings(site: Site) -> Iterator[FeedEntry]:
    """Yield the rulings; while names are hidden none, as they say who played."""
    created = {change.number: _when(change.created) for change in site.manifest.changes}
    for number, ruling in site.manifest.field.made if site.shows_games else ():
        title = f"Ruling: {ruling.effect() or 'a comment'}"
        yield FeedEntry(f"ruling {number}", created[number], title, ruling.words(number), INDEX)


def _is_replaced(site: Site, name: str, entered: Iterable[str]) -> bool:
    """Return True if a new version of the same bot entered with the same change."""
    return any(site.links.get(other) == site.links[name] for other in entered)


def _names(names: list[str]) -> str:
    shown, more = [*map(called, names)], len(names) - _NAMED
    return f"{', '.join(shown[:_NAMED])} and {more} more" if more > 0 else listed(shown)


def _rounds(site: Site) -> Iterator[FeedEntry]:
    """Yield the ends of rounds and changes of the lead, of rounds that have ended.

    All follows from tables at which everything was played: games at a table that a bot has left
    may still be stored, or cease to count.
    """
    shown = {mark.after for mark in site.marks}
    when = _when(site.manifest.created)
    before: tuple[str, ...] | None = ()
    """Leaders after the round before; None if that round is too long ago to be rated."""
    for step in site.closed:
        key = site.steps.key(step)
        tables = _played(site, step)
        # A clock that was set back makes no round older than the one before.
        when = max([when, *(moment(each.last) for each in tables)])
        if site.shows_games:
            games = sum(each.games for each in tables)
            text = f"{count(games, 'game')} at {count(len(tables), 'table')}"
            title = f"{site.steps.title(step)} has ended"
            yield FeedEntry(f"over {key}", when, title, text, round_page(key, 1))
        headline = site.leaders.get(step)
        if step not in shown:
            before = None
        elif headline is not None:
            if before is not None and headline.names != before:
                yield _lead(site, headline, f"lead {key}", when, f"after {site.steps.words(step)}")
            before = headline.names


def _played(site: Site, step: int) -> list[Encounter]:
    """Return the sums of a round at each table that no bot left or was withdrawn from."""
    paired = site.paired[step]
    played = {tuple(sorted(each.bots)) for each in paired.meetings if each.is_played}
    own = site.gathered.by_step[step].tables
    return [met for (_, names), met in own.items() if names in played]


def _won(site: Site) -> Iterator[FeedEntry]:
    """Yield the end of the competition, which in a run by rounds is final."""
    now, manifest = site.main.headline, site.manifest
    if now is None or not now.has_won or (manifest.grows and not site.is_over):
        return
    key = "won" if manifest.grows or not manifest.changes else f"won {len(manifest.changes)}"
    times = [moment(site.gathered.by_step[step].last) for step in site.order]
    when = max([_when(manifest.created), *times])
    after = f"after {site.steps.words(site.order[-1])}" if site.order else "without a game"
    yield _lead(site, now, key, when, after)


def _lead(site: Site, headline: Headline, key: str, when: str, after: str) -> FeedEntry:
    names = headline.names
    address = site.links[names[0]] if len(names) == 1 else INDEX
    return lead_entry(headline, key, when, after, address)


def lead_entry(headline: Headline, key: str, when: str, after: str, address: str) -> FeedEntry:
    """Return the entry of a headline; ``after``: words for the time of it."""
    return FeedEntry(key, when, headline.title(), f"{headline.words()} {after}", address)


def _when(text: str) -> str:
    """Return a date of the run in the format of Atom."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return _EPOCH
    found = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    return found.strftime("%Y-%m-%dT%H:%M:%SZ")
