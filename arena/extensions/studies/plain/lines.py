"""Format of a line of plain results, and the errors in wrong lines."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from functools import lru_cache
from json.decoder import JSONDecodeError
from typing import Any, Final, Literal, NamedTuple, NoReturn

import msgspec
import numpy as np

from arena.values.results import DISCIPLINE_JOINT, FaultKind, GameResult, GameSpec, Termination
from arena.values.results import Fault as ResultFault

MAX_SEATS: Final = 16
MAX_SCORE: Final = 10**9
"""Greatest absolute value of a score, as in arena's own rules."""
LONGEST_NAME: Final = 200
"""Greatest length of a name, in characters."""
SHOWN: Final = 60
"""Number of characters of a wrong value that a message quotes."""
EXAMPLE: Final = '{"deal": "d17", "seats": ["a", "b"], "places": [1, 2]}'


class LineFault(msgspec.Struct, frozen=True):
    """Forfeit of a seat, with its kind."""

    seat: int
    kind: FaultKind = FaultKind.CRASH


class ResultLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """Game of one line. Fields are the keys of docs/results-format.md."""

    seats: tuple[str, ...]
    places: tuple[int, ...] | None = None
    deal: str | None = None
    discipline: str | None = None
    scores: tuple[int, ...] | None = None
    faults: tuple[int | LineFault, ...] | None = None
    termination: Literal["completed", "forfeited", "adjudicated", "void"] | None = None
    id: str | None = None
    played_at: str | None = None
    info: Any = None

    @property
    def name(self) -> str:
        """Name of the discipline."""
        return self.discipline or f"game-{len(self.seats)}"

    def result(self, block: str) -> GameResult:
        """Return the game as arena's own runs store it; the line must be checked."""
        faults = tuple(
            ResultFault(f, FaultKind.CRASH, 0, "")
            if isinstance(f, int)
            else ResultFault(f.seat, f.kind, 0, "")
            for f in self.faults or ()
        )
        ended = bool(faults) and len(self.seats) <= 2
        ending = self.termination or ("forfeited" if ended else "completed")
        return GameResult(
            spec=GameSpec(
                f"{self.name}{DISCIPLINE_JOINT}", block, self.deal or block, 0, self.seats
            ),
            termination=Termination(ending),
            places=self.places or (1,),
            plies=0,
            digest="",
            scores=None if ending == "forfeited" else self.scores,
            faults=faults,
        )

    def outcome(self) -> tuple[object, ...]:
        """Return the values that lines with the same id must have in common."""
        faulty = {each if isinstance(each, int) else each.seat for each in self.faults or ()}
        alone = self.scores if len(self.seats) == 1 else None
        void = self.termination == "void"
        return (self.name, self.seats, self.places or (1,), tuple(sorted(faulty)), alone, void)

    @property
    def seconds(self) -> int:
        """Time of the game since 1970 UTC; 0 if not known. The line must be checked."""
        return 0 if self.played_at is None else instant(self.played_at) or 0


@lru_cache(10_000)
def instant(text: str) -> int | None:
    """Return the seconds since 1970 of an ISO 8601 date, at least 1; None if it is invalid.

    A date without a time zone is in UTC.
    """
    try:
        found = datetime.datetime.fromisoformat(text)
        at = found if found.tzinfo else found.replace(tzinfo=datetime.UTC)
        return max(1, int(at.timestamp()))
    except (ValueError, OverflowError):
        return None


KEYS: Final = ResultLine.__struct_fields__
_OPEN: Final = ord("{")
_END: Final = ord("\n")
_QUOTE: Final = ord('"')
_DECODER: Final = msgspec.json.Decoder(ResultLine)


class WrongLineError(Exception):
    """Line that is not a game, with what was found and what was expected."""

    def __init__(self, found: str, expected: str) -> None:
        super().__init__(f"found {found}, expected {expected}")
        self.found = found
        self.expected = expected


class BrokenLineError(WrongLineError):
    """Line that is not JSON."""


class Chunk(NamedTuple):
    """Checked lines and their columns: each key occurs once and has the right type."""

    lines: list[ResultLine]
    seats: list[tuple[str, ...]]
    places: list[tuple[int, ...] | None]
    deals: list[str | None]
    bare: bool
    """True if no line has other keys than these."""


def decoded(text: bytes) -> Chunk | None:
    """Return all lines; None if a line may be wrong, or is blank, or holds an object.

    The values are not checked.
    """
    if b"\\" in text:  # keys may be written with escapes
        return None
    try:
        lines = _DECODER.decode_lines(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    byte = np.frombuffer(text, np.uint8)
    opened, ended = byte == _OPEN, byte == _END
    number = int(np.count_nonzero(ended)) + (not text.endswith(b"\n"))
    starts = int(np.count_nonzero(opened[1:] & ended[:-1])) + text.startswith(b"{")
    if not len(lines) == number == starts == np.count_nonzero(opened):
        return None
    seats = [line.seats for line in lines]
    places = [line.places for line in lines]
    deals = [line.deal for line in lines]
    # Each key and each text has two quotes; further quotes show other keys, or a key twice.
    known = 4 * number - places.count(None) - 2 * deals.count(None) + sum(map(len, seats))
    bare = int(np.count_nonzero(byte == _QUOTE)) == 2 * known
    if not bare and text.count(b'":') != sum(map(_keys, lines)):  # a key twice, or a null
        return None
    return Chunk(lines, seats, places, deals, bare)


def _keys(line: ResultLine) -> int:
    """Return the number of keys in the text of the line, if none of them was null."""
    return (
        1
        + (line.places is not None)
        + (line.deal is not None)
        + (line.discipline is not None)
        + (line.scores is not None)
        + (line.faults is not None)
        + (line.termination is not None)
        + (line.id is not None)
        + (line.played_at is not None)
        + (line.info is not None)
    )


def parsed(text: bytes) -> ResultLine:
    """Return one line, checked in full. Raises WrongLineError."""
    found = _object(text)
    _known_keys([key for key, _ in found])
    values = {key: value for key, value in found if value is not None}
    seats = _seats(values)
    places = _places(values, len(seats))
    faults = tuple(_faults(values, len(seats)))
    ending = _choice("termination", values.get("termination"), [*Termination])
    if ending != Termination.VOID:
        _ranking(places, [fault.seat for fault in faults])
    discipline = _text(values, "discipline")
    if discipline is not None and DISCIPLINE_JOINT in discipline:
        raise WrongLineError(f'"discipline" {quoted(discipline)}', f"no {DISCIPLINE_JOINT} in it")
    scores = _numbers(values, "scores", len(seats))
    if len(seats) == 1 and scores is None and not faults and ending is None:
        raise WrongLineError(
            'one seat without "scores"', 'one score, or "faults": [0] for a forfeit'
        )
    played = _text(values, "played_at")
    if played is not None and instant(played) is None:
        expected = 'a date such as "2026-11-01" or "2026-11-01T18:30:00Z"'
        raise WrongLineError(f'"played_at" {quoted(played)}', expected)
    return ResultLine(
        seats=seats,
        places=places,
        id=_text(values, "id"),
        played_at=played,
        deal=_text(values, "deal"),
        discipline=discipline,
        scores=scores,
        faults=faults or None,
        termination=ending,
    )


def is_sound(line: ResultLine) -> bool:
    """Return whether ``parsed`` would accept a decoded line; False may also be wrong."""
    seats, scores = line.seats, line.scores
    return (
        all(map(is_name, seats))
        and line.deal != ""
        and line.id != ""
        and (line.played_at is None or instant(line.played_at) is not None)
        and is_discipline(line.discipline)
        and (len(seats) > 1 or scores is not None)
        and (scores is None or (len(scores) == len(seats) and max(map(abs, scores)) <= MAX_SCORE))
        and _is_outcome(len(seats), line.places, line.faults or ())
    )


def is_ordinary_pair(line: ResultLine) -> bool:
    """Return whether a decoded line needs no check besides its seats, places and deal.

    This holds for a game of two seats without faults and without an id.
    """
    scores = line.scores
    return (
        not line.faults
        and line.id is None
        and (line.played_at is None or instant(line.played_at) is not None)
        and line.termination in (None, "completed")
        and (scores is None or (len(scores) == 2 and max(map(abs, scores)) <= MAX_SCORE))
    )


@lru_cache(10_000)
def is_name(name: str) -> bool:
    """Return whether a bot may be called ``name``."""
    return 0 < len(name) <= LONGEST_NAME and not name.isspace()


def is_discipline(name: str | None) -> bool:
    """Return whether ``name`` may name a discipline; None stands for the default."""
    return name is None or (name != "" and DISCIPLINE_JOINT not in name)


@lru_cache(10_000)
def _is_outcome(
    seats: int, places: tuple[int, ...] | None, faults: tuple[int | LineFault, ...]
) -> bool:
    faulty = [fault if isinstance(fault, int) else fault.seat for fault in faults]
    if places is None:
        places = (1,) if seats == 1 else ()
    return (
        1 <= seats <= MAX_SEATS
        and len(places) == seats
        and len({*faulty}) == len(faulty)
        and all(0 <= seat < seats for seat in faulty)
        and is_ranking(places, faulty)
    )


class _Pairs(list[tuple[str, Any]]):
    """JSON object before keys that occur twice are lost."""


def _object(text: bytes) -> _Pairs:
    try:
        value = json.loads(text.decode(), object_pairs_hook=_Pairs, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise BrokenLineError(
            f"a byte at column {error.start + 1} that is no UTF-8", EXAMPLE
        ) from None
    except JSONDecodeError as error:
        rest = quoted(error.doc[error.pos :][:SHOWN])
        raise BrokenLineError(f"no JSON at column {error.colno}: {rest}", EXAMPLE) from None
    except RecursionError:
        raise WrongLineError("lists or objects too deep in each other", EXAMPLE) from None
    except ValueError:
        raise BrokenLineError("a number of thousands of digits", EXAMPLE) from None
    if not isinstance(value, _Pairs):
        raise WrongLineError(quoted(value), f"an object such as {EXAMPLE}")
    return value


def _no_constant(name: str) -> NoReturn:
    raise WrongLineError(f"{name}, which is no JSON", "a number")


def _known_keys(keys: Sequence[str]) -> None:
    for key in keys:
        if key not in KEYS:
            close = get_close_matches(key.lower(), KEYS, 1)
            expected = f'"{close[0]}"' if close else ", ".join(KEYS)
            hint = ' ("info" may hold anything)'
            raise WrongLineError(f"unknown key {quoted(key)}", expected + hint)
        if keys.count(key) > 1:
            raise WrongLineError(f'the key "{key}" twice', "it once")


def _seats(values: dict[str, Any]) -> tuple[str, ...]:
    if "seats" not in values:
        raise WrongLineError('no key "seats"', EXAMPLE)
    seats = values["seats"]
    if not isinstance(seats, list) or isinstance(seats, _Pairs):
        raise WrongLineError(f'"seats" {quoted(seats)}', 'a list of names such as ["a", "b"]')
    if not 1 <= len(seats) <= MAX_SEATS:
        raise WrongLineError(f"{len(seats)} seats", f"1 to {MAX_SEATS}")
    for name in seats:
        if not isinstance(name, str) or not is_name(name):
            expected = f"a name of up to {LONGEST_NAME} characters"
            raise WrongLineError(f'{quoted(name)} in "seats"', expected)
        _encodable(name)
    return tuple(seats)


def _encodable(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise WrongLineError(f"half a character in {quoted(text)}", "Unicode text") from None


def _text(values: dict[str, Any], key: str) -> str | None:
    text = values.get(key)
    if text is None:
        return None
    if not isinstance(text, str) or not text:
        raise WrongLineError(f'"{key}" {quoted(text)}', 'text in quotes such as "d17"')
    _encodable(text)
    return text


def _numbers(values: dict[str, Any], key: str, seats: int) -> tuple[int, ...] | None:
    """Return a whole number for each seat; None without the key."""
    numbers = values.get(key)
    if numbers is None:
        return None
    if not isinstance(numbers, list) or isinstance(numbers, _Pairs) or len(numbers) != seats:
        expected = f"{seats} whole number{'s' * (seats > 1)}, by seat"
        raise WrongLineError(f'"{key}" {quoted(numbers)}', expected)
    for number in numbers:
        if type(number) is not int or abs(number) > MAX_SCORE:
            expected = f"a whole number from {-MAX_SCORE} to {MAX_SCORE}"
            raise WrongLineError(f'{quoted(number)} in "{key}"', expected)
    return tuple(numbers)


def _places(values: dict[str, Any], seats: int) -> tuple[int, ...]:
    places = _numbers(values, "places", seats)
    if places is None and seats == 1:
        return (1,)
    if places is None:
        raise WrongLineError('no key "places"', "the place of each seat, 1 for the first")
    return places


def _faults(values: dict[str, Any], seats: int) -> Iterator[LineFault]:
    listed = values.get("faults", [])
    if not isinstance(listed, list) or isinstance(listed, _Pairs):
        raise WrongLineError(f'"faults" {quoted(listed)}', "a list of seats such as [1]")
    met: set[int] = set()
    for item in listed:
        pairs = dict(item) if isinstance(item, _Pairs) else {"seat": item}
        seat = pairs.get("seat")
        if type(seat) is not int or not 0 <= seat < seats or seat in met:
            expected = f"seats from 0 to {seats - 1}, each once"
            raise WrongLineError(f'{quoted(item)} in "faults"', expected)
        met.add(seat)
        kind = _choice("kind", pairs.get("kind"), [*FaultKind])
        yield LineFault(seat, FaultKind(kind or FaultKind.CRASH))


def _choice(key: str, value: object, known: Sequence[str]) -> Any:
    if value is None or value in known:
        return value
    raise WrongLineError(f'"{key}" {quoted(value)}', " or ".join(f'"{each}"' for each in known))


def is_ranking(places: Sequence[int], faulty: Sequence[int]) -> bool:
    """Return whether places are like 1, 1, 3, with ``faulty`` seats behind all others.

    The places of faulty seats are at most the number of seats.
    """
    clean = [place for seat, place in enumerate(places) if seat not in faulty]
    ranked = all(place == 1 + sum(other < place for other in clean) for place in clean)
    behind = max(clean, default=0)
    return ranked and all(behind < places[seat] <= len(places) for seat in faulty)


def _ranking(places: tuple[int, ...], faulty: Sequence[int]) -> None:
    if is_ranking(places, faulty):
        return
    expected = "a ranking that skips the places of ties: 1, 1, 3"
    if faulty:
        expected = "a ranking such as 1, 1, 3, seats with faults placed behind all others"
    raise WrongLineError(f'"places" {quoted(list(places))}', expected)


def quoted(value: object) -> str:
    """Return a value as JSON, cut to SHOWN characters and safe for a terminal."""
    text = json.dumps(_plain(value), ensure_ascii=True)
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def _plain(value: object) -> object:
    """Return a value with pairs as objects again, and with long lists cut."""
    if isinstance(value, _Pairs):
        return {key: _plain(inner) for key, inner in value[:SHOWN]}
    if isinstance(value, list):
        return [_plain(inner) for inner in value[:SHOWN]]
    if isinstance(value, int) and abs(value) > 10**SHOWN:
        return 10**SHOWN
    return value[: 2 * SHOWN] if isinstance(value, str) else value
