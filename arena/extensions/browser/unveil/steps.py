"""A table that is known, the final one, and the bots in the order in which they are unveiled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from arena.runs.growth.past import as_of
from arena.runs.reader import StoredRun
from arena.runs.withdrawals import WithdrawalState
from arena.values import titles
from arena.values.bad_input import NothingToDo
from arena.values.numbers import trimmed
from arena.values.results import player_of
from arena.views.standings.headline import heading
from arena.views.standings.run_view import PairedMeeting, PairedRound, Ranked, view_of
from arena.views.standings.standings import read, sections_of
from arena.views.standings.tables import Section

_OPTION: Final = "--until"


class Unveiled(msgspec.Struct, frozen=True):
    """A bot: what is known of it before, and what is unveiled."""

    name: str
    known: int
    """Row of the table that is known, from 0."""
    known_place: int | None
    """Place in that table; None if it has none there."""
    known_value: str
    """Points, rating or mean there, in words; empty if unknown."""
    place: int | None
    """Final place; None if it has none."""
    value: str
    """Final points, rating or mean, in words; in a knockout its last tie."""
    results: tuple[str, ...]
    """Results in the rounds that are unveiled, a sentence each."""
    note: str
    """Reason why it has no place; empty if it has one."""

    @property
    def rise(self) -> int:
        """Number of places that it gained; negative if it lost some, 0 if one is unknown."""
        return self.known_place - self.place if self.known_place and self.place else 0


class Unveiling(msgspec.Struct, frozen=True):
    """All that is unveiled."""

    title: str
    """Title of the run."""
    known: str
    """Content of the table that is known before, in words."""
    bots: tuple[Unveiled, ...]
    """Bots in the final order."""
    end: str
    """Sentence on the winner or leader."""


def unveiling(run: StoredRun, until: int | None) -> Unveiling:
    """Compare the table as of round ``until`` with the present one.

    ``until``: None if nothing but the names is known. Raises BadInput, StoreError; NothingToDo if
    no game is stored, or nothing came after that round.
    """
    final, rounds, verdict = _read(run)
    ranked = view_of(run.manifest.kind).ranking(final)
    reasons = {player_of(each.name): each.reason for each in verdict.withdrawn.values()}
    if until is None:
        before: list[Ranked] = []
        known = "the bots by name"
    else:
        frozen = as_of(run, until, _OPTION)
        if frozen is run:
            raise NothingToDo(f"{run.folder}: nothing came after round {until} yet")
        section, _, _ = _read(frozen)
        before = [*view_of(run.manifest.kind).ranking(section)]
        known = f"the table after round {until}"
    if not ranked or not final.games.counting:
        raise NothingToDo(f"{run.folder}: no game of this run counts yet")
    later = rounds[until or 0 :]
    bots = tuple(_bots(ranked, before, reasons, [*_results(later, until or 0)]))
    head = heading(final.headline, run.manifest.title, is_over=run.manifest.is_over)
    end = " ".join(filter(None, (f"{head.title}.", head.mark and f"({head.mark})", head.evidence)))
    return Unveiling(run.manifest.title, known, bots, end)


def _read(run: StoredRun) -> tuple[Section, Sequence[PairedRound], WithdrawalState]:
    counted, verdict, voids = read(run)
    section = [*sections_of(run, counted, verdict, voids)][-1].section
    return section, view_of(run.manifest.kind).rounds(run, counted.played, verdict), verdict


def _bots(
    ranked: Sequence[Ranked],
    before: Sequence[Ranked],
    reasons: Mapping[str, str],
    results: Sequence[tuple[str, str]],
) -> Iterator[Unveiled]:
    """Yield the bots in the final order, the withdrawn ones last."""
    then = {player_of(each.name): each for each in before}
    own = {player_of(each.name): each for each in ranked}
    names = dict.fromkeys((*own, *reasons))
    shown = dict.fromkeys((*then, *sorted(names, key=str.casefold)))
    rows = {name: row for row, name in enumerate(name for name in shown if name in names)}
    for name in names:
        was = then.get(name, Ranked(name, None, ""))
        now = own.get(name, Ranked(name, None, ""))
        told = tuple(text for player, text in results if player == name)
        reason = reasons.get(name, "") if name not in own else ""
        note = f"withdrawn: {reason}" if reason else ""
        yield Unveiled(now.name, rows[name], was.place, was.value, now.place, now.value, told, note)


def _results(rounds: Sequence[PairedRound], over: int) -> Iterator[tuple[str, str]]:
    """Yield each player with a sentence on each of its meetings, in order."""
    for number, each in enumerate(rounds, over + 1):
        for met in each.meetings:
            title = met.title or each.title
            called = f"round {number} ({title})" if title else f"round {number}"
            for k, name in enumerate(met.bots):
                yield player_of(name), f"{called}: {_result(met, k)}"


def _result(met: PairedMeeting, seat: int) -> str:
    if len(met.bots) == 1:
        return met.note
    others = [name for k, name in enumerate(met.bots) if k != seat]
    points = [met.games[seat], *(games for k, games in enumerate(met.games) if k != seat)]
    result = f"{' : '.join(map(trimmed, points))} against {', '.join(map(titles.called, others))}"
    return result if met.is_played else f"{result} ({met.note})"
