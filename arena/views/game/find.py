"""Find stored games by id, number or ranges of numbers, and replay their records."""

from __future__ import annotations

import difflib
import shlex
from bisect import bisect_left
from typing import Any, Final, NamedTuple

import msgspec

from arena.games.base import Action, Rules
from arena.referee.records.format import Record
from arena.referee.records.perspective import game_views
from arena.referee.records.replay import checked_steps
from arena.runs.config.keys import Names
from arena.runs.growth.rulings import told
from arena.runs.reader import StoredGame, StoredRun
from arena.runs.store import Stored
from arena.values.bad_input import BadInput
from arena.values.problems import quote
from arena.values.results import Seat
from arena.views.game.replay import Replay, View, view_of

_LONGEST_ID: Final = 2000
"""Most characters of an id; a longer text is no id and is not converted into a number."""
_COMPARED_IDS: Final = 2000
"""Most games of a run whose ids are compared with a mistyped id."""


class FoundGame(NamedTuple):
    """A stored game and its place among the stored games in the order of the schedule."""

    stored: Stored
    number: int
    games: int


def handed_out(run: StoredRun, replay: Replay, whose: Seat | None) -> View:
    """Return the redacted view of ``whose``.

    Where the tournament hides names from bots, the view of one seat or of a spectator contains no
    names, and no ids with names in them.
    """
    if whose is not None and run.manifest.identity.names is Names.HIDDEN:
        replay = nameless(replay, "game")._replace(number=1, games=1)
    return view_of(replay, whose)


def nameless(replay: Replay, alias: str) -> Replay:
    """Return the same game with seats instead of names and ``alias`` instead of ids."""
    header = replay.record.header
    seats = tuple(f"seat {seat}" for seat in range(len(header.spec.entrants)))
    spec = msgspec.structs.replace(
        header.spec, game_id=alias, block=alias, deal=alias, entrants=seats
    )
    header = msgspec.structs.replace(header, spec=spec)
    game = replay.record.header.spec.game_id
    notices = tuple(each for each in replay.notices if game not in each)
    record = replay.record._replace(header=header)
    return replay._replace(record=record, notices=notices)


def find(run: StoredRun, game: str, where: str = "GAME") -> FoundGame:
    """Return the game with the id or number ``game``. Raises BadInput, StoreError."""
    wanted: StoredGame | None = None
    numbers: list[int] = []
    for each in run.stored():
        numbers.append(each.number)
        if each.result.spec.game_id == game:
            wanted = each
    numbers.sort()
    if wanted is None and is_number(game) and 0 < int(game) <= len(numbers):
        number = numbers[int(game) - 1]
        wanted = next((each for each in run.stored() if each.number == number), None)
    if wanted is None:
        raise BadInput(_missing(run, game, len(numbers), where))
    return FoundGame(wanted.stored, bisect_left(numbers, wanted.number) + 1, len(numbers))


def _missing(run: StoredRun, game: str, stored: int, where: str) -> str:
    """Return one line on why there is no such game. ``where``: the argument that names it."""
    found = f'{where}: found "{game}"'
    if not stored:
        return f"{found}, but no game of {run.folder} is stored yet"
    lists = f"arena games {shlex.quote(str(run.folder))} lists them"
    return f"{found}, {_expected(run, game, stored)}; {lists}"


def _expected(run: StoredRun, game: str, stored: int) -> str:
    """Return what is expected instead of ``game``; ``stored``: number of stored games, not 0."""
    schedule = run.schedule
    have = f"{stored} of {schedule.games} games are stored"
    if is_number(game):
        if stored < int(game) <= schedule.games:
            return f"a number that no game has yet: {have}"
        return f"expected 1 to {stored}"
    if len(game) <= _LONGEST_ID and schedule.number(game) is not None:
        return f"which is planned but not played yet: {have}"
    form = f"expected a number from 1 to {stored} or the id of a game"
    if stored > _COMPARED_IDS:
        return f"{form}, such as {next(schedule.blocks()).games[0].game_id}"
    ids = sorted(each.result.spec.game_id for each in run.games())
    near = difflib.get_close_matches(game[:_LONGEST_ID], ids, n=1)
    hint = f"did you mean {near[0]}?" if near else f"such as {ids[0]}"
    return f"{form} ({hint})"


def load(run: StoredRun, found: FoundGame) -> Replay:
    """Read the record and replay it. Raises StoreError for a damaged record."""
    name = found.stored.result.spec.discipline
    rules, record = run.rules(name), run.record(found.stored)
    with run.record_errors(found.stored):
        replay = replayed(record, rules)
    notice, made = run.manifest.games[name].data, run.manifest.field.made
    game = found.stored.result.spec.game_id
    own = {number for number, each in made if each.game == game}
    ruled = (words for number, words in told(made) if number in own)
    return replay._replace(
        run=run.manifest.title,
        title=run.titles[name],
        number=found.number,
        games=found.games,
        notices=(*filter(None, (notice,)), *ruled),
        machine=found.stored.machine,
    )


def replayed(record: Record, rules: Rules[Any, Action]) -> Replay:
    """Return the record with what each seat saw, as the only game of a run without a name.

    Raises RecordError if the rules do not allow all of its actions.
    """
    seen, info = game_views(checked_steps(record, rules), rules), rules.info
    return Replay("", 1, 1, record, seen, info.title, score=info.score)


def ply_range(text: str | None, plies: int) -> range:
    """Return the plies that ``A-B``, ``A``, ``A-`` or ``-B`` means, both ends included.

    An end behind the last ply becomes the last ply. Raises BadInput for anything else.
    """
    low, high = read_range("--plies", text)
    begin, end = low or 0, plies - 1 if high is None else high
    if text is not None and begin >= plies:
        has = f"plies 0-{plies - 1}" if plies else "no plies"
        raise BadInput(f"--plies: found {quote(text)}, but the game has {has}")
    return range(begin, min(end, plies - 1) + 1)


_LONGEST_NUMBER: Final = 18


class NumberRange(NamedTuple):
    """A range of numbers, both ends included; None: no bound."""

    low: int | None = None
    high: int | None = None

    def has(self, number: int | None) -> bool:
        """Return whether ``number`` lies in the range; None lies in a range without bounds."""
        if number is None:
            return self == NumberRange()
        return (self.low is None or number >= self.low) and (
            self.high is None or number <= self.high
        )


def is_number(text: str) -> bool:
    """Return whether ``text`` is a whole number, not negative and not too long to be meant."""
    return text.isascii() and text.isdecimal() and len(text) <= _LONGEST_NUMBER


def read_range(option: str, text: str | None) -> NumberRange:
    """Return the range that ``A-B``, ``A``, ``A-`` or ``-B`` means; no bounds for None.

    Raises BadInput for anything else. ``option``: the option that ``text`` was given to.
    """
    if text is None:
        return NumberRange()
    first, dash, last = text.partition("-")
    if not (first or last) or not all(part == "" or is_number(part) for part in (first, last)):
        raise BadInput(f"{option}: found {quote(text)}, expected 5, 5-20, 5- or -20")
    low = int(first) if first else None
    high = int(last) if last else None if dash else low
    if low is not None and high is not None and low > high:
        raise BadInput(
            f"{option}: found {quote(text)}, which is backwards: expected {last}-{first}"
        )
    return NumberRange(low, high)
