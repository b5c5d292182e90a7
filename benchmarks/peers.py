"""Peers that pip cannot install, or that are not installed: quoted, and scaled to this machine.

All were measured in one run in November 2026 on 2 virtual cores at 2.5 GHz: fastchess alpha
1.8.2 with its affinity option and cutechess-cli 1.5.1, both built by upstream's default with
an instant engine in C and games of 160 plies, and ShogiArena 1.3.2; OpenSpiel 2.0.2 stepped
from Python. A quoted time is multiplied, a quoted rate divided, by how much slower a raw pipe
round trip is in this round than it was in that run: between two C programs for peers in C++,
between Python and C for those driven by Python.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from benchmarks.figures import Figure, Figures

FLOORS_THEN: Final[Figures] = {Figure.C_PIPE_TWO: 4.52, Figure.PYTHON_PIPE_TWO: 6.58}
"""Of the quoted run: two pairs at once, each on a core of its own, µs per round trip."""


class Quoted(NamedTuple):
    """A number of a peer and the floor that it is scaled by."""

    figure: Figure
    then: float
    floor: Figure

    def now(self, floor: float) -> float:
        """What it would be here, by this round's floor."""
        slower = floor / FLOORS_THEN[self.floor]
        return self.then / slower if self.figure.unit == "1/s" else self.then * slower


QUOTED: Final = (
    Quoted(Figure.FASTCHESS_CPU, 49.9, Figure.C_PIPE_TWO),
    Quoted(Figure.FASTCHESS_PLIES, 32_944, Figure.C_PIPE_TWO),
    Quoted(Figure.CUTECHESS_PLIES, 9_960, Figure.C_PIPE_TWO),
    Quoted(Figure.SHOGIARENA_PLIES, 1_139, Figure.PYTHON_PIPE_TWO),
    Quoted(Figure.OPENSPIEL_QUOTED, 131_000, Figure.PYTHON_PIPE_TWO),
)


def quoted(measured: Figures) -> Figures:
    """The peers by the floors of this round; without a floor, without its peers."""
    return {q.figure: q.now(measured[q.floor]) for q in QUOTED if q.floor in measured}


def floors_of(figures: Iterable[Figure]) -> set[Figure]:
    """The floors that have to be measured to quote these figures."""
    wanted = set(figures)
    return {q.floor for q in QUOTED if q.figure in wanted}
