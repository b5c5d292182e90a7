"""Texts of the page of a run: head, config, how to verify. They never hold a secret."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from arena.extensions.browser.page.counting.results import Results
from arena.extensions.browser.page.model import LabelledFact
from arena.runs.config.texts import clock_texts
from arena.runs.manifest import Machine, Manifest
from arena.runs.store import read_opening
from arena.schedule.keys import Discipline
from arena.values.numbers import count
from arena.values.reading import texts_of
from arena.values.titles import called
from arena.views.standings.standings import games_words

_DIGEST: Final = 12
"""Shown hex digits of a digest; all of them appear on demand."""


def head_facts(results: Results) -> Iterator[LabelledFact]:
    """Yield the first lines of the page: how much was played, and what went wrong."""
    manifest, section = results.manifest, results.main
    if len(manifest.disciplines) > 1:
        yield LabelledFact("disciplines", str(len(manifest.disciplines)))
    else:
        (discipline,) = manifest.disciplines
        yield LabelledFact("game", results.run.titles[discipline.name])
    yield LabelledFact("bots", str(len(manifest.entrants)))
    yield LabelledFact("games", games_words(manifest, section))
    yield LabelledFact(
        "faults", str(sum(own.faults.total() for own in results.gathered.bots.values()))
    )
    if results.voids:
        yield LabelledFact("voids", str(len(results.voids)))
    if section.withdrawn:
        yield LabelledFact("withdrawn", ", ".join(called(gone.name) for gone in section.withdrawn))
    played = manifest.created.replace("T", " ").replace("+00:00", " UTC")
    yield LabelledFact("played", played)


def origin_facts(results: Results) -> Iterator[LabelledFact]:
    """Yield what identifies the run and where it was played."""
    manifest = results.manifest
    yield LabelledFact("commitment", manifest.commitment[:_DIGEST] + "…", manifest.commitment)
    if not results.is_public:
        if results.run.is_opened:
            yield LabelledFact("seed", read_opening(results.run.folder).seed)
        yield LabelledFact("played with", f"arena {manifest.arena}")
        yield LabelledFact("machine", _machine(manifest.machine))


def _machine(machine: Machine) -> str:
    cores = "" if machine.cores is None else count(machine.cores, "core")
    python = f"Python {machine.python}"
    words = (machine.system, machine.release, machine.processor, cores, python)
    return ", ".join(filter(None, words))


def notices(results: Results) -> list[str]:
    """Return the sentences that a reader should see first."""
    found = []
    if not results.is_over:
        found.append("The run is not over: everything here is of the games so far.")
    if results.is_public:
        found.append("This page has what spectators may see: no hand, no chance, no words of bots.")
    if results.is_anonymous:
        found.append("Games are nameless, in an order without sense, because bots play unknown.")
    if held := results.held_back:
        are = "is" if held == 1 else "are"
        found.append(
            f"{count(held, 'game')} {are} left out of the list until all games with the same deal "
            "are played."
        )
    if results.expired:
        found.append(f"{results.expired}; of these the results are shown.")
    return found


def damage(records: int) -> list[str]:
    """Return the notice of ``records`` damaged records; empty without any."""
    if not records:
        return []
    games = "game whose record is" if records == 1 else "games whose records are"
    return [f"Of {records} {games} damaged, nothing but the result is shown: see arena verify."]


def config_facts(
    manifest: Manifest, *, is_public: bool
) -> list[tuple[str, Sequence[LabelledFact]]]:
    """Return groups of facts: the tournament, each discipline, and unless public each bot."""
    groups: list[tuple[str, Sequence[LabelledFact]]] = [("Tournament", list(_tournament(manifest)))]
    groups += [
        (f"Discipline {each.name}", list(_discipline(each))) for each in manifest.disciplines
    ]
    if not is_public:
        groups.append(("Bots", list(_bots(manifest))))
    return groups


def _tournament(manifest: Manifest) -> Iterator[LabelledFact]:
    identity = manifest.identity
    if (ratings := identity.ratings) is not None:
        yield LabelledFact("anchor", f"{ratings.anchor} at {ratings.elo:g} Elo")
    yield LabelledFact("clock", _joined(clock_texts(identity.clock, pondering=identity.pondering)))
    yield LabelledFact("limits", _joined(texts_of(identity.limits)))
    yield LabelledFact("names", identity.names.value)
    yield LabelledFact("on fault", identity.on_fault.value)
    yield LabelledFact("breaker", _joined(texts_of(identity.breaker)))


def _discipline(discipline: Discipline) -> Iterator[LabelledFact]:
    rules = discipline.rules
    yield LabelledFact("rules", f"{rules.name}, {count(rules.seats, 'seat')}")
    if rules.options:
        yield LabelledFact("options", _joined(rules.options))
    data: dict[str, Any] = {
        key: rules.data[key] for key in ("data_id", "status") if key in rules.data
    }
    if data:
        yield LabelledFact("card data", _joined(data))
    if discipline.adjudicate:
        ends = msgspec.to_builtins(discipline.adjudicate)
        given = {key: _joined(end) for key, end in ends.items() if end is not None}
        yield LabelledFact("adjudicated", _joined(given))
    yield LabelledFact("bots", ", ".join(map(called, discipline.entrants)))
    if discipline.ranking:
        written = msgspec.to_builtins(discipline.ranking)
        yield LabelledFact("ranking", _joined({k: v for k, v in written.items() if v}))
    plan = msgspec.to_builtins(discipline.schedule)
    shown = {key: value for key, value in plan.items() if value not in (None, [], ())}
    yield LabelledFact("schedule", _joined({k: v for k, v in shown.items() if k != "pairings"}))


def _bots(manifest: Manifest) -> Iterator[LabelledFact]:
    """Yield files and isolation; commands, options and environment may hold secrets."""
    levels = manifest.machine.isolation
    for name, entrant in manifest.players.items():
        digest = entrant.digest
        parts = [f"files {digest[:_DIGEST]}…"] if digest else []
        if name in levels:
            parts.append(f"isolation {levels[name]}")
        yield LabelledFact(called(name), ", ".join(parts), digest)


def _joined(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {_text(value)}" for key, value in values.items())


def _text(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def limit_us(manifest: Manifest) -> float | None:
    """Return the time limit of one answer in microseconds; None without a limit."""
    move = manifest.identity.clock.move
    return None if move is None else move * 1e6


def verify_lines(manifest: Manifest, *, is_public: bool) -> list[str]:
    """Return commands that prove the run in folder RUN; none for the public, who lack it."""
    if is_public:
        return []
    return [
        f"arena verify RUN --commitment {manifest.commitment}",
        "arena standings RUN --full",
    ]
