"""Counts of results that keep only what ratings and tables need, independent of their order.

Everything kept is an integer, so nothing read from here depends on the order in which results were
added, not even in the last bit.

In solo games every entrant plays the same deals alone; they are counted apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from arena.ratings.counting.counts import DisciplineCounts, EntrantRecord, Names
from arena.ratings.counting.scored import ScoreTally, SoloTally
from arena.values.results import FaultKind, GameResult, Termination


class Tally:
    """Sufficient statistics of any number of games, separate for each discipline.

    Every discipline has one table size. Solo games go to the ``SoloTally`` of their discipline.
    """

    def __init__(
        self,
        entrants: Iterable[str] = (),
        solo: Mapping[str, SoloTally] | None = None,
        scored: Mapping[str, ScoreTally] | None = None,
    ) -> None:
        """Create an empty tally that lists ``entrants`` even if they never play.

        ``solo``: the disciplines with one seat by name, with the meaning of their scores.
        ``scored``: those of several seats that are rated by scores.
        """
        self._scored = dict(scored or {})
        self._listed = frozenset(entrants)
        self._counts: dict[str, DisciplineCounts] = {}
        self._solo = dict(solo or {})

    @property
    def entrants(self) -> tuple[str, ...]:
        """Names of all entrants that were listed or have played, sorted."""
        parts = [counts.entrants for counts in self._counts.values()]
        apart: list[SoloTally | ScoreTally] = [*self._solo.values(), *self._scored.values()]
        return tuple(sorted(self._listed.union(*parts, *(each.entrants for each in apart))))

    @property
    def disciplines(self) -> tuple[str, ...]:
        """Names of the disciplines with games, sorted."""
        played = [name for name, solo in self._solo.items() if solo.deals]
        played += [name for name, scored in self._scored.items() if scored.has_games]
        return tuple(sorted([*self._counts, *played]))

    @property
    def counts(self) -> dict[str, DisciplineCounts]:
        """Counts of the games with at least two seats by discipline, in the order of names."""
        return dict(sorted(self._counts.items()))

    @property
    def solo(self) -> dict[str, SoloTally]:
        """Solo games, and games rated by scores, by discipline, in the order of names."""
        scored = {name: tally.as_solo() for name, tally in self._scored.items()}
        return dict(sorted({**self._solo, **scored}.items()))

    def only(self, discipline: str, entrants: Iterable[str] = ()) -> Tally:
        """Return a tally of one discipline, for reading only: nothing is copied.

        ``entrants`` are listed even if they never play. A discipline without games gives an empty
        tally.
        """
        one = Tally(entrants)
        if discipline in self._counts:
            one._counts = {discipline: self._counts[discipline]}
        if discipline in self._solo:
            one._solo = {discipline: self._solo[discipline]}
        if discipline in self._scored:
            one._scored = {discipline: self._scored[discipline]}
        return one

    def record(self, name: str) -> EntrantRecord:
        """Return the results of an entrant, without solo games and games between two entrants."""
        total = EntrantRecord()
        for counts in self._counts.values():
            if name in counts.records:
                total.add(counts.records[name])
        return total

    def faults(self, name: str) -> dict[FaultKind, int]:
        """Return the number of faults by kind, in the order of ``FaultKind``, without zeros."""
        total: Counter[FaultKind] = Counter()
        for counts in self._counts.values():
            total.update(counts.faults.get(name, {}))
        for solo in self._solo.values():
            total.update(solo.faults(name))
        for scored in self._scored.values():
            total.update(scored.faults(name))
        return {kind: total[kind] for kind in FaultKind if total[kind]}

    def add_solo(self, discipline: str, solo: SoloTally) -> None:
        """Declare a discipline as solo, with its games counted in ``solo``."""
        self._solo[discipline] = solo

    def add_blocks(self, discipline: str, pair: tuple[str, str], cells: Sequence[int]) -> None:
        """Count whole blocks of a two-seat discipline, as ``PairCounts.add_blocks`` does."""
        self._counts.setdefault(discipline, DisciplineCounts(2)).pairs.add_blocks(pair, cells)

    def add_fault(self, discipline: str, name: str, kind: FaultKind) -> None:
        """Count a fault in a two-seat game that ``add_blocks`` counts."""
        self._counts.setdefault(discipline, DisciplineCounts(2)).add_fault(name, kind)

    def add(self, result: GameResult) -> None:
        """Count one game. Void games are ignored; each game may be added only once.

        Raises ValueError if the discipline has another table size, if a two-seat block holds one
        seating twice or other entrants, or as ``SoloTally.add`` does.
        """
        if result.termination is Termination.VOID:
            return
        spec = result.spec
        discipline, seats = spec.discipline, len(spec.entrants)
        counts = self._counts.get(discipline)
        if counts is None:
            if discipline in self._scored:
                self._scored[discipline].add(result)
                return
            if discipline in self._solo:
                self._solo[discipline].add(result)
                return
            if seats == 1:
                raise ValueError(f"discipline {discipline!r} is not known to be solo")
            counts = self._counts[discipline] = DisciplineCounts(seats)
        if counts.seats != seats:
            expected = f"expected {counts.seats} entrants, found {spec.entrants!r}"
            raise ValueError(f"discipline {discipline!r}: {expected}")
        counts.add(result)

    def absorb(
        self, other: Tally, names: Names, disciplines: Mapping[str, str], scope: str
    ) -> None:
        """Count the games of another tally, to which no game may be added afterwards.

        ``names`` maps its entrants to names here; two entrants that met need two names.
        ``disciplines`` maps its disciplines to names here, where these differ. ``scope`` is a
        prefix that keeps its blocks and deals apart from all others. Raises ValueError if a
        discipline has another table size here.
        """
        self._listed |= {names(name) for name in other._listed}
        for name, counts in other._counts.items():
            here = disciplines.get(name, name)
            own = self._counts.get(here)
            if own is None and here not in self._solo:
                own = self._counts[here] = DisciplineCounts(counts.seats)
            if own is None or own.seats != counts.seats:
                expected = 1 if own is None else own.seats
                raise ValueError(f"{counts.seats} seats in discipline {here!r}, not {expected}")
            own.absorb(counts, names, scope)
        for name, solo in other._solo.items():
            here = disciplines.get(name, name)
            if here in self._counts:
                seats = self._counts[here].seats
                raise ValueError(f"1 seat in discipline {here!r}, not {seats}")
            if here not in self._solo:
                self._solo[here] = SoloTally(
                    score=solo.score,
                    less_is_better=solo.less_is_better,
                    worst_score=solo.worst_score,
                )
            self._solo[here].absorb(solo, names, scope)
        for name, scored in other._scored.items():
            here = disciplines.get(name, name)
            if here in self._counts or here in self._solo:
                raise ValueError(f"discipline {here!r} is rated by scores, not by places")
            self._scored.setdefault(here, scored.empty()).absorb(scored, names, scope)
