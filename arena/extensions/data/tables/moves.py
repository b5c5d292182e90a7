"""The rows of plies and decisions, from records that are applied to the rules again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import compress
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from arena.games.base import CHANCE, NOBODY, Action, InvalidActionError, Json, Rules
from arena.referee.records.format import Record, data_digest
from arena.referee.records.read import NO_INFO, RecordError, SealedPly, SealedRecord
from arena.referee.records.replay import check_rules

Columns = list[list[Any]]
"""Values of a table by column."""
AsText: TypeAlias = Callable[[bytes], str | bytes]
"""Conversion of observations and lists of actions, which are JSON in UTF-8, for the columns."""

_LARGEST: Final = 1 << 63
_LONGEST_KNOWN: Final = 200
"""Largest size in bytes of an action that is kept for later games."""
_MOST_KNOWN: Final = 20_000
_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder().decode

Texts = list[str | bytes]


class KnownAction(NamedTuple):
    """An action as it is written and as the rules know it."""

    text: str
    kind: str | None
    action: Action


class GameMoves(NamedTuple):
    """Columns of one game."""

    plies: Columns
    decisions: Columns | None
    bad_numbers: Sequence[int]
    """Plies with a remark whose ``eval`` or ``nodes`` is no number."""


class MoveReader:
    """Converts records of games of the same rules into columns."""

    def __init__(self, rules: Rules[Any, Action], as_text: AsText = bytes.decode) -> None:
        """``as_text``: see ``AsText``."""
        self._rules, self._as_text = rules, as_text
        self._known: dict[bytes, KnownAction] = {}
        spec = rules.spec
        self._played = spec.name, spec.options, spec.seats, data_digest(spec)

    def columns(
        self, run: str, game_id: str, record: SealedRecord, *, with_decisions: bool
    ) -> GameMoves:
        """Return the columns of a game.

        ``run``, ``game_id``: values of the first two columns. Raises RecordError if the record does
        not fit the rules.
        """
        header, plies, end, measured, _ = record
        names = header.spec.entrants
        if self._played != (header.rules, header.options, len(names), header.data_digest):
            check_rules(Record(header, (), end, measured), self._rules)
        known, numbers, counts, seen, legal = self._applied(plies, with_decisions=with_decisions)
        seats = [ply.seat for ply in plies]
        kinds = ["chance" if seat is None else "decision" for seat in seats]
        if end.faults:  # without a fault there is no autopilot
            for at, ply in enumerate(plies):
                if ply.autopilot:
                    kinds[at] = "autopilot"
        bots = dict(enumerate(names)) | {None: None}
        infos, evals, nodes, bad = _remarks(plies)
        count = len(plies)
        columns: Columns = [
            [run] * count,
            [game_id] * count,
            list(range(count)),
            seats,
            [bots[seat] for seat in seats],
            kinds,
            [each.text for each in known],
            [each.kind for each in known],
            numbers,
            counts,
            _times(kinds, measured.think_us),
            evals,
            nodes,
            infos,
        ]
        decisions = None
        if with_decisions:
            of_seats = [seat is not None for seat in seats]
            acted = [seat for seat in seats if seat is not None]
            decisions = [list(compress(column, of_seats)) for column in columns]
            scores = end.scores
            decisions += [
                seen,
                legal,
                [end.places[seat] for seat in acted],
                [None if scores is None else scores[seat] for seat in acted],
            ]
        return GameMoves([*columns, [None] * count], decisions, bad)

    def _applied(
        self, plies: Sequence[SealedPly], *, with_decisions: bool
    ) -> tuple[list[KnownAction], list[int | None], list[int | None], Texts, Texts]:
        """Apply the plies; return actions, their places, numbers of legal ones, what was seen.

        The last two lists have the observations and the legal actions of the plies of seats.
        """
        rules, cache = self._rules, self._known
        to_act, legal_actions, apply = rules.to_act, rules.legal_actions, rules.apply
        known: list[KnownAction] = []
        numbers: list[int | None] = []
        counts: list[int | None] = []
        seen, listed, as_text = Texts(), Texts(), self._as_text
        state = rules.initial_state()
        for ply in plies:
            data = bytes(ply.action)
            each = cache.get(data)
            if each is None:
                each = self._learn(ply, data)
            seat = to_act(state)
            if seat >= 0 and seat == ply.seat:
                legal = legal_actions(state)
                try:
                    numbers.append(legal.index(each.action))
                except ValueError:
                    told = f"seat {seat} could not do that: {each.text}"
                    raise RecordError(ply.ply + 2, told) from None
                counts.append(len(legal))
                if with_decisions:
                    seen.append(as_text(_encode(rules.observe(state, seat))))
                    listed.append(as_text(_encode(legal)))
            elif seat == CHANCE and ply.seat is None:
                numbers.append(None)
                counts.append(None)
            else:
                raise RecordError(ply.ply + 2, _out_of_turn(ply, seat))
            known.append(each)
            state = apply(state, each.action)
        return known, numbers, counts, seen, listed

    def _learn(self, ply: SealedPly, data: bytes) -> KnownAction:
        """Return a new action and keep it if it is short."""
        plain: Json = _decode(data)
        try:
            action = self._rules.decode_action(plain)
        except InvalidActionError as error:
            raise RecordError(ply.ply + 2, f"no action of these rules: {error}") from None
        kind = plain.get("type") if isinstance(plain, dict) else None
        found = KnownAction(data.decode(), kind if isinstance(kind, str) else None, action)
        if len(data) <= _LONGEST_KNOWN and len(self._known) < _MOST_KNOWN:
            self._known[data] = found
        return found


def _times(kinds: Sequence[str], think_us: Sequence[int]) -> list[int | None]:
    """Return the times of decisions; None for other plies."""
    times: list[int | None] = [*think_us]
    for at, kind in enumerate(kinds):
        if kind != "decision":
            times[at] = None
    return times


def _out_of_turn(ply: SealedPly, seat: int) -> str:
    if seat == NOBODY:
        return "a ply after the end of the game"
    return f"seat is {ply.seat}, expected {'chance' if seat == CHANCE else f'seat {seat}'}"


def _remarks(
    plies: Sequence[SealedPly],
) -> tuple[list[str | None], list[float | None], list[int | None], list[int]]:
    """Return the remarks, their numbers ``eval`` and ``nodes``, and the plies of other values."""
    infos: list[str | None] = [None] * len(plies)
    evals: list[float | None] = [None] * len(plies)
    nodes: list[int | None] = [None] * len(plies)
    bad: list[int] = []
    for at, ply in enumerate(plies):
        if ply.info is NO_INFO:
            continue
        data = bytes(ply.info)
        infos[at] = data.decode()
        info = _decode(data) if data[:1] == b"{" else None
        if info:
            value, number = info.get("eval"), info.get("nodes")
            if _is_number(value):
                with suppress(OverflowError):
                    evals[at] = float(value)
            if _is_number(number) and number == int(number) and abs(number) < _LARGEST:
                nodes[at] = int(number)
            is_odd = (value is not None and evals[at] is None) or (
                number is not None and nodes[at] is None
            )
            if is_odd:
                bad.append(ply.ply)
    return infos, evals, nodes, bad


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
