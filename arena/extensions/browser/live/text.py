"""A run in words while it is played: its progress, single lines, and a whole snapshot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from wcwidth import wcswidth

from arena.cli.terminal.progress import progress_words
from arena.extensions.browser.live.snapshot import (
    GameSummary,
    Hand,
    RunPhase,
    Snapshot,
    Trial,
    Voided,
)
from arena.extensions.matches.show import text as match_text
from arena.extensions.matches.show.words import elo, line, range_words
from arena.values.numbers import clock, count
from arena.views.standings import tables
from arena.views.tables import short, wrapped

_SHOWN: Final = 10
"""Number of finished games in a plain snapshot."""
_WIDTH: Final = 80


def progress(snapshot: Snapshot) -> str:
    """Return the progress as the playing command prints it."""
    if snapshot.phase is RunPhase.BUILDING and not snapshot.figures.done:
        return "no game is played yet"
    return progress_words(snapshot.figures, is_open=snapshot.phase.is_open)


def status(snapshot: Snapshot) -> str:
    """Return the phase of the run, with advice to the person who watches."""
    note = line(snapshot.note)
    if snapshot.read < 1:
        return f"reading the stored games: {snapshot.read:.0%}"
    if snapshot.phase is RunPhase.BUILDING:
        return " ".join(filter(None, (snapshot.phase.value, note)))
    if snapshot.phase.is_open or not note:
        return ", ".join(filter(None, (snapshot.phase.value, note)))
    return note


def ticker(snapshot: Snapshot) -> str:
    """Return the figures of a match, the progress and the phase in one line."""
    trial = snapshot.trial
    if snapshot.phase is RunPhase.BUILDING:
        return status(snapshot)
    stands = ""
    if trial is not None:
        stands = match_text.live(trial.llr, trial.bounds, trial.elo, trial.blocks, trial.games_left)
    note = "" if snapshot.phase is RunPhase.PLAYING else status(snapshot)
    return "  ".join(filter(None, (stands, progress(snapshot), note)))


def trial_lines(trial: Trial, columns: int) -> list[str]:
    """Return lines on a match: the ratio between its bounds, and the figures."""
    sides = f"{short(trial.candidate)} against {short(trial.baseline)}"
    parts = [range_words(trial.elo, elo), count(trial.blocks, "block"), count(trial.games, "game")]
    if trial.elo.value is not None:
        parts[0] = f"Elo {parts[0]}"
    else:
        del parts[0]
    if trial.games_left is not None:
        parts.append(f"about {trial.games_left} left")
    if trial.verdict is None:
        parts.append(f"at most {trial.most_games}")
    first = f"match {sides}"
    if trial.verdict is not None:
        first = f"{trial.verdict.upper()}  {line(trial.reason)}"
    return [
        first,
        f"LLR {match_text.ratio(trial.llr, trial.bounds, columns - 4)}",
        "  ".join(parts),
    ]


def hand_lines(hands: Sequence[Hand | None]) -> list[str]:
    """Return a line for each worker: duration, players, game."""
    rows = [
        (f"{number}", _seconds(hand.seconds), _names(hand.entrants), hand.game)
        if hand is not None
        else (f"{number}", "", "between two games", "")
        for number, hand in enumerate(hands)
    ]
    return _aligned(rows)


def ended_lines(games: Sequence[GameSummary]) -> list[str]:
    """Return a line for each game: places, names, scores and faults, and its id."""
    return _aligned([(result(game), line(game.game)) for game in games])


def result(game: GameSummary) -> str:
    """Return ``1. anna 53, 2. berta 45 (timeout)``, best first."""
    seats = sorted(range(len(game.players)), key=lambda seat: (game.players[seat].place, seat))
    parts = []
    for player in (game.players[seat] for seat in seats):
        score = "" if player.score is None else f" {player.score}"
        fault = "" if player.fault is None else f" ({player.fault})"
        place = f"{player.place}. " if len(game.players) > 1 else ""
        parts.append(f"{place}{short(player.name)}{score}{fault}")
    return ", ".join(parts)


def voided_lines(voided: Sequence[Voided]) -> list[str]:
    """Return a line for each game that could not be played."""
    return [f"void through {line(void.cause)}  {line(void.game)}" for void in voided]


def text(snapshot: Snapshot, *, width: int | None = None) -> str:
    """Return the whole snapshot for ``width`` columns (None: any), with a final newline."""
    columns = width or _WIDTH
    head = f"{line(snapshot.run)}: {status(snapshot)}"
    trial = [] if snapshot.trial is None else trial_lines(snapshot.trial, columns)
    parts = [
        [*wrapped(head, width), *wrapped(progress(snapshot), width)],
        [part for each in trial for part in wrapped(each, width)],
        tables.text(snapshot.sections, width=width).splitlines(),
        list(_headed("being played", hand_lines(snapshot.hands))),
        list(_headed("last games", ended_lines(snapshot.ended[:_SHOWN]))),
        list(_headed("void games", voided_lines(snapshot.voided[:_SHOWN]))),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _headed(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield title
        yield from (f"  {each}" for each in lines)


def _names(entrants: Sequence[str]) -> str:
    return ", ".join(map(short, entrants))


def _seconds(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else clock(seconds)


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Return rows with columns padded to their widest cell."""
    if not rows:
        return []
    widths = [max(wcswidth(row[k]) for row in rows) for k in range(len(rows[0]))]
    padded = (
        (cell + " " * (width - wcswidth(cell)) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )
    return ["  ".join(cells).rstrip() for cells in padded]
