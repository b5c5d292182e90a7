"""A run in words while it is played: its progress, single lines, and a whole snapshot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from wcwidth import wcswidth

from arena.runs.manifest import CurrentRound
from arena.text.numbers import clock, count
from arena.text.tables import short, wrapped
from arena.tournament.progress import Figures
from arena.views.live.snapshot import GameSummary, Hand, RunPhase, Snapshot, Trial, Voided
from arena.views.match import text as match_text
from arena.views.match.words import elo, line, range_words
from arena.views.standings import tables


def progress_words(figures: Figures, *, is_open: bool) -> str:
    """Return ``120/300  40%  184 games/s  left 0:00:01  faults 0``.

    ``is_open``: whether games are being played; if not, no time left is given.
    """
    parts = [] if figures.turn is None else [turn_words(figures.turn)]
    if figures.total is None:
        parts.append(count(figures.done, "game"))
    else:
        share = figures.done / max(1, figures.total)
        parts += [f"{figures.done}/{figures.total}", f"{share:4.0%}"]
    if figures.rate is not None:
        parts.append(rate_words(figures.rate))
    if is_open and (figures.left is not None or figures.total is not None):
        parts.append(f"left {'?' if figures.left is None else clock(figures.left)}")
    uncounted = f" ({figures.uncounted} in games of withdrawn bots)" if figures.uncounted else ""
    parts.append(f"faults {figures.faults}{uncounted}")
    if figures.voids:
        causes = ", ".join(f"{times} {cause}" for cause, times in figures.voids.items())
        parts.append(f"void {sum(figures.voids.values())} ({causes})")
    if figures.withdrawn:
        parts.append(f"withdrawn {', '.join(figures.withdrawn)}")
        if figures.total is not None and figures.planned > figures.total:
            parts.append(f"with them {figures.planned} games were planned")
    return "  ".join(parts)


def turn_words(turn: CurrentRound) -> str:
    """Return ``round 2 of 5``, or ``stage 2 of 2, round 1``."""
    stage = f"stage {turn.stage} of {turn.stages}, " if turn.stages > 1 else ""
    return f"{stage}round {turn.number}" + (f" of {turn.of}" if turn.of is not None else "")


def rate_words(rate: float) -> str:
    """Return ``184 games/s``, or ``12 s a game`` for slow games."""
    if rate >= 10:
        return f"{rate:.0f} games/s"
    return f"{rate:.1f} games/s" if rate >= 0.1 else f"{1 / rate:.0f} s a game"


def fewer_words(figures: Figures) -> str:
    """Return why there are fewer games than planned, and how many; empty if there are not."""
    if not figures.withdrawn or figures.total is None or figures.planned <= figures.total:
        return ""
    whose = ", ".join(figures.withdrawn)
    fewer = count(figures.planned - figures.total, "game")
    return (
        f"without the {fewer} of {whose}, played or not, {figures.total} of the "
        f"{figures.planned} planned are left to count; {figures.done} of them are played"
    )


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
    """Return the line that is printed at intervals."""
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
