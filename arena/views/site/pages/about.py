"""What is played by which terms, and how the site says it."""

from __future__ import annotations

from arena.text import clean
from arena.views.page.blocks.block import Block
from arena.views.page.blocks.run import config_block
from arena.views.page.facts import config_facts
from arena.views.page.model import Fact
from arena.views.site.addresses import ABOUT
from arena.views.site.html import Page
from arena.views.site.model import PROVISIONAL, Site


def about_page(site: Site) -> Page:
    """Terms, and how to read the numbers."""
    manifest = site.manifest
    groups = config_facts(manifest, is_public=True)
    shown = [
        (title, [fact for fact in facts if fact.label not in ("bots", "schedule")])
        for title, facts in groups
    ]
    config = config_block(shown)
    own = Fact("commitment", clean.plain(manifest.commitment), clean.plain(manifest.commitment))
    return Page(
        name=ABOUT,
        title="Rules",
        blocks=[
            *([] if config is None else [config._replace(title="What is played")]),
            Block(
                key="methods",
                title="How to read it",
                remarks=[
                    "Elo is a joint fit of all games that count, whatever their order: 100 Elo "
                    "mean 64 % of the points. ± is half of a 95 % interval.",
                    "A rating is provisional as long as its interval reaches further than "
                    f"±{PROVISIONAL:g}.",
                    "A bot with other contents is another version, rated anew. The table has the "
                    "newest version of each bot; older ones are on its page.",
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
