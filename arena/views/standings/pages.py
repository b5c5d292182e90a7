"""Full pages of tallies, for ``arena standings --full`` and ``arena ratings``."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from arena.cli.terminal.console import has_color
from arena.documents.bad_input import BadInput
from arena.documents.problems import quote

if TYPE_CHECKING:
    from arena.ratings.counting.solo import SoloTally
    from arena.ratings.counting.tally import Tally
    from arena.ratings.elo.rating import Ratings
    from arena.text.panel import Panel
    from arena.views.standings.full import Page
    from arena.views.standings.full_words import Style
    from arena.views.standings.tables import Section

FORMS = ("txt", "md", "csv", "json")


def check_form(form: str) -> None:
    """Raises BadInput for what is not one of FORMS."""
    if form not in FORMS:
        raise BadInput(f"--format: found {quote(form)}, expected {', '.join(FORMS)}")


def rated_page(section: Section, ratings: Ratings, clean: Tally | None) -> Page:
    """The page of a section whose standings are those of ``ratings``.

    ``clean``: the same games without the blocks with faults; None if that is all or none of them.
    """
    from arena.ratings.elo.fit import fit
    from arena.ratings.elo.standings import Standings
    from arena.ratings.full.numbers import full
    from arena.views.standings.full import Page
    from arena.views.standings.full_lists import list_panels
    from arena.views.standings.full_pairs import pair_panels

    standings = section.standings
    if not isinstance(standings, Standings):
        raise TypeError("a rated page needs the standings of ratings")
    other = None
    if clean is not None:
        anchor = ratings.anchor if ratings.anchor in clean.entrants else None
        other = fit(clean, anchor=anchor, anchor_elo=ratings.anchor_elo)
    numbers = full(standings, ratings, other)

    def panels(style: Style) -> list[Panel]:
        return [*pair_panels(numbers, style), *list_panels(numbers, style)]

    return Page(section, panels)


def solo_page(section: Section, tally: SoloTally) -> Page:
    """The page of a solo section."""
    from arena.ratings.elo.solo_standings import SoloStandings
    from arena.ratings.full.solo_pairs import solo_pairs
    from arena.views.standings.full import Page
    from arena.views.standings.full_solo import solo_panels

    standings = section.standings
    if not isinstance(standings, SoloStandings):
        raise TypeError("a solo page needs solo standings")
    found = solo_pairs(tally, tuple(row.name for row in standings.rows))
    return Page(section, lambda style: solo_panels(standings, found, style))


def render_pages(
    pages: Sequence[Page],
    form: str,
    *,
    source: str,
    warnings: Iterable[str] = (),
    for_terminal: bool = False,
) -> str:
    """The pages in one of FORMS; ``for_terminal`` fits the text to the terminal's width."""
    from arena.views.standings import full
    from arena.views.standings.tables import Emphasis

    match form:
        case "txt":
            bold = for_terminal and has_color(sys.stdout)
            width = shutil.get_terminal_size().columns if for_terminal else None
            emphasis = Emphasis.BOLD if bold else Emphasis.PLAIN
            return full.text(pages, width=width, emphasis=emphasis)
        case "md":
            return full.markdown(pages)
        case "csv":
            return full.csv_text(pages)
        case _:
            return full.json_text(pages, source=source, warnings=tuple(warnings))
