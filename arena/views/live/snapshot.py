"""A run as it is looked at while it is played: one snapshot, and the document made of it."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final, NamedTuple

import msgspec

import arena
from arena.ratings.match.report import Range, Verdict
from arena.text import clean
from arena.text.tables import Style
from arena.tournament.progress import Figures
from arena.views.standings import tables
from arena.views.standings.rounds.bracket import drawings
from arena.views.standings.tables import Section

SCHEMA: Final = "arena.watch/1"
_PAGE: Final = Style(clean.plain, terminal=False)


class Phase(StrEnum):
    """What is being done with the run."""

    WAITING = "waiting"
    """It has not begun."""
    PLAYING = "playing"
    SILENT = "silent"
    """Its process is there but has told nothing for a while."""
    KILLED = "killed"
    """Its process ended without a word."""
    STOPPED = "stopped"
    """Games are missing, and nobody plays them."""
    FINISHED = "finished"

    @property
    def is_open(self) -> bool:
        """Whether somebody is playing, as far as one can tell."""
        return self in (Phase.PLAYING, Phase.SILENT)


class Hand(msgspec.Struct, frozen=True):
    """What a worker plays."""

    game: str
    """Its id."""
    discipline: str
    entrants: tuple[str, ...]
    """By seat."""
    seconds: float
    """For how long."""


class Player(msgspec.Struct, frozen=True):
    """How one seat ended."""

    name: str
    place: int
    score: int | None
    fault: str | None
    """Its kind."""


class Ended(msgspec.Struct, frozen=True):
    """A game that was played: its result and nothing of how it came about."""

    game: str
    discipline: str
    termination: str
    players: tuple[Player, ...]
    """By seat."""


class Voided(msgspec.Struct, frozen=True):
    """A game that could not be played through no fault of a bot's."""

    game: str
    cause: str


class Trial(msgspec.Struct, frozen=True):
    """How a match stands."""

    candidate: str
    baseline: str
    settings: str
    """In words."""
    llr: float
    bounds: tuple[float, float]
    blocks: int
    """In the order of the schedule, without a gap."""
    games: int
    """In them."""
    games_left: int | None
    """Expected until the verdict."""
    most_games: int
    elo: Range
    verdict: Verdict | None
    reason: str
    """Of the verdict."""
    curve: tuple[tuple[int, float], ...]
    """Blocks and the ratio after them, thinned out."""


class Snapshot(NamedTuple):
    """All that is shown of a run at one moment."""

    run: str
    phase: Phase
    note: str
    """What a person can do about the phase; may be empty."""
    figures: Figures
    """How far it is; the total is None for a match or games with a person, which have no end."""
    hands: tuple[Hand | None, ...]
    """By worker."""
    ended: tuple[Ended, ...]
    """The last ones, newest first."""
    voided: tuple[Voided, ...]
    """The last ones, newest first."""
    sections: tuple[Section, ...]
    """In the order of ``arena standings``."""
    trial: Trial | None
    read: float = 1.0
    """How much of the stored games has been read: below 1 everything is of a part of them."""

    @property
    def share(self) -> float | None:
        """How much is played, 0 to 1."""
        total = self.figures.total
        return None if total is None else self.figures.done / max(1, total)


def answer(snapshot: Snapshot) -> dict[str, Any]:
    """What ``arena watch --json`` prints, in the form that all answers have."""
    data = document(snapshot)
    head = {name: data.pop(name) for name in ("schema", "arena", "run")}
    return {**head, "data": data, "warnings": []}


class Shown(msgspec.Struct, frozen=True):
    """What the page shows before the ratings, as the report of a run does."""

    title: str
    columns: tuple[tuple[str, str, tuple[str, ...]], ...]
    """Title, how it is set (left or right), and cells."""
    remarks: tuple[str, ...]
    drawing: str
    """An SVG element; empty: there is none."""


def page_document(snapshot: Snapshot) -> dict[str, Any]:
    """The document with what the page shows ready-made: ``leading`` of each table."""
    found = document(snapshot)
    for table, section in zip(found["tables"], snapshot.sections, strict=True):
        table["leading"] = [
            Shown(
                panel.title[0].upper() + panel.title[1:],
                tuple((each.header, each.align, tuple(each.cells)) for each in panel.columns),
                tuple(panel.remarks),
                str(bracket or ""),
            )
            for panel, bracket in drawings(tables.leading(section, _PAGE))
        ]
    return found


def document(snapshot: Snapshot) -> dict[str, Any]:
    """The snapshot as JSON.

    ``tables`` are those of ``arena standings --format json``.
    """
    standings = msgspec.json.decode(tables.json_text(snapshot.sections, source=snapshot.run))
    figures, shown = snapshot.figures, snapshot._asdict()
    apart = ("sections", "figures")
    plain = msgspec.to_builtins({name: shown[name] for name in shown if name not in apart})
    workers, last = plain.pop("hands"), plain.pop("ended")
    total, turn = figures.total, figures.turn
    return {
        "schema": SCHEMA,
        "arena": arena.__version__,
        **{name: plain.pop(name) for name in ("run", "phase", "note")},
        "round": None if turn is None else turn._asdict(),
        "done": figures.done,
        "planned": total,
        "withdrawn": list(figures.withdrawn),
        "planned_with_withdrawn": None if total is None else figures.planned,
        "rate": figures.rate,
        "left": figures.left,
        "faults": figures.faults,
        "faults_not_counted": figures.uncounted,
        "voids": sum(figures.voids.values()),
        **plain,
        "workers": workers,
        "last": last,
        "tables": standings["tables"],
    }
