"""Full pages: a table as ``tables`` shows it, with panels below, in the same four forms.

Nothing measured enters a page, so equal results give equal bytes.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec
from wcwidth import wcswidth

import arena
from arena.ratings.elo.solo_standings import SoloStandings
from arena.ratings.elo.standings import Standings
from arena.text import clean
from arena.text.grid import draw, draw_text, short
from arena.text.panel import Panel
from arena.views.standings import tables
from arena.views.standings.full_words import Style
from arena.views.standings.tables import Emphasis, Section, Voids, Withdrawn

SCHEMA: Final = "arena.ratings/1"

Panels: TypeAlias = Callable[[Style], Sequence[Panel]]


class Page(NamedTuple):
    """One table and what is below it."""

    section: Section
    panels: Panels
    """Makes them for one form."""


class Table(msgspec.Struct, frozen=True):
    """A page in JSON. Numbers are not rounded for show."""

    kind: str
    """``ratings`` or ``solo``."""
    title: str
    notices: tuple[str, ...]
    withdrawn: tuple[Withdrawn, ...]
    annulled: int
    voids: dict[str, Voids]
    data: Standings | SoloStandings
    """As in ``arena.standings/2``."""
    panels: dict[str, Any]
    """By key, those with something to say: docs/ratings-page.md."""


class Document(msgspec.Struct, frozen=True):
    """The JSON form."""

    schema: str
    arena: str
    source: str | None
    """The run, or the file of results."""
    tables: tuple[Table, ...]
    warnings: tuple[str, ...]


def text(
    pages: Sequence[Page], *, width: int | None = None, emphasis: Emphasis = Emphasis.PLAIN
) -> str:
    """For a terminal of ``width`` columns (None: any width), with a final newline.

    Too wide tables lose columns as in ``tables.text``.
    """
    parts = []
    for page in pages:
        shown = [tables.text([page.section], width=width, emphasis=emphasis)]
        if len(pages) > 1:
            shown.insert(0, _heading(page.section.title, width))
        for panel in page.panels(Style(short, terminal=True)):
            shown.append(f"\n{_emphasised(panel.title, emphasis)}\n")
            if panel.columns:
                shown.append(f"\n{draw_text(panel.columns, width)}\n")
            shown += [f"{line}\n" for line in panel.remarks]
        parts.append("".join(shown))
    return "\n".join(parts)


def markdown(pages: Sequence[Page]) -> str:
    """GitHub tables with headings, each with a list of its remarks, with a final newline."""
    parts = []
    for page in pages:
        if len(pages) > 1:
            parts.append(f"## {clean.markdown(page.section.title)}\n")
        parts.append(tables.markdown([page.section]))
        for panel in page.panels(Style(clean.markdown, terminal=False)):
            parts.append(f"### {panel.title}\n")
            if panel.columns:
                parts.append(draw(panel.columns, "github") + "\n")
            if panel.remarks:
                parts.append("".join(f"- {line}\n" for line in panel.remarks))
    return "\n".join(parts)


def csv_text(pages: Sequence[Page]) -> str:
    """One line per entrant, pair or whatever a panel counts: full names, no rounding.

    ``table`` and ``panel`` say what a line belongs to; each leaves the columns of others empty.
    Readers should go by the names of columns: which there are depends on the panels.
    """
    rows = [row for page in pages for row in _rows(page)]
    columns = dict.fromkeys(column for row in rows for column in row)
    out = io.StringIO()
    writer = csv.DictWriter(
        out,
        list(columns),
        restval="",
        extrasaction="ignore",  # no row has others, and looking for them takes time
        quoting=csv.QUOTE_NONNUMERIC,
        lineterminator="\n",
    )
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def json_text(
    pages: Sequence[Page], *, source: str | None = None, warnings: Sequence[str] = ()
) -> str:
    """The ``Document`` as indented JSON with a final newline."""
    found = tuple(_json_table(page) for page in pages)
    document = Document(SCHEMA, arena.__version__, source, found, tuple(warnings))
    encoded = msgspec.json.format(msgspec.json.encode(document), indent=2)
    # Escaping goes character by character, and nearly all of them need none.
    escaped = _SPECIAL.sub(lambda found: clean.json_text(found[0].encode()), encoded.decode())
    return escaped + "\n"


_SPECIAL: Final = re.compile(r"[^\n -~]+")


def _heading(title: str, width: int | None) -> str:
    shown = clean.plain(title)
    if width is not None:
        shown = clean.cut(shown, width)
    return f"{shown}\n{'=' * wcswidth(shown)}\n\n"


def _emphasised(title: str, emphasis: Emphasis) -> str:
    underlined = f"{title}\n{'-' * wcswidth(title)}"
    return f"\x1b[1m{title}\x1b[0m" if emphasis is Emphasis.BOLD else underlined


def _json_table(page: Page) -> Table:
    section = page.section
    panels = page.panels(Style(str, terminal=False))
    return Table(
        kind="ratings" if isinstance(section.standings, Standings) else "solo",
        title=section.title,
        notices=section.notices,
        withdrawn=section.withdrawn,
        annulled=section.annulled,
        voids=dict(section.voids),
        data=section.standings,
        panels={panel.key: panel.data for panel in panels if panel.data is not None},
    )


def _rows(page: Page) -> Iterator[dict[str, Any]]:
    """In CSV: the table, the withdrawn, then each panel."""
    section = page.section
    kind = "ratings" if isinstance(section.standings, Standings) else "solo"
    panels = page.panels(Style(str, terminal=False))
    parts = [(kind, section.standings.rows), ("withdrawn", section.withdrawn)]
    parts += [(panel.key, panel.data) for panel in panels if panel.data is not None]
    title = clean.plain(section.title)
    for key, data in parts:
        for own, row in _flat(key, msgspec.to_builtins(data)):
            yield {"table": title, "panel": own, **row}


def _flat(key: str, data: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """(panel, row) for every list of objects in the data, and one for the values beside them."""
    if isinstance(data, dict):
        lists = {name: value for name, value in data.items() if _is_table(value)}
        values = {name: value for name, value in data.items() if name not in lists}
        if values:
            yield key, _cells(values)
        for name, value in lists.items():
            yield from _flat(f"{key}.{name}", value)
    else:
        for row in data:
            yield key, _cells(row)


@lru_cache(10_000)
def _plain(text: str) -> str:
    """Names come back in every pair."""
    return clean.plain(text)


def _is_table(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(row, dict) for row in value)


def _cells(row: dict[str, Any]) -> dict[str, Any]:
    """An object within a row becomes columns such as ``faults_crash``, a list JSON."""
    cells: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, dict):
            cells |= {f"{name}_{key}": own for key, own in _cells(value).items()}
        elif isinstance(value, list | tuple):
            cells[name] = clean.json_text(msgspec.json.encode(value))
        elif isinstance(value, bool):
            cells[name] = int(value)
        else:
            cells[name] = _plain(value) if isinstance(value, str) else value
    return cells
