"""Decide the ties of a knockout from stored games, and find the ties to play next.

A tie is played in rounds of ``deals`` deals each, until a rule decides it:

    points        a player is ahead, in points of games, of all who would be eliminated
    test          a sequential test of the two players has found the stronger, see ``MARGIN``
    sudden_death  after ``most`` deals, a player is ahead after an additional deal
    unbeaten      points are equal after all deals of sudden death, in the final of a double
                  knockout: the player who reached it without a loss wins
    deals         points are equal after the last deal: a player is ahead if each deal is counted
                  by itself, a win 1
    seed          these counts are equal too: the better seed advances
    forfeit       the others have left or were withdrawn

Ties that lack ordinary deals are played before those in sudden death. Everything is a function of
the set of finished deals; their order does not matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from arena.extensions.rounds.pairing.bracket import (
    FINAL,
    SECOND_FINAL,
    KnockoutProgress,
    begun,
    layout,
)
from arena.extensions.rounds.pairing.heats import (
    DecidedBy,
    Knockout,
    KnockoutState,
    Tie,
    TieDecision,
    seeds,
)
from arena.extensions.rounds.pairing.state import Now, Paired, all_deals
from arena.extensions.rounds.pairing.tables import shares
from arena.schedule.keys import Decide, Schedule
from arena.values.results import Decided

MARGIN: Final = 40.0
"""Difference in nElo from which the stronger player advances by the test with 95 % probability."""
_LOSERS: Final = "losers "
_FINALS: Final = (FINAL, SECOND_FINAL)
_LAST: Final = {1: "semi-final", 2: "quarter-final"}
"""Names of rounds, by the number of rounds after them."""


class Contest(NamedTuple):
    """A tie with its results so far."""

    name: str
    """Name for people, such as ``quarter-final 2``; unique in its stage."""
    tie: Tie
    by: str
    """Rule that decided it, see above; empty if it is open or had a single entrant."""
    deals: int
    """Number of finished deals."""
    points: tuple[Fraction, ...]
    """Points of games, a win 1, in the order of its entrants."""
    rounds: int
    """Number of rounds in which it was played so far."""


class Stand(NamedTuple):
    """State of a knockout, with the results of its ties."""

    plan: Knockout
    entrants: tuple[str, ...]
    """Players, best seeds first."""
    state: KnockoutState
    ties: dict[str, Contest]
    """Ties by id, as in the state."""
    next: tuple[Tie, ...]
    """Ties to play next."""
    deals: int | None
    """Deals of each of these ties; None for those of the schedule."""
    byes: tuple[str, ...]
    """Players who advance without a game."""
    decided: tuple[Decided, ...]
    """Ties decided since the end of the last round but one."""
    places: dict[str, int]
    """Places of the players who are out for good. At larger tables a loser may still replace a
    player who leaves, until the next round is drawn."""

    def name(self, tie: str) -> str:
        """Return the name of a tie for people."""
        return tie_name(tie, self.plan, len(self.entrants))


def knockout(schedule: Schedule, seats: int) -> Knockout:
    """Return the rules of a knockout."""
    return Knockout(
        seats=seats,
        lives=schedule.lives,
        advance=schedule.advance,
        seeding=schedule.seeding,
        seeded=schedule.seeded,
        third_place=schedule.third_place,
        second_final=schedule.second_final,
    )


def stand(now: Now, block: int) -> Stand:
    """Return the state of the knockout. At least one player was present when it began.

    ``block``: number of games of a deal.
    """
    return _Walk(now, block).stand()


class _Walk:
    """A pass through the finished rounds."""

    def __init__(self, now: Now, block: int) -> None:
        self._now = now
        schedule = now.discipline.schedule
        self._deals = now.games * schedule.deals
        self._most = now.games * schedule.most_deals
        self._bound = schedule.sudden_death or 0
        self._is_tested = schedule.decide is Decide.TEST
        self._block = block
        self._plan = knockout(schedule, now.discipline.rules.seats)
        self._course: KnockoutProgress = begun(now.began, self._plan, now.luck)
        self._played: dict[str, list[dict[str, int]]] = {}
        """Points in each deal, by tie."""
        self._rounds: Counter[str] = Counter()
        self._sudden: Counter[str] = Counter()
        """Rounds of sudden death, by tie."""
        self._by: dict[str, str] = {}
        self._gone: set[str] = set()
        self._told: set[str] = set()
        """Ties decided before the last round."""
        self._passed: set[str] = set()
        """Ties that nobody had to play when the latest ties were begun."""
        self._open: list[str] = []
        """Ties that must be continued after the last round."""

    def stand(self) -> Stand:
        before = self._now.before
        places: dict[str, int] = {}
        for number, each in enumerate(before):
            later = before[number + 1].there if number + 1 < len(before) else self._now.there
            self._told = {tie.id for tie in self._ties() if tie.by is not None}
            if not self._open:
                self._passed = set(self._told)
            began = self._now.began
            places = self._course.state.places
            self._take(each, [name for name in began if name not in later or name in each.gone])
        state = self._course.state
        ties = {tie.id: self._of(tie) for tie in self._ties()}
        again = tuple(tie for tie in state.open if tie.id in self._open)
        ordinary = tuple(tie for tie in again if not self._is_last(tie.id))
        is_sudden = bool(again) and not ordinary
        following = ordinary or again or tuple(_first_open(state))
        playing = {name for tie in following for name in tie.entrants}
        idle = () if again or not following else self._byes()
        return Stand(
            self._plan,
            tuple(self._seeds()),
            state,
            ties,
            following,
            1 if is_sudden else None,
            tuple(dict.fromkeys(n for n in idle if n not in playing | self._gone)),
            tuple(
                Decided(ties[tie.id].name, tie.order, ties[tie.id].by)
                for tie in self._ties()
                if tie.by is not None and len(tie.entrants) > 1 and tie.id not in self._told
            ),
            places if self._plan.seats > 2 and not state.is_over else state.places,
        )

    def _seeds(self) -> Sequence[str]:
        return seeds(self._now.began, self._plan, self._now.luck)

    def _ties(self) -> list[Tie]:
        return [tie for each in self._course.state.rounds for tie in each]

    def _take(self, each: Paired, gone: Sequence[str]) -> None:
        """Apply the round ``each``. ``gone``: players who are no longer present at its end."""
        at = {frozenset(tie.entrants): tie.id for tie in self._course.state.open}
        met: list[str] = []
        forfeits: list[str] = []
        for pairing, table in zip(each.pairings, each.round.tables, strict=True):
            tie = at.get(frozenset(table.names))
            if tie is None:  # it does not follow from results; verification reports that
                continue
            met.append(tie)
            self._rounds[tie] += 1
            self._sudden[tie] += self._is_last(tie)
            counted = each.counted.get(pairing, all_deals)
            deals = self._now.played.deals(each.label, pairing, self._block, counted)
            own = self._played.setdefault(tie, [])
            own += [dict(zip(table.names, points, strict=True)) for points in deals]
            if not table.is_played:
                forfeits += [n for n, own in zip(table.names, table.points, strict=True) if not own]
        if not each.is_over:
            return
        self._course.retire(gone)
        self._leave([name for name in forfeits if name in gone])
        for tie in met:
            self._decide(tie)
        self._leave(gone)
        played = [tie.id for tie in self._course.state.open if tie.id in self._rounds]
        for tie in played:  # at larger tables, a player may be missing now
            self._decide(tie)
        self._open = [tie.id for tie in self._course.state.open if tie.id in self._rounds]

    def _leave(self, names: Sequence[str]) -> None:
        if new := [name for name in names if name not in self._gone]:
            self._gone.update(new)
            self._course.leave(new)

    def _decide(self, name: str) -> None:
        tie = next((tie for tie in self._course.state.open if tie.id == name), None)
        if tie is None:
            return
        deals = self._played[name]
        points = self._points(tie)
        alone = [
            shares([deal[each] for each in tie.entrants]) if len(tie.entrants) > 1 else ()
            for deal in deals
        ]
        wins = [sum((each[place] for each in alone), Fraction()) for place in range(len(points))]
        tested = [Fraction()] * len(points)
        unbeaten = [Fraction(each == self._unbeaten(tie)) for each in tie.entrants]
        by = self._rule(tie, points, wins)
        if by == "test":
            tested[points.index(max(points))] = Fraction(1)
        if by:
            self._by[name] = by
            numbers = zip(tested, points, unbeaten, wins, strict=True)
            self._course.apply(TieDecision(name, dict(zip(tie.entrants, numbers, strict=True))))

    def _rule(self, tie: Tie, points: Sequence[Fraction], wins: Sequence[Fraction]) -> str:
        """Return the rule that decides a tie; empty if it stays open."""
        cut = 1 if tie.id == FINAL or self._plan.seats == 2 else self._plan.advance
        if len(tie.entrants) < self._plan.seats:
            return "forfeit"
        if len(self._played[tie.id]) < self._deals:
            return ""
        is_last, sudden = self._is_last(tie.id), self._sudden[tie.id]
        if self._is_tested and not sudden and self._is_told(tie):
            return "test"
        if (is_last or not self._is_tested) and _is_ahead([*zip(points, strict=True)], cut):
            return "sudden_death" if sudden else "points"
        if not is_last or sudden < self._bound:
            return ""
        if self._unbeaten(tie):
            return "unbeaten"
        both = [*zip(points, wins, strict=True)]
        return "deals" if _is_ahead(both, cut) else "seed"

    def _is_last(self, tie: str) -> bool:
        """Return whether no ordinary deals of a tie are left: ``most`` would be exceeded."""
        played = len(self._played.get(tie, ()))
        return played >= self._deals and played + self._deals > self._most

    def _unbeaten(self, tie: Tie) -> str:
        """Return the player who reached a final of a double knockout without a loss, or "".

        By the rules without sudden death, no player has that advantage.
        """
        if not self._bound or self._plan.lives == 1 or tie.id not in _FINALS:
            return ""
        before = [each for each in self._ties() if each.id not in _FINALS]
        beaten = {name for each in before for name in each.order[1:]}
        return next((name for name in tie.entrants if name not in beaten), "")

    def _is_told(self, tie: Tie) -> bool:
        """Return whether the sequential test of ``tie`` has decided for the leader by points."""
        from arena.extensions.matches.statistics.report import Verdict  # no worker needs them
        from arena.extensions.matches.statistics.sprt import between, verdict

        one, other = tie.entrants
        most = 2 * self._block
        values = Counter(
            float(Fraction(most + deal[one] - deal[other], 2 * most))
            for deal in self._played[tie.id]
        )
        found = verdict(values, self._block, between(-MARGIN, MARGIN))
        ahead = sum(deal[one] - deal[other] for deal in self._played[tie.id])
        return (found is Verdict.PASS and ahead > 0) or (found is Verdict.FAIL and ahead < 0)

    def _points(self, tie: Tie) -> tuple[Fraction, ...]:
        deals = self._played.get(tie.id, [])
        return tuple(Fraction(sum(deal[each] for deal in deals), 2) for each in tie.entrants)

    def _of(self, tie: Tie) -> Contest:
        by = self._by.get(tie.id, "")
        if not by and tie.by is not None and len(tie.entrants) > 1:
            by = "seed" if tie.by is DecidedBy.SEED else "forfeit"
        played = len(self._played.get(tie.id, ()))
        return Contest(
            tie_name(tie.id, self._plan, len(self._now.began)),
            tie,
            by,
            played,
            self._points(tie),
            self._rounds[tie.id],
        )

    def _byes(self) -> tuple[str, ...]:
        state = self._course.state
        if self._plan.seats > 2:
            playing = {name for tie in state.rounds[-1] for name in tie.entrants}
            out = self._gone | state.places.keys() | playing
            return () if state.is_over else tuple(n for n in self._seeds() if n not in out)
        return tuple(
            tie.entrants[0]
            for tie in self._ties()
            if len(tie.entrants) == 1 and tie.id not in self._passed and tie.order
        )


def tie_name(tie: str, plan: Knockout, entrants: int) -> str:
    """Return the name of a tie for people; ``entrants``: number of seeds of the bracket."""
    number, _, place = tie.partition(".")
    if not place or plan.lives == 2:
        return tie
    if plan.seats == 2:
        later = len(layout(entrants, plan)) - int(number)
        if later in _LAST:
            return f"{_LAST[later]} {place}"
    return f"heat {tie}"


def _first_open(state: KnockoutState) -> Iterator[Tie]:
    """Yield the open ties of the first round that has any; likewise for the losers' bracket."""
    found: set[str] = set()
    for ties in state.rounds:
        group = ties[0].id.partition(" ")[0] if ties[0].id.startswith(_LOSERS) else ""
        own = [tie for tie in ties if tie.by is None]
        if own and group not in found:
            found.add(group)
            yield from own


def _is_ahead(values: Sequence[tuple[Fraction, ...]], cut: int) -> bool:
    """Return whether the best ``cut`` values exceed all others."""
    order = sorted(values, reverse=True)
    return order[cut - 1] > order[cut]
