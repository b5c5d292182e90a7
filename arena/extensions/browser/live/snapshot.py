"""State of a run at one moment while it is played, and its document."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, NamedTuple

import msgspec

from arena.extensions.browser.viewer.viewer import for_page
from arena.extensions.matches.statistics.report import Range, Verdict
from arena.tournament.progress import Figures
from arena.values.schema import RunAnswer
from arena.views.cells import text_of
from arena.views.standings import tables
from arena.views.standings.tables import Section


class RunPhase(StrEnum):
    """Activity of the run."""

    WAITING = "waiting"
    """The run has not begun."""
    BUILDING = "building"
    """The bots of the run are being built before play."""
    PLAYING = "playing"
    SILENT = "silent"
    """The process of the run exists but has been silent for a while."""
    KILLED = "killed"
    """The process of the run ended without cleaning up."""
    STOPPED = "stopped"
    """Games are missing, and no process plays them."""
    FINISHED = "finished"

    @property
    def is_open(self) -> bool:
        """True if games are being played or about to be, as far as is known."""
        return self in (RunPhase.BUILDING, RunPhase.PLAYING, RunPhase.SILENT)


class Hand(msgspec.Struct, frozen=True):
    """The game that a worker plays."""

    game: str
    """Id of the game."""
    discipline: str
    entrants: tuple[str, ...]
    """Entrants by seat."""
    seconds: float
    """Time since its start, in seconds."""


class SeatResult(msgspec.Struct, frozen=True):
    """Result of one seat of a finished game."""

    name: str
    place: int
    score: int | None
    fault: str | None
    """Kind of its fault, or None."""


class GameSummary(msgspec.Struct, frozen=True):
    """A finished game: its result without its course."""

    game: str
    discipline: str
    termination: str
    players: tuple[SeatResult, ...]
    """Players by seat."""


class Voided(msgspec.Struct, frozen=True):
    """A game that could not be played, through no fault of a bot."""

    game: str
    cause: str


class Trial(msgspec.Struct, frozen=True):
    """State of a match as spectators see it."""

    candidate: str
    baseline: str
    settings: str
    """Terms of the test in words."""
    llr: float
    bounds: tuple[float, float]
    blocks: int
    """Number of blocks, in the order of the schedule without a gap."""
    games: int
    """Number of games in these blocks."""
    games_left: int | None
    """Expected number until the verdict."""
    most_games: int
    elo: Range
    verdict: Verdict | None
    reason: str
    """Reason of the verdict."""
    curve: tuple[tuple[int, float], ...]
    """Numbers of blocks with the ratio after them, thinned out."""


class Snapshot(NamedTuple):
    """State of a run at one moment, as it is shown."""

    run: str
    phase: RunPhase
    note: str
    """Advice on what a person can do in this phase; may be empty."""
    figures: Figures
    """Progress; the total is None for a match or games with a person, which have no end."""
    hands: tuple[Hand | None, ...]
    """Game of each worker."""
    ended: tuple[GameSummary, ...]
    """The last games, newest first."""
    voided: tuple[Voided, ...]
    """The last void games, newest first."""
    sections: tuple[Section, ...]
    """Tables in the order of ``arena standings``."""
    trial: Trial | None
    read: float = 1.0
    """Share of the stored games that has been read; below 1 everything is about these games."""


def before_play(run: str, building: str) -> Snapshot:
    """Return the state of a run that has not begun. ``building``: which bot is being built."""
    figures = Figures(
        done=0, total=None, planned=0, rate=None, left=None, faults=0, uncounted=0, voids={},
        withdrawn=(), turn=None,
    )  # fmt: skip
    return Snapshot(run, RunPhase.BUILDING, building, figures, (), (), (), (), None)


class WatchData(msgspec.Struct, frozen=True):
    """The state of a run at one moment in JSON; see ``Snapshot`` and ``Figures``."""

    phase: RunPhase
    note: str
    round: dict[str, Any] | None
    """Current round of a tournament by rounds."""
    done: int
    planned: int | None
    withdrawn: tuple[str, ...]
    planned_with_withdrawn: int | None
    rate: float | None
    left: float | None
    faults: int
    faults_not_counted: int
    voids: int
    voided: tuple[Voided, ...]
    trial: Trial | None
    read: float
    workers: tuple[Hand | None, ...]
    last: tuple[GameSummary, ...]
    tables: tuple[dict[str, Any], ...]
    """Tables of ``arena standings --format json``."""


class WatchDocument(RunAnswer[WatchData], frozen=True, tag="arena.watch/1"):
    """The JSON form of a snapshot."""


class ExtraPanel(msgspec.Struct, frozen=True):
    """A panel that the page shows before the ratings, as the report of a run does."""

    title: str
    columns: tuple[tuple[str, str, tuple[str, ...]], ...]
    """Title, alignment (left or right) and cells of each column."""
    remarks: tuple[str, ...]
    drawing: str
    """SVG element; empty: none."""


def page_document(snapshot: Snapshot) -> dict[str, Any]:
    """Return the content with ready-made blocks for the page: ``leading`` of each table."""
    found = {"run": snapshot.run, **for_page(msgspec.to_builtins(document(snapshot).data))}
    for table, section in zip(found["tables"], snapshot.sections, strict=True):
        table["heading"] = section.heading
        table["leading"] = [
            ExtraPanel(
                block.heading,
                tuple(
                    (each.title, each.align, tuple(map(text_of, each.cells)))
                    for shown in block.tables
                    for each in shown.columns
                ),
                tuple(block.remarks),
                "".join(figure.svg() for figure in block.figures),
            )
            for block in tables.leading(section)
        ]
    return found


def document(snapshot: Snapshot) -> WatchDocument:
    """Return the document of ``arena watch --json``."""
    standings = msgspec.json.decode(tables.json_text(snapshot.sections, source=snapshot.run))
    figures = snapshot.figures
    total, turn = figures.total, figures.turn
    data = WatchData(
        phase=snapshot.phase,
        note=snapshot.note,
        round=None if turn is None else turn._asdict(),
        done=figures.done,
        planned=total,
        withdrawn=figures.withdrawn,
        planned_with_withdrawn=None if total is None else figures.planned,
        rate=figures.rate,
        left=figures.left,
        faults=figures.faults,
        faults_not_counted=figures.uncounted,
        voids=sum(figures.voids.values()),
        voided=snapshot.voided,
        trial=snapshot.trial,
        read=snapshot.read,
        workers=snapshot.hands,
        last=snapshot.ended,
        tables=tuple(standings["tables"]),
    )
    return WatchDocument(run=snapshot.run, data=data, warnings=())
