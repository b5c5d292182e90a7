"""The progress of a run in words, for all who watch it; imported without tables and statistics."""

from __future__ import annotations

from arena.runs.manifest import CurrentRound
from arena.tournament.progress import Figures
from arena.values.numbers import clock, count
from arena.values.titles import called


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
        parts.append(f"withdrawn {', '.join(map(called, figures.withdrawn))}")
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
    whose = ", ".join(map(called, figures.withdrawn))
    fewer = count(figures.planned - figures.total, "game")
    return (
        f"without the {fewer} of {whose}, played or not, {figures.total} of the "
        f"{figures.planned} planned are left to count; {figures.done} of them are played"
    )
