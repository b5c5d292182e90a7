"""Write a resolved tournament file, with the origin of every value.

Parts of a config become the texts of a file, with units and without unset keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec
from msgspec.structs import asdict

from arena.entrants.entrants import Entrant, EntrantKind
from arena.hosting.sandbox.isolation import Isolation
from arena.runs.config.tournament import Tournament
from arena.schedule.keys import SHARED_KEYS, Discipline, Schedule, Stage
from arena.values.document import flow, scalar
from arena.values.problems import KeyPath, dotted
from arena.values.reading import texts_of
from arena.values.results import TimeControl
from arena.values.units import DURATION


def clock_texts(clock: TimeControl, *, pondering: bool) -> dict[str, str | int]:
    """Return the time control with units, without the limits that are not set."""
    given = {
        "move": clock.move,
        "bank": clock.bank,
        "increment": clock.increment if clock.bank is not None else None,
        "startup": clock.startup,
        "margin": clock.margin or None,
    }
    texts: dict[str, str | int] = {
        key: DURATION.format(value) for key, value in given.items() if value is not None
    }
    return {**texts, **({"moves": clock.moves} if clock.moves else {}), "pondering": pondering}


def schedule_keys(discipline: Discipline) -> dict[str, Any]:
    """Return the schedule without the keys that have no effect with its kind or table size.

    It is derived from the fields, so no key that decides a run can be forgotten.
    """
    if discipline.rules.seats == 1:
        return {"deals": discipline.schedule.deals}
    unset = msgspec.to_builtins(Schedule())
    keys = msgspec.to_builtins(discipline.schedule)
    found = {key: value for key, value in keys.items() if key in SHARED_KEYS or value != unset[key]}
    if "stages" in found:
        plain = msgspec.to_builtins(Stage(kind=""))
        found["stages"] = [
            {key: value for key, value in each.items() if key == "kind" or value != plain[key]}
            for each in found["stages"]
        ]
    return found


_COLUMN: Final = 40
"""Column of the comments of a resolved tournament."""


def resolved_yaml(tournament: Tournament) -> str:
    """Return a complete tournament file, with the origin of each value as a comment.

    A tournament read from it has an equal identity. The seed and the values of environment
    variables are secret and not shown.
    """
    lines = ["# the seed and environment values are not shown"]
    for path, text in _mapping(_tree(tournament), ()):
        origin = tournament.origins.get(dotted(path), "default") if path else ""
        lines.append(_commented(text, origin))
    lines.append("games:")
    for index, discipline in enumerate(tournament.disciplines):
        game = _game(discipline, tournament)
        lines += _item(game, ("games", index), tournament.origins)
    lines.append("entrants:")
    for index, entrant in enumerate(tournament.entrants):
        origin = tournament.origins[dotted(("entrants", index))]
        first, *rest = [text for _, text in _mapping(_entry(entrant, tournament.isolation), ())]
        lines.append(_commented(f"  - {first}", origin))
        lines += [f"    {text}" for text in rest]
    return "\n".join(lines) + "\n"


def _item(tree: Mapping[str, object], path: KeyPath, origins: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of one mapping in a list."""
    bullet = "  - "
    for below, text in _mapping(tree, ()):
        origin = ""
        if below:
            shared = origins.get(dotted(below)) if below[0] == "schedule" else None
            origin = origins.get(dotted((*path, *below))) or shared or "default"
        yield _commented(bullet + text, origin)
        bullet = "    "


def _commented(text: str, comment: str) -> str:
    return f"{text:<{_COLUMN}}  # {comment}" if comment else text


def _tree(tournament: Tournament) -> dict[str, object]:
    tree: dict[str, object] = {
        "arena": 1,
        "name": tournament.name,
        "notes": tournament.notes,
        "clock": clock_texts(tournament.clock, pondering=tournament.pondering),
        "limits": texts_of(tournament.limits),
        "isolation": {
            "level": tournament.isolation.value,
            "readable": tournament.readable,
        },
        "breaker": texts_of(tournament.breaker),
        "names": tournament.names.value,
        **({} if tournament.learning is None else {"learning": texts_of(tournament.learning)}),
        "on_fault": tournament.on_fault.value,
        "on_build_failure": tournament.on_build_failure.value,
        "execution": texts_of(tournament.execution),
        "output": asdict(tournament.output),
    }
    if (ratings := tournament.ratings) is not None:
        tree["ratings"] = asdict(ratings)
    if ranking := tournament.disciplines[0].ranking:
        written = msgspec.to_builtins(ranking)
        tree["ranking"] = {key: value for key, value in written.items() if value}
    return tree


def _game(discipline: Discipline, tournament: Tournament) -> dict[str, object]:
    rules, data_file = discipline.rules, tournament.data_files.get(discipline.name)
    game: dict[str, object] = {
        "name": discipline.name,
        "rules": rules.name,
        "seats": rules.seats,
        "options": rules.options,
        "entrants": discipline.entrants,
        "schedule": schedule_keys(discipline),
    }
    if data_file is not None:
        game["data"] = data_file
    if positions := rules.positions:
        book = tournament.book_files.get(discipline.name)
        given = {"file": book, "order": positions.order.value}
        game["positions"] = given if book else {"random_plies": positions.random_plies}
    if discipline.by:
        game["by"] = discipline.by.value
    if adjudicate := discipline.adjudicate:
        ends = {"resign": adjudicate.resign, "draw": adjudicate.draw}
        game["adjudicate"] = {key: asdict(end) for key, end in ends.items() if end is not None}
    return game


def _entry(entrant: Entrant, usual: Isolation) -> dict[str, object]:
    if entrant.kind is EntrantKind.BOT:
        entry: dict[str, object] = {"bot": entrant.given, "name": entrant.name}
    else:
        entry = {"command": entrant.words, "name": entrant.name, "cwd": entrant.folder}
    if entrant.title:
        entry["title"] = entrant.title
    if entrant.isolation is not usual:
        entry["isolation"] = entrant.isolation.value
    if entrant.options:
        entry["options"] = entrant.options
    return entry


def _mapping(tree: Mapping[str, object], path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    """Yield lines with the path of their value; the path is empty for a line without a value."""
    indent = "  " * len(path)
    for key, value in tree.items():
        here = (*path, key)
        if isinstance(value, Mapping) and value:
            yield (), f"{indent}{scalar(key)}:"
            yield from _mapping(value, here)
        else:
            yield here, f"{indent}{scalar(key)}: {flow(value)}"
