"""Pages of runs that nobody played, for tests of what is drawn and written."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from arena.extensions.browser.page import model
from arena.extensions.browser.page.counting.deals import DisciplineCounter
from arena.extensions.browser.page.counting.games import BotSums
from arena.extensions.browser.page.files import slugs
from arena.extensions.browser.page.run import (
    config_block,
    fault_block,
    method_block,
    quotes_of,
    time_block,
    void_block,
)
from arena.games.base import TableFacts
from arena.ratings.counting.tally import Tally
from arena.ratings.elo.standings import standings
from arena.runs.store import RECORDS, RecordLocation, Stored
from arena.runs.voids import Void
from arena.values.results import (
    Evidence,
    GameResult,
    VoidCause,
)
from arena.views.game.rows import row_of
from arena.views.standings.standings import SectionData
from arena.views.standings.tables import Section
from arena.views.tables import PageBlock
from tests.ratings.fits import fit
from tests.ratings.fits import result as result


def counter(names: Sequence[str], out: frozenset[str] = frozenset()) -> DisciplineCounter:
    return DisciplineCounter(
        names, TableFacts(title="heart", score="points", worst_score=0), 2, out
    )


def place(number: int, names: Sequence[str]) -> tuple[int, int]:
    """Block and deal of a game of a round robin."""
    pairings = len(names) * (len(names) - 1) // 2
    return number // 2, number // 2 // pairings


def round_robin(names: Sequence[str], deals: int = 4, spread: int = 3) -> list[GameResult]:
    """Everybody against everybody, the earlier one usually stronger."""
    found = []
    for deal in range(deals):
        for k, one in enumerate(names):
            for j, other in enumerate(names[k + 1 :], k + 1):
                luck = (7 * deal + 3 * k + 5 * j) % 11 - 5
                found.append(result((one, other), (20 + spread * (j - k) + luck, 20), deal, 0))
                found.append(result((other, one), (20, 20 + spread * (j - k) - luck), deal, 1))
    return found


def part_of(
    names: Sequence[str], games: Sequence[GameResult], anchor: str | None = None
) -> model.PageSection:
    """The section of these games, all of one discipline."""
    tally = Tally(names)
    gather = counter(names)
    for number, game in enumerate(games):
        tally.add(game)
        gather.add(*place(number, names), game)
    ratings = fit(tally, anchor=anchor)
    section = Section("heart-2", standings(tally, ratings))
    return model.PageSection(SectionData(section, tally, ratings), gather.numbers())


def page_of(
    names: Sequence[str],
    games: Sequence[GameResult],
    *,
    anchor: str | None = None,
    said: str = "",
    folder: str = "",
) -> model.RunPage:
    """A page of these games; ``said``: what a bot wrote and what a machine failed with."""
    counts = {name: BotSums() for name in names}
    lines = []
    for game in games:
        for name in game.spec.entrants:
            counts[name].games += 1
        for fault in game.faults:
            name = game.spec.entrants[fault.seat]
            counts[name].faults[fault.kind] += 1
            told = msgspec.structs.replace(fault, ply=3, detail=said or "it")
            evidence = Evidence(fault.seat, line=said, stderr=said)
            lines.append(model.FaultLine(name, game.spec.game_id, told, evidence, True))
    stored = [Stored(game, RecordLocation(RECORDS, 0, 0), 0) for game in games]
    rows = [row_of(k, each, less_is_better=False) for k, each in enumerate(stored, 1)]
    quotes = [*quotes_of(lines[:5])]
    links = {name: f"#bot-{slug}" for name, slug in slugs(names).items()}
    times = [*filter(None, (model.times_of(name, range(1, 2000, 7)) for name in names))]
    voids = [Void("heart-2/x:0:0", VoidCause.MACHINE, said, ())] if said else []
    blocks = [
        fault_block(counts),
        time_block(times, len(games), len(games), 1e6),
        void_block(voids, len(voids)),
        config_block([("Tournament", [model.LabelledFact("clock", said or "1 s")])]),
        method_block(["arena verify RUN"]),
    ]
    return model.RunPage(
        name="cup",
        rules=["dragonheart"],
        head=[model.LabelledFact("games", str(len(games)))],
        is_over=True,
        notices=[],
        parts=[part_of(names, games, anchor)],
        match=None,
        blocks=[*filter(None, blocks)],
        bots=[
            model.Page(
                links[name],
                name,
                [
                    PageBlock(
                        "faults", "Faults", quotes=[each for own, each in quotes if own == name]
                    )
                ],
            )
            for name in names
        ],
        links=links,
        listing=model.Listing(rows, [0] * len(rows), len(games), 0, folder, False),
    )
