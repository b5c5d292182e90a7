"""Standings of rows of the table ``seats``."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from operator import index
from pathlib import Path
from typing import Any, Final

import msgspec

from arena import extensions
from arena.extensions.data.api.errors import (
    MAPPING,
    NUMBER,
    TEXT,
    ArgumentKind,
    check_argument,
    checked,
)
from arena.extensions.data.api.standings import Standings
from arena.extensions.data.tables.columns import GAMES, SEATS
from arena.ratings.elo.scale import Anchor, Model
from arena.values.bad_input import BadInput
from arena.values.problems import check_entrant, check_one_of, quote
from arena.values.results import DISCIPLINE_JOINT
from arena.views.standings.standings import Combining, SectionData

_FRAMES: Final = {"to_pylist": (), "to_dicts": (), "to_dict": ("records",)}
"""Methods of tables of pyarrow, polars and pandas that return their rows, with the arguments."""
_ROWS: Final = ArgumentKind(
    "rows, such as run.seats() or a data frame of them",
    lambda value: (
        _is_frame(value) or (isinstance(value, Iterable) and not isinstance(value, Mapping | str))
    ),
)
_NEEDED: Final = ("game", "seat", "bot", "place")
_COLUMNS: Final = tuple(dict.fromkeys([*SEATS.names, *GAMES.names]))


@checked(rows=_ROWS)
def rate(rows: Iterable[Any], anchors: Mapping[str, float] | None = None) -> Standings:
    """Return the standings of rows of ``seats``, from any runs or made by hand.

    ``rows``: mappings, or a data frame of pandas or polars or a table of pyarrow.

    Each row needs ``game``, ``seat``, ``bot`` and ``place``; ``run``, ``score``, ``fault`` and the
    columns of games are optional. Games with the same ``block``, else the same ``deal``, depend on
    each other. Without both columns these are games whose ids differ only in the part behind the
    last colon. ``anchors``: known ratings. Raises Error.
    """
    games: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in _mappings(rows):
        check_argument("rows", row, MAPPING)
        for key in row:
            check_one_of("rows", key, _COLUMNS)
        known = {key: value for key, value in row.items() if not _is_null(value)}
        missing = [key for key in _NEEDED if key not in known]
        if missing:
            raise BadInput(f"rows: found a row without {missing[0]}: {dict(row)!r}")
        for key in ("game", "bot"):
            check_argument(f"rows: {key}", known[key], TEXT)
        games.setdefault((str(known.get("run", "")), known["game"]), []).append(known)
    if not games:
        raise BadInput("rows: found none, expected a row for each seat of a game")
    names = {row["bot"]: None for seats in games.values() for row in seats}
    for name, elo in (anchors or {}).items():
        check_entrant("anchors", name, names, "a bot of the rows")
        check_argument(f"anchors: {name}", elo, NUMBER)
    model = Model(anchors=tuple(Anchor(name, float(elo)) for name, elo in (anchors or {}).items()))
    parts = _rated(games, model)
    return Standings("rows", [part.section for part in parts], lambda: parts)


def _is_frame(value: object) -> bool:
    return any(hasattr(value, method) for method in _FRAMES)


def _mappings(rows: Iterable[Any]) -> Iterable[Any]:
    """Return the rows of a data frame, and any other rows as they are."""
    for method, arguments in _FRAMES.items():
        if hasattr(rows, method):
            found: Iterable[Any] = getattr(rows, method)(*arguments)
            return found
    return rows


def _is_null(value: object) -> bool:
    """Return whether a value is missing; frames have NaN for null."""
    return value is None or (isinstance(value, float) and value != value)


def _rated(
    games: Mapping[tuple[str, str], list[dict[str, Any]]], model: Model
) -> list[SectionData]:
    """Return the sections of games by run and id, read as a file of results. Raises BadInput."""
    names = []
    with tempfile.NamedTemporaryFile(prefix="arena-rows-") as kept:
        for (run, name), seats in games.items():
            try:
                line = _line(run, name, seats)
            except ValueError as error:
                raise BadInput(f"rows: game {name}: {error}") from None
            if line is not None:
                names.append(name)
                kept.write(msgspec.json.encode(line) + b"\n")
        kept.flush()
        try:
            combine: Combining = extensions.need("rate", "several")
            rows = [(Path(kept.name), "rows")]
            return combine(rows, lambda *_: model, full=True) if names else []
        except BadInput as error:  # a line is a game
            where = re.compile(r"^rows:(\d+)")
            told = where.sub(lambda at: f"rows: game {names[int(at[1]) - 1]}", str(error))
            raise BadInput(told) from None


def _line(run: str, name: str, rows: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return a game as a line of docs/results-format.md; None if it does not count.

    Raises ValueError.
    """
    order = sorted((_seat(row["seat"]), at) for at, row in enumerate(rows))
    if [seat for seat, _ in order] != [*range(len(rows))]:
        found = ", ".join(str(seat) for seat, _ in order)
        raise ValueError(f"found rows of seat {found}, expected one for each seat from 0")
    rows = [rows[at] for _, at in order]
    common = partial(_common, rows)
    if common("counted") is False:
        return None
    kind, joint, rest = name.partition(DISCIPLINE_JOINT)
    rest = rest if joint else name
    faults = [
        {"seat": seat, "kind": row["fault"]} for seat, row in enumerate(rows) if "fault" in row
    ]
    # Alone a better score is greater only as a margin, and a deal is what all play.
    scores = [_whole(row.get("margin", row.get("score"))) for row in rows]
    block, deal = common("block"), common("deal")
    if len(rows) == 1:
        block = None if deal is not None else block
    return {
        "seats": [row["bot"] for row in rows],
        "places": [_whole(row["place"]) for row in rows],
        "deal": repr((run, block, None if block else deal or rest.rpartition(":")[0] or rest)),
        "discipline": common("discipline") or (kind if joint else None),
        "scores": scores if len(rows) == 1 and scores != [None] else None,
        "faults": faults or None,
        "termination": common("termination"),
    }


def _common(rows: Sequence[Mapping[str, Any]], key: str) -> Any:
    """Return the value that all seats of a game share. Raises ValueError."""
    found = [row.get(key) for row in rows]
    other = [value for value in found if value != found[0]]
    if other:
        both = f"{quote(found[0])} and {quote(other[0])}"
        raise ValueError(f"{key}: found {both}, expected the same for all seats")
    return found[0]


def _whole(value: Any) -> Any:
    """Return a whole number of any type as an int, and other values as they are."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    try:
        return index(value)
    except TypeError:
        return value if isinstance(value, str | int | float | None) else str(value)


def _seat(value: Any) -> int:
    """Return the number of a seat. Raises ValueError."""
    found = _whole(value)
    if not isinstance(found, int):
        raise ValueError(f"seat: found {quote(value)}, expected a whole number from 0")
    return found
