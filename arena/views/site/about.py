"""The page of the terms of a competition and of how to read the site."""

from __future__ import annotations

from typing import Final

from arena.schedule.keys import Schedule, Seatings
from arena.schedule.kinds.registry import kind_of
from arena.text.numbers import count
from arena.text.tables import PageBlock
from arena.views.page.facts import config_facts
from arena.views.page.model import LabelledFact, Page
from arena.views.page.run import config_block
from arena.views.site.html import ABOUT
from arena.views.site.model import Site
from arena.views.standings.headline import PROVISIONAL

_SEATINGS: Final = {Seatings.ROTATE: "all rotations of seats", Seatings.ALL: "all orders of seats"}


def _plan(schedule: Schedule) -> str:
    """Describe the schedule in words, without names of bots."""
    firsts = [each.first for each in schedule.stages] or [None]
    return "; then ".join(map(_part, schedule.parts, firsts))


def _part(part: Schedule, first: int | None) -> str:
    kind = kind_of(part)
    words = [kind.title]
    if first is not None:
        words[0] += f" of the best {first}"
    if part.rounds is not None:
        words.append(count(part.rounds, "round"))
    if part.max_pairings is not None:
        words.append(f"at most {count(part.max_pairings, 'pairing')}")
    words.append(f"{count(part.deals, 'deal')} in {_SEATINGS[part.seatings]}")
    return ", ".join([*words, *kind.details(part)])


def about_page(site: Site) -> Page:
    """Return the page of terms and explanations."""
    manifest = site.manifest
    groups = config_facts(manifest, is_public=True)
    shown = [
        (title, [fact for fact in facts if fact.label not in ("bots", "schedule")])
        for title, facts in groups
    ]
    for (_, facts), discipline in zip(shown[1:], manifest.disciplines, strict=True):
        facts.append(LabelledFact("schedule", _plan(discipline.schedule)))
    config = config_block(shown)
    own = LabelledFact("commitment", manifest.commitment, manifest.commitment)
    return Page(
        name=ABOUT,
        title="Rules",
        blocks=[
            *([] if config is None else [config._replace(title="What is played")]),
            PageBlock(
                key="methods",
                title="How to read it",
                remarks=[
                    "Elo is a joint fit of all games that count, whatever their order: 100 Elo "
                    "mean 64 % of the points. ± is half of a 95 % interval.",
                    "A rating is provisional as long as its interval reaches further than "
                    f"±{PROVISIONAL:g}.",
                    "A bot with other contents is another version, with a rating of its own. "
                    "The table has the newest version of each bot; older ones are on its page.",
                    "A fault loses the game. A game that failed through no bot's fault is played "
                    "again.",
                    "Games are shown as spectators saw them, when all games with the same deal are "
                    "played.",
                    "The commitment fixes the seed, the rules and the field before the first game.",
                ],
            ),
        ],
        facts=[own],
    )
