"""The kind ``groups``: a round robin in each group, all groups in parallel, round by round."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice

import msgspec

from arena.extensions.rounds.kinds.knockout import KnockoutKind
from arena.extensions.rounds.kinds.rounds import Rounds, circle_round, circle_rounds
from arena.extensions.rounds.kinds.swiss import table_of
from arena.extensions.rounds.pairing.bracket import Slot, without_byes
from arena.extensions.rounds.pairing.groups import crossed, drawn, group_count, letter
from arena.extensions.rounds.pairing.heats import Knockout
from arena.extensions.rounds.pairing.scoring import LEAGUE, Scoring, scoring_of
from arena.extensions.rounds.pairing.state import Now, RoundPairing, stage_luck
from arena.extensions.rounds.pairing.tables import FinishedRound, TableResult
from arena.extensions.rounds.pairing.tiebreaks import Standing
from arena.extensions.rounds.pairing.ties import knockout, tie_name
from arena.games.luck import Luck
from arena.schedule.keys import Discipline, GroupDraw, Schedule, Seeding
from arena.schedule.kinds.kind import KINDS, Flaw, GrowingKind
from arena.schedule.seeds import Seeds
from arena.values import numbers
from arena.values.titles import called


class GroupsKind(GrowingKind, Rounds):
    """Kind ``groups``: every two of a group meet once, and the first of each group advance."""

    name = "groups"
    keys = frozenset({"of", "advance", "draw"})
    required = (("of", "N"),)
    view = "groups"
    stage_seats = 2

    def flaws(self, plan: Schedule, names: Collection[str], seats: int) -> Iterator[Flaw]:
        """Yield a flaw for groups that no stage follows."""
        if plan.advance > 1:
            found = f"found {plan.advance} in the last stage"
            yield Flaw(("advance",), found, hint="nobody advances from the last stage")
        yield from self.flaws_before(msgspec.structs.replace(plan, advance=1), names, seats)

    def flaws_before(self, plan: Schedule, names: Collection[str], seats: int) -> Iterator[Flaw]:
        """Yield a flaw for groups that another stage follows.

        They cannot be filled, or nobody could be eliminated in them.
        """
        yield from super().flaws(plan, names, seats)
        if seats != 2:
            yield Flaw(("kind",), f"found groups at {seats} seats", "2 seats")
        elif plan.of is None:
            return
        elif plan.advance >= plan.of:
            found = f"found {plan.advance} of a group of {plan.of}"
            yield Flaw(("advance",), found, f"at most {plan.of - 1}", needs=("of",))
        elif names and len(names) <= plan.of:
            found = f"found groups of {plan.of}, and {numbers.count(len(names), 'bot')}"
            yield Flaw(("of",), found, f"at most {len(names) - 1}: two groups", is_size=True)
        elif names and len(names) // (groups := group_count(len(names), plan.of)) < max(
            plan.advance + 1, 2
        ):
            found = f"found groups of {plan.of}, and {numbers.count(len(names), 'bot')}"
            expected = f"{max(plan.advance + 1, 2)} bots or more in each of {groups} groups"
            yield Flaw(("of",), found, expected, is_size=True)

    def details(self, plan: Schedule) -> Iterator[str]:
        """Yield phrases on the size of the groups and their draw."""
        yield f"groups of {plan.of}"
        yield "drawn from pots" if plan.draw is GroupDraw.SEEDED else "dealt back and forth by seed"

    def preview(self, discipline: Discipline, seeds: Seeds | None) -> Iterator[str]:
        """Yield the groups."""
        luck = None if seeds is None else stage_luck(seeds, discipline, 0)
        yield from preview(discipline.schedule, [*map(called, discipline.entrants)], luck)

    def rules(self, discipline: Discipline) -> str:
        """Return the name of the rules of groups: draw, rounds, tables and cross seeding."""
        return "groups-1"

    def draws(self, plan: Schedule) -> bool:
        """Return whether the groups are drawn."""
        return plan.draw is GroupDraw.SEEDED

    def planned_rounds(self, plan: Schedule, players: int) -> int:
        """Return the number of rounds of the largest group."""
        groups = group_count(players, plan.of or players)
        return circle_rounds(-(-players // groups))

    def passing(self, plan: Schedule, players: int) -> int:
        """Return how many of ``players`` advance to a next stage."""
        return min(players, plan.advance * group_count(players, plan.of or players))

    def pair(self, now: Now) -> RoundPairing | None:
        """Return the next round of all groups; None if all of each group have met."""
        paired = [
            (table, f"group {letter(group)}")
            for group, members in enumerate(groups_of(now))
            if (own := circle_round(members, now)) is not None
            for table in own.tables
        ]
        if not paired:
            return None
        tables, names = zip(*paired, strict=True)
        return RoundPairing(tables, ties=names)

    def places(self, now: Now) -> list[str]:
        """Return all players: the winners of the groups, then all second ones, and so on."""
        ranked = [(place, each.name) for own in tables(now) for place, each in enumerate(own)]
        return [name for _, name in sorted(ranked, key=lambda each: each[0])]

    def advancing(self, now: Now, seeding: Seeding) -> list[str]:
        """Return the first of each group who are present, crossed as seeds of the next stage."""
        most = now.discipline.schedule.advance
        there = [[each.name for each in own if each.name in now.there] for own in tables(now)]
        return crossed([own[:most] for own in there], seeding)


def groups_of(now: Now) -> list[tuple[str, ...]]:
    """Return the players of each group, best seeds first."""
    plan = now.discipline.schedule
    return drawn(now.began, plan.of or len(now.began), plan.draw, now.luck)


def tables(now: Now) -> list[list[Standing]]:
    """Return the table of each group after the rounds that have ended.

    A player who is not there forfeits its matches that were not paired. A player without an
    opponent in a round, as in a group of three, has no points for it.
    """
    scoring = group_scoring(now.discipline)
    groups = groups_of(now)
    matches = [match for each in now.before if each.is_over for match in each.round.tables]
    met = {frozenset(match.names) for each in now.before for match in each.round.tables}
    matches += (match for own in groups for match in _forfeited(own, now.there, met))
    names = [name for own in groups for name in own]
    rounds = [FinishedRound(tuple(matches))]
    order = iter(table_of(names, rounds, scoring, now.luck, has_rounds=False, parts=groups))
    return [[*islice(order, len(own))] for own in groups]


def group_scoring(discipline: Discipline) -> Scoring:
    """Return the points and tie-breaks of group tables: those of a league."""
    return scoring_of(discipline, LEAGUE)


def preview(plan: Schedule, names: Sequence[str], luck: Luck | None) -> Iterator[str]:
    """Yield a line on each group of ``names``, or on the pots if no ``luck`` is drawn."""
    of = plan.of or len(names)
    count = group_count(len(names), of)
    if luck is None and plan.draw is GroupDraw.SEEDED:
        for pot in range(-(-len(names) // count)):
            yield f"pot {pot + 1}: {', '.join(names[pot * count : (pot + 1) * count])}"
        yield f"each of {numbers.count(count, 'group')} gets one of each pot when the seed is drawn"
    else:
        for group, members in enumerate(drawn(names, of, plan.draw, luck or Luck(b""))):
            yield f"group {letter(group)}: {', '.join(members)}"


def labels(plan: Schedule, players: int, seeding: Seeding) -> list[str]:
    """Return the seeds of the next stage as places in groups of ``players``, such as A1."""
    groups = range(group_count(players, plan.of or players))
    ranks = range(1, plan.advance + 1)
    return crossed([[f"{letter(each)}{rank}" for rank in ranks] for each in groups], seeding)


def entries(seeds: Sequence[str], plan: Schedule) -> Iterator[tuple[str, list[str]]]:
    """Yield each match in which ``seeds`` enter the next stage, with its two sides.

    Each enters its kind alone if no bracket is known yet. ``plan``: of the next stage.
    """
    if plan.kind != KnockoutKind.name or plan.seeded is not None or len(seeds) < 2:
        yield from ((KINDS[plan.kind].title, [name]) for name in seeds)
        return
    rules = knockout(plan, 2)
    for tie, slots in without_byes(len(seeds), rules).items():
        if any(isinstance(slot, int) for slot in slots):
            yield tie_name(tie, rules, len(seeds)), [_side(slot, seeds, rules) for slot in slots]


def _side(slot: Slot, seeds: Sequence[str], rules: Knockout) -> str:
    if isinstance(slot, int):
        return seeds[slot - 1]
    return f"{'loser' if slot.loser else 'winner'} of {tie_name(slot.tie, rules, len(seeds))}"


def _forfeited(
    group: Sequence[str], there: Mapping[str, str], met: Collection[frozenset[str]]
) -> Iterator[TableResult]:
    """Yield the matches of players of ``group`` who are there against others who are not."""
    for name in group:
        for other in group:
            if name in there and other not in there and frozenset((name, other)) not in met:
                points = Fraction(1), Fraction(0)
                yield TableResult((name, other), points, (0, 0), is_played=False)
