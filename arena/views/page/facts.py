"""What the page of a run tells of it in words: head, config, how to verify. Never a secret."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from arena.documents.units import DURATION, UnitError
from arena.runs.store import Manifest, read_opening
from arena.schedule.schedule import Discipline
from arena.text.numbers import count
from arena.views.page.model import Fact
from arena.views.page.read import Reading

_DIGEST: Final = 12
"""Hex digits of a digest that are shown; all of them on demand."""
_MACHINE: Final = ("system", "release", "processor", "cores", "python")


def head_facts(reading: Reading) -> list[Fact]:
    """The first lines of the page."""
    return list(_head(reading))


def _head(reading: Reading) -> Iterator[Fact]:
    manifest, section = reading.manifest, reading.parts[-1].section
    yield Fact("played", manifest.created.replace("T", " ").replace("+00:00", " UTC"))
    yield Fact("bots", str(len(manifest.entrants)))
    if len(manifest.disciplines) > 1:
        yield Fact("disciplines", str(len(manifest.disciplines)))
    planned = reading.schedule.games - section.annulled
    of = "" if not manifest.has_end or reading.games >= planned else f" of {planned:,}"
    yield Fact("games", f"{reading.games:,}{of}")
    yield Fact("faults", str(sum(own.total() for own in reading.faults.values())))
    if reading.voids:
        yield Fact("voids", str(len(reading.voids)))
    if section.withdrawn:
        yield Fact("withdrawn", ", ".join(gone.name for gone in section.withdrawn))
    if manifest.anchor is not None:
        elo = 1000.0 if manifest.anchor_elo is None else manifest.anchor_elo
        yield Fact("anchor", f"{manifest.anchor} at {elo:g} Elo")
    yield Fact("commitment", manifest.commitment[:_DIGEST] + "…", manifest.commitment)
    if not reading.is_public:
        if seed := _opened_seed(reading.folder):
            yield Fact("seed", seed)
        yield Fact("played with", f"arena {manifest.arena}")
        if machine := _machine(manifest.machine):
            yield Fact("machine", machine)


def _opened_seed(folder: Path) -> str:
    """The seed once it was published; else empty. Raises StoreError."""
    try:
        is_open = (folder / "seed.json").stat().st_mode & stat.S_IROTH
    except OSError:
        return ""
    return read_opening(folder).seed if is_open else ""


def _machine(machine: Mapping[str, Any]) -> str:
    known = {key: str(machine[key]) for key in _MACHINE if machine.get(key) is not None}
    if "cores" in known:
        known["cores"] = count(int(machine["cores"]), "core") if known["cores"].isdecimal() else ""
    if "python" in known:
        known["python"] = f"Python {known['python']}"
    return ", ".join(filter(None, known.values()))


def notices(reading: Reading) -> list[str]:
    """What a reader has to know first, in sentences."""
    found = []
    if not reading.is_over:
        found.append("The run is not over: everything here is of the games so far.")
    if reading.is_public:
        found.append("This page has what spectators may see: no hand, no chance, no words of bots.")
    if reading.is_anonymous:
        found.append("Games are nameless, in an order without sense, because bots play unknown.")
    if held := reading.held_back:
        are = "is" if held == 1 else "are"
        found.append(
            f"{count(held, 'game')} {are} left out of the list until all games with the same deal "
            "are played."
        )
    return found


def damage(records: int) -> list[str]:
    """The notice of so many damaged records; none without any."""
    if not records:
        return []
    games = "game whose record is" if records == 1 else "games whose records are"
    return [f"Of {records} {games} damaged, nothing but the result is shown: see arena verify."]


def config_facts(manifest: Manifest, *, is_public: bool) -> list[tuple[str, Sequence[Fact]]]:
    """Groups of facts: the tournament, each discipline, and unless public each bot."""
    identity = manifest.identity
    groups: list[tuple[str, Sequence[Fact]]] = [("Tournament", list(_tournament(manifest)))]
    groups += [
        (f"Discipline {each.name}", list(_discipline(each))) for each in manifest.disciplines
    ]
    entrants = identity.get("entrants")
    if not is_public and isinstance(entrants, dict):
        levels = manifest.machine.get("isolation")
        groups.append(("Bots", list(_bots(entrants, levels if isinstance(levels, dict) else {}))))
    return groups


def _tournament(manifest: Manifest) -> Iterator[Fact]:
    for key in ("clock", "limits"):
        value = manifest.identity.get(key)
        if isinstance(value, dict):
            yield Fact(key, _joined(value))
    yield Fact("names", str(manifest.identity.get("names", "")))
    yield Fact("on fault", manifest.on_fault.value)
    yield Fact("breaker", _joined(manifest.identity.get("breaker") or {}))


def _discipline(discipline: Discipline) -> Iterator[Fact]:
    rules = discipline.rules
    yield Fact("rules", f"{rules.name}, {count(rules.seats, 'seat')}")
    if rules.options:
        yield Fact("options", _joined(rules.options))
    data: dict[str, Any] = {
        key: rules.data[key] for key in ("data_id", "status") if key in rules.data
    }
    if data:
        yield Fact("card data", _joined(data))
    yield Fact("bots", ", ".join(discipline.entrants))
    plan = msgspec.to_builtins(discipline.schedule)
    shown = {key: value for key, value in plan.items() if value not in (None, [], ())}
    yield Fact("schedule", _joined({k: v for k, v in shown.items() if k != "pairings"}))


def _bots(entrants: Mapping[str, Any], levels: Mapping[str, Any]) -> Iterator[Fact]:
    """Files and isolation. Commands, options and environment may hold secrets: not here."""
    for name, entrant in entrants.items():
        digest = str(entrant.get("digest", "")) if isinstance(entrant, dict) else ""
        parts = [f"files {digest[:_DIGEST]}…"] if digest else []
        if name in levels:
            parts.append(f"isolation {levels[name]}")
        yield Fact(name, ", ".join(parts), digest)


def _joined(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {_text(value)}" for key, value in values.items())


def _text(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def limit_us(manifest: Manifest) -> float | None:
    """For one answer, microseconds; None if there is no such limit."""
    clock = manifest.identity.get("clock")
    text = clock.get("move") if isinstance(clock, dict) else None
    try:
        return DURATION.parse(text) * 1e6 if isinstance(text, str) else None
    except UnitError:
        return None


def verify_lines(manifest: Manifest, *, is_public: bool) -> list[str]:
    """Commands that prove the run; RUN is its folder. None for who does not have it."""
    if is_public:
        return []
    return [
        f"arena verify RUN --commitment {manifest.commitment}",
        "arena standings RUN --full",
    ]
