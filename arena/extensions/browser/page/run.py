"""Blocks on a run as a whole: the verdict of a match, faults, times, voids, config, methods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import urlencode

from arena.extensions.browser.page.counting.games import BotSums
from arena.extensions.browser.page.drawing import Curve, Curves, LevelLine, log_over
from arena.extensions.browser.page.model import (
    FaultLine,
    LabelledFact,
    MatchPage,
    Times,
    facts_table,
)
from arena.extensions.matches.show import words
from arena.extensions.matches.statistics.report import DisciplineReport, MatchReport
from arena.ratings.counting.usage import MachineNumbers
from arena.runs.voids import Void
from arena.values.numbers import NOTHING, PlotScale, count, over, short_duration, signed
from arena.values.results import FaultKind
from arena.values.titles import called
from arena.views.cells import Axis, Bar, Bins, Duration, Label, Share, Text
from arena.views.standings.measured import machine_panel
from arena.views.tables import Column, PageBlock, PageTable, Quote

_STDERR: Final = 2000
"""Characters kept of the end of a bot's standard error."""
_LETTERS: Final = " A letter is a game: W won, D drawn, L lost."


def match_blocks(match: MatchPage) -> Iterator[PageBlock]:
    """Yield the verdict first, then each discipline."""
    report = match.report
    yield _verdict(report)
    yield from _ratio(match)
    for game in report.games:
        yield _game(game, len(report.games) > 1)


def _verdict(report: MatchReport) -> PageBlock:
    sides = (report.candidate, report.baseline)
    facts = [
        LabelledFact("test", words.settings_words(report.test)),
        LabelledFact("played", words.counted(report)),
        *(LabelledFact("faults", words.faults(side, str)) for side in sides),
        *(LabelledFact("bot", said) for side in sides if (said := words.origin(side, str))),
    ]
    return PageBlock(
        key="verdict",
        title=f"Verdict: {report.verdict.value}",
        tables=[facts_table("The verdict", facts)],
        remarks=list(words.remarks(report)),
    )


def _ratio(match: MatchPage) -> Iterator[PageBlock]:
    lower, upper = match.report.bounds
    points = [(float(blocks), llr) for blocks, llr in match.pace]
    drawn: list[Curves] = []
    if len(points) > 1:
        across = PlotScale(0.0, max(2.0, points[-1][0]))
        up = over([lower, upper, *(llr for _, llr in points)])
        levels = [LevelLine(upper, f"H1 at {upper:.2f}"), LevelLine(lower, f"H0 at {lower:.2f}")]
        line = Curve("log-likelihood ratio", [(0.0, 0.0), *points], 0)
        name = f"log-likelihood ratio over {match.report.blocks} blocks"
        drawn = [Curves(across, up, [line], name, "blocks", levels)]
    yield PageBlock(
        key="llr",
        title="Log-likelihood ratio",
        intro=(
            f"After each block of games; it ended at {match.report.llr:.2f}. Above {upper:.2f} the "
            f"test accepts H1 (pass), below {lower:.2f} H0 (fail)."
        ),
        figures=drawn,
    )


def _game(game: DisciplineReport, has_share: bool) -> PageBlock:
    facts = [LabelledFact(*fact) for fact in words.facts(game)]
    if has_share:
        facts.append(LabelledFact("LLR", f"{signed(game.llr, 2)} of the whole"))
    rows = words.bins(game)
    most = max((row.blocks for row in rows), default=1) or 1
    bars = [Bar(row.blocks / most, f"{row.label}: {row.blocks} blocks") for row in rows]
    columns = [
        Column("worth", "left", [row.label for row in rows]),
        Column("how often", "left", bars, kind="wide"),
        Column("blocks", "right", [row.blocks for row in rows]),
        Column("share", "right", [Share(row.share, 1, unit=" %") for row in rows]),
    ]
    table = PageTable("Blocks by what they were worth to the candidate", columns, "strips")
    return PageBlock(
        key="games-of-match",
        title=words.title(game),
        intro=(
            "What a block was worth to the candidate: how often which result came out."
            + (_LETTERS if any(row.label.isupper() for row in rows) else "")
        ),
        tables=[*([table] if rows else []), facts_table("Figures", facts)],
    )


def fault_block(bots: Mapping[str, BotSums]) -> PageBlock:
    """Return the block of faults of all ``bots``: counts by bot and kind."""
    kinds = [kind for kind in FaultKind if any(own.faults[kind] for own in bots.values())]
    if not kinds:
        return PageBlock("faults", "Faults", intro="No bot was at fault in any game.")
    clean_bots = sum(not own.faults.total() for own in bots.values())
    return PageBlock(
        key="faults",
        title="Faults",
        intro=(
            "A fault is a bot's own: it loses the game, or is placed last. Counted in all stored "
            "games. What happened is in the section of the bot."
        ),
        tables=[_fault_table(bots, kinds)],
        remarks=[f"without a fault: {count(clean_bots, 'bot')}"] if clean_bots else [],
    )


def _fault_table(bots: Mapping[str, BotSums], kinds: Sequence[FaultKind]) -> PageTable:
    faulty = {name: own for name, own in bots.items() if own.faults.total()}
    rows = [*faulty.values()]
    counts = [(kind.value, [own.faults[kind] for own in rows]) for kind in kinds]
    shares = [own.faults.total() / own.games for own in rows]
    columns = [
        Column("bot", "left", [*map(Label, faulty)]),
        *(
            Column(kind, "right", [Text(str(each or NOTHING), each) for each in own])
            for kind, own in counts
        ),
        Column("all", "right", [own.faults.total() for own in rows]),
        Column("games", "right", [own.games for own in rows]),
        Column("share", "right", [Share(share, 1, unit=" %") for share in shares]),
    ]
    return PageTable("Faults by bot and kind", columns)


def quotes_of(lines: Sequence[FaultLine]) -> Iterator[tuple[str, Quote]]:
    """Yield one quote for each bot and kind, in the order given, after the name of the bot."""
    found: dict[tuple[str, FaultKind], list[FaultLine]] = {}
    for line in lines:
        found.setdefault((line.name, line.fault.kind), []).append(line)
    for (name, kind), own in found.items():
        yield (
            name,
            Quote(
                label=f"{called(name)}: {kind.value}",
                lead=[(_where(line), _link(line)) for line in own],
                texts=[text for line in own for text in _texts(line)],
            ),
        )


def _where(line: FaultLine) -> str:
    return f"{line.game_id}, ply {line.fault.ply}: {line.fault.detail}"


def _link(line: FaultLine) -> str:
    """Return the link to the position at the ply of a fault, in which it happened."""
    if not line.is_linked:
        return ""
    return "#" + urlencode({"game": line.game_id, "ply": line.fault.ply})


def _texts(line: FaultLine) -> Iterator[tuple[str, str]]:
    game, evidence = line.game_id, line.evidence
    if evidence.line:
        yield f"{game}: it wrote", evidence.line
    if stderr := evidence.stderr.strip()[-_STDERR:]:
        yield f"{game}: end of its standard error", stderr


def time_block(
    times: Sequence[Times], games: int, stored: int, limit: float | None
) -> PageBlock | None:
    """Return the block of times per move; None without any.

    ``games``: number of games that the times are from, of all ``stored`` ones. ``limit``: time
    limit of one answer, in microseconds; None without one.
    """
    if not times:
        return None
    ends = [float(end) for own in times for end in (own.bins[0][0], own.bins[-1][1])]
    scale = log_over([*ends, *([limit] if limit else [])])
    shown = "all games" if games == stored else f"{games} of {count(stored, 'game')}"
    words = f"; the line at the right is the limit of {short_duration(limit)}" if limit else ""
    columns = [
        Column("bot", "left", [Label(own.name) for own in times]),
        Column(
            Axis(scale, most=5, are_times=True),
            "left",
            [
                Bins(scale, own.bins, f"{called(own.name)}: {own.words()}", own.p50, limit)
                for own in times
            ],
        ),
        Column("moves", "right", [Text(f"{own.moves:,}", own.moves) for own in times]),
        *(
            Column(each, "right", [Duration(getattr(own, each)) for own in times])
            for each in ("p50", "p90", "p99", "longest")
        ),
    ]
    if limit:
        shares = [Share(own.longest / limit, 1, unit=" %") for own in times]
        columns.append(Column("of the limit", "right", shares, note="the longest move"))
    return PageBlock(
        key="times",
        title="Time per move",
        intro=(
            f"How long bots were waited for, from the records of {shown}, on a logarithmic "
            f"axis{words}. p90 is the time within which 90 % of the moves were made."
        ),
        tables=[PageTable("Time per move", columns, "strips tall")],
    )


def void_block(voids: Sequence[Void], total: int) -> PageBlock | None:
    """Return the block of voids, which lists ``voids`` of ``total``; None without any."""
    if not total:
        return None
    columns = [
        Column("game", "left", [Label(each.game) for each in voids]),
        Column("through", "left", [each.cause.value for each in voids]),
        Column("reason", "left", [each.reason for each in voids]),
    ]
    left = total - len(voids)
    return PageBlock(
        key="voids",
        title="Voids",
        intro=(
            "A void is a failure of arena, the rules or the machine, not of a bot: "
            "it counts for nobody, and the game is played again. "
            f"It happened {count(total, 'time')}."
        ),
        tables=[PageTable("Voids", columns)] if voids else [],
        remarks=[f"{left} more are in voids.jsonl"] if left and voids else [],
    )


def machine_block(machines: Sequence[MachineNumbers]) -> PageBlock | None:
    """Return the block of a run that several machines played; None for other runs."""
    if not machines:
        return None
    intro = "Which machine played how many games, how fast, and where bots ran out of time."
    return machine_panel(machines)._replace(intro=intro)


def config_block(groups: Sequence[tuple[str, Sequence[LabelledFact]]]) -> PageBlock | None:
    """Return the block of settings and provenance; None where these are not shown."""
    if not groups:
        return None
    return PageBlock(
        key="config",
        title="Config and provenance",
        intro="What was fixed when the run began: the same config and seed give the same games.",
        tables=[facts_table(title, facts) for title, facts in groups],
    )


def method_block(commands: Sequence[str]) -> PageBlock:
    """Return the block on how numbers are computed; ``commands``: how readers can check them."""
    return PageBlock(
        key="methods",
        title="Methods, and how to verify",
        remarks=[
            "A block is one deal with one set of bots in all seatings. Errors are those of blocks, "
            "because games on one deal are not independent; intervals are 95 %.",
            "Elo is a joint fit of all games with a weak prior, seats apart. A perfect score has a "
            "one-sided limit in place of an interval.",
            "A fault loses the game and counts like any other loss; a void counts for nobody and "
            "is played again.",
            "Games shown here were made from their records with the rules applied again; the page "
            "holds no rules.",
            "Nothing here was measured when the page was made: the same run gives the same page.",
        ],
        quotes=[Quote("Commands", [], [("in a shell", "\n".join(commands))])] if commands else [],
    )
