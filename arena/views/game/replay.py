"""One game for people, and what a view of it may show.

This module knows records and plain JSON, but no rules: the caller replays the record and passes
what each seat saw. The view of a seat lists only what that seat was given, so nothing else can be
in the text, JSON or screen made from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, overload

import msgspec

from arena.games.board import BoardDisplay, Json, Observations, TableInfo, anyone, merged
from arena.games.guarded_board import board_of
from arena.referee.records.format import End, Header, Record
from arena.referee.records.perspective import SPECTATOR, GameViews
from arena.values import clean
from arena.values.numbers import score_line
from arena.values.results import Evidence, Fault, FaultKind, Seat
from arena.values.titles import called

_MOST_IN_MS: Final = 10_000_000
NAME_COLUMNS: Final = 24
"""Most terminal columns of a name; longer names are cut."""
MACHINE_COLUMNS: Final = 100
"""Most terminal columns of the name of a machine; longer names are cut."""


class Replay(NamedTuple):
    """A record that was replayed, with everything that every seat saw."""

    run: str
    number: int
    """Number of the game, from 1, in the order of the schedule among the stored games."""
    games: int
    """Number of stored games of the run."""
    record: Record
    seen: GameViews
    title: str
    """Title of the game, for people."""
    notices: tuple[str, ...] = ()
    score: str = "points"
    """Plural noun for what the scores count."""
    machine: str = ""
    """Name of the machine that played the game; empty for the machine that holds the run."""


class ShownPly(NamedTuple):
    """One ply in a view."""

    ply: int
    seat: Seat | None
    """Seat that decided; None for chance, or if the view shows nothing of the ply."""
    action: Json
    """Action of the ply; None unless the view shows all or its own seat decided."""
    events: Mapping[Seat, Json]
    """Events that the seats of the view saw, by seat; empty if they saw nothing."""
    before: Observations
    after: Observations
    think_us: int | None
    """Think time in microseconds, shown where ``action`` is; 0 for chance in the view of all."""
    info: Json
    autopilot: bool | None
    """True if the autopilot played for a seat at fault; None where ``action`` is not shown."""
    legal: Sequence[Json]
    """Legal actions in the order of the protocol; empty where ``action`` is not shown."""

    @property
    def thought_us(self) -> int | None:
        """Think time of the bot in microseconds; None if no bot decided or the view hides it."""
        return None if self.seat is None or self.autopilot else self.think_us

    @property
    def event(self) -> Json:
        """The events of all seats merged: every field that any of them saw."""
        return merged(self.events, self.seat)


class Plies(Sequence[ShownPly]):
    """The plies of a view, made on access: few readers of a game need all of them."""

    def __init__(self, replay: Replay, seat: Seat | None, start: Observations) -> None:
        """Take the plies of ``replay`` that ``seat`` sees.

        ``start``: observations of the seats of the view before the first ply.
        """
        self.record, self.seen = replay.record, replay.seen
        self.scores: Sequence[tuple[int, ...] | None] = ()
        """Scores by position, once they were asked for."""
        self._seat = seat
        self._start = start

    def __len__(self) -> int:
        return len(self.record.plies)

    @overload
    def __getitem__(self, at: int) -> ShownPly: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[ShownPly]: ...
    def __getitem__(self, at: int | slice) -> ShownPly | Sequence[ShownPly]:
        numbers = range(len(self))[at]
        if isinstance(numbers, range):
            return [self._shown(number) for number in numbers]
        return self._shown(numbers)

    def is_owned(self, number: int) -> bool:
        """Return whether the view shows the decision of ply ``number``."""
        return self._seat is None or self.record.plies[number].seat == self._seat

    def events(self, number: int) -> dict[Seat, Json]:
        """Return the events of ply ``number`` that the seats of the view saw, by seat."""
        given = self.seen.events[number]
        return {seat: event for seat in self._start if (event := given[seat]) is not None}

    def observations(self, position: int) -> dict[Seat, Json]:
        """Return the observations of the seats of the view after ``position`` plies."""
        return {seat: self.seen.observers[seat][position] for seat in self._start}

    def first_decision(self) -> int:
        """Return the first ply whose seat the view shows, or else the number of plies."""
        return next((ply for ply in range(len(self)) if self._seat_of(ply) is not None), len(self))

    def _seat_of(self, number: int) -> Seat | None:
        """Return the seat that decided ply ``number``, or None if the view shows none."""
        is_seen = self.is_owned(number) or bool(self.events(number))
        return self.record.plies[number].seat if is_seen else None

    def _shown(self, number: int) -> ShownPly:
        """Return ply ``number``; its decision only in the view of all or of the deciding seat."""
        ply = self.record.plies[number]
        owned, legal = self.is_owned(number), self.seen.legal[number]
        return ShownPly(
            ply=ply.ply,
            seat=self._seat_of(number),
            action=(legal[self.seen.chosen[number]] if legal else ply.action) if owned else None,
            events=self.events(number),
            before=self.observations(number),
            after=self.observations(number + 1),
            think_us=self.record.measured.think_us[number] if owned else None,
            info=ply.info if owned else None,
            autopilot=ply.autopilot if owned else None,
            legal=legal if owned else (),
        )


class ShownFault(NamedTuple):
    """A fault in a view."""

    seat: Seat
    kind: FaultKind
    ply: int
    detail: str | None
    """Description of the fault; None, like ``evidence``, in the view of another seat."""
    evidence: Evidence | None


class View(NamedTuple):
    """The part of a game that is shown: all of it, or what one seat or a spectator was given.

    Everything of the replay may be shown, except what the other fields have for this view.
    """

    seat: Seat | None
    """Seat whose view this is; None for all seats; may be SPECTATOR."""
    replay: Replay
    start: Observations
    plies: Plies
    """Every ply of the record, by number, including those of which nothing is shown."""
    faults: tuple[ShownFault, ...]
    table: TableInfo
    """Names of the players and options, for the board."""

    @property
    def header(self) -> Header:
        """Header of the record."""
        return self.replay.record.header

    @property
    def end(self) -> End:
        """How the game ended."""
        return self.replay.record.end

    @property
    def bot_seeds(self) -> dict[Seat, int]:
        """Seeds of the bots on the seats of the view."""
        return {s: self.header.bot_seeds[s] for s in self.start if s != SPECTATOR}

    @property
    def machine(self) -> str:
        """Name of the machine, cut and safe to show; empty if it has none or the view hides it."""
        name = self.replay.machine if self.seat is None else ""
        return clean.cut(name, MACHINE_COLUMNS)

    @property
    def board(self) -> BoardDisplay:
        """The board that draws this game."""
        return board_of(self.header.rules, len(self.table.names))

    def observations(self, position: int) -> Observations:
        """Return the observations after ``position`` plies, from 0 to the number of plies."""
        return self.plies.observations(position)

    def scores_at(self, position: int) -> tuple[int, ...] | None:
        """Return the scores by seat after ``position`` plies, or None if the game hides them."""
        return self.board.scores(anyone(self.observations(position)))

    def all_scores(self) -> Sequence[tuple[int, ...] | None]:
        """Return ``scores_at`` of every position, computed once."""
        if not self.plies.scores:
            observer, scores = self.plies.seen.observers[next(iter(self.start))], self.board.scores
            self.plies.scores = observer.each(scores)
        return self.plies.scores

    @property
    def ranking(self) -> list[Seat]:
        """The seats by place; seats that share a place by number."""
        places = self.end.places
        return sorted(range(len(places)), key=lambda seat: (places[seat], seat))


def view_of(replay: Replay, seat: Seat | None) -> View:
    """Return the view of ``seat``, which may be SPECTATOR, or of everything for None."""
    record = replay.record
    header, evidence = record.header, record.measured.evidence
    seats = range(len(header.spec.entrants)) if seat is None else (seat,)
    start = {s: replay.seen.observers[s][0] for s in seats}
    return View(
        seat=seat,
        replay=replay,
        start=start,
        plies=Plies(replay, seat, start),
        faults=tuple(_fault(fault, evidence, seats) for fault in record.end.faults),
        table=TableInfo(tuple(map(_short, header.spec.entrants)), header.options),
    )


@lru_cache(maxsize=1024)
def _short(name: str) -> str:
    return clean.cut(called(name), NAME_COLUMNS)


def _fault(fault: Fault, evidence: Sequence[Evidence], seats: Sequence[Seat]) -> ShownFault:
    if fault.seat not in seats:
        return ShownFault(fault.seat, fault.kind, fault.ply, None, None)
    found = next((item for item in evidence if item.seat == fault.seat), None)
    return ShownFault(fault.seat, fault.kind, fault.ply, fault.detail, found)


def is_shown(ply: ShownPly) -> bool:
    """Return whether the view shows anything of ``ply``."""
    return bool(ply.events) or ply.action is not None


def sentence(view: View, ply: ShownPly) -> str:
    """Return ``ply`` in words, with the changes of the scores."""
    if not is_shown(ply):
        return nothing_seen(view)
    event = ply.event if ply.events else None
    words = action_words(view.board, view.table, event, ply.action, ply.autopilot)
    before, after = view.scores_at(ply.ply), view.scores_at(ply.ply + 1)
    return words + gains_words(view.table.names, before, after)


def action_words(
    board: BoardDisplay, table: TableInfo, event: Json, action: Json, autopilot: bool | None
) -> str:
    """Describe ``event`` in words; if it is None, no event was seen: describe ``action``.

    ``autopilot``: true if the autopilot chose the action, which is then marked.
    """
    words = plain_json(action) if event is None else board.sentence(event, table)
    return f"autopilot: {words}" if autopilot else words


def gains_words(
    names: Sequence[str], before: Sequence[int] | None, after: Sequence[int] | None
) -> str:
    """Return the change of the scores as a suffix for the words of a ply; empty without one."""
    if before is None or after is None or before == after:
        return ""
    return f"  [{change_words(names, before, after)}]"


def nothing_seen(view: View) -> str:
    """Return the words for a ply of which the view shows nothing."""
    is_seat = view.seat not in (None, SPECTATOR)
    who = view.table.names[view.seat or 0] if is_seat else "a spectator"
    return f"nothing that {who} could see"


def change_words(names: Sequence[str], before: Sequence[int], after: Sequence[int]) -> str:
    """Return the change of the scores in words, such as ``bot +3: 12–7``."""
    pairs = zip(names, before, after, strict=True)
    gains = [f"{name} {new - old:+d}" for name, old, new in pairs if new != old]
    return f"{', '.join(gains)}: {score_line(after)}"


def plain_json(value: Json) -> str:
    """Return ``value`` as compact JSON on one line, safe to show."""
    return clean.plain(msgspec.json.encode(value).decode())


def duration(microseconds: int) -> str:
    """Return a time in milliseconds, or from 10 s on as ``51.7 s`` or ``3 min 43 s``."""
    if microseconds < _MOST_IN_MS:
        return f"{microseconds / 1000:.1f} ms"
    seconds = microseconds / 1_000_000
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def view_name(view: View) -> str:
    """Name the view in words: all seats, one seat or a spectator."""
    if view.seat is None:
        return "all cards"
    if view.seat == SPECTATOR:
        return "what everybody saw"
    return f"what seat {view.seat} ({view.table.names[view.seat]}) saw"


def key_of(seat: Seat | None) -> str:
    """Return the key of a view or observer in documents: ``all``, ``spectator`` or a seat."""
    if seat is None:
        return "all"
    return "spectator" if seat == SPECTATOR else str(seat)
