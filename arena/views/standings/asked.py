"""Options on how to compute ratings, as given on the command line."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from arena.ratings.elo.scale import Anchor, Model
from arena.runs.manifest import Manifest
from arena.values.bad_input import BadInput
from arena.values.numbers import listed
from arena.values.problems import check_entrant, quote

_MOST: Final = 1e6
"""Largest rating and prior that may be given, in Elo and in games."""
_NUMBER: Final = r"[0-9]+(?:\.[0-9]+)?"
_WRITTEN: Final = re.compile(rf"([+-]?{_NUMBER})(?: ?(?:±|\+-|\+/-) ?({_NUMBER}))?")


@dataclass(frozen=True)
class Asked:
    """The options as the user wrote them."""

    anchors: tuple[str, ...] = ()
    elo: float | None = None
    prior: float | None = None
    seats: bool = True

    def check(self) -> None:
        """Check the numbers, before any file is read. Raises BadInput."""
        if self.elo is not None and not abs(self.elo) <= _MOST:
            raise BadInput(f"--elo: found {self.elo}, expected a number from -1000000 to 1000000")
        if self.prior is not None and not 0 <= self.prior <= _MOST:
            raise BadInput(f"--prior: found {self.prior}, expected games from 0 to 1000000")

    def model(self, names: Collection[str], begun: Sequence[tuple[str, Anchor]] = ()) -> Model:
        """Return the model that rates the bots ``names``.

        ``begun``: the anchors of runs, each with the name of its run. Raises BadInput, also if the
        runs have different anchors and no option chooses one.
        """
        usual = Model()
        anchors = tuple(self._anchor(text, names) for text in self.anchors)
        known = [anchor.name for anchor in anchors]
        for name in known:
            if known.count(name) > 1:
                raise BadInput(f"--anchor: found {quote(name)} twice, expected each bot once")
        if not anchors and self.elo is None:
            anchors = _common(begun)
        return Model(
            anchors,
            usual.mean if self.elo is None else self.elo,
            usual.prior if self.prior is None else self.prior,
            self.seats,
        )

    def _anchor(self, text: str, names: Collection[str]) -> Anchor:
        usual = Model().mean if self.elo is None else self.elo
        if text in names or "=" not in text:
            return Anchor(_known(text, names), usual)
        name, _, number = text.rpartition("=")
        written = _WRITTEN.fullmatch(number.strip())
        if written is None or max(float(each or 0) for each in written.groups()) > _MOST:
            expected = "BOT, BOT=ELO or BOT=ELO+-ERROR, such as base=1200+-30"
            raise BadInput(f"--anchor: found {quote(text)}, expected {expected}")
        if self.elo is not None:
            raise BadInput(f"--elo: found it beside --anchor {quote(text)}, expected one of them")
        return Anchor(_known(name, names), float(written[1]), float(written[2] or 0))


def begun_with(manifest: Manifest) -> list[tuple[str, Anchor]]:
    """Return the anchor of a run, if it has one, as ``Asked.model`` takes it."""
    ratings = manifest.identity.ratings
    return [] if ratings is None else [("the run", Anchor(ratings.anchor, ratings.elo))]


def _known(name: str, names: Collection[str]) -> str:
    check_entrant("--anchor", name, names, "a bot of the results")
    return name


def _common(begun: Sequence[tuple[str, Anchor]]) -> tuple[Anchor, ...]:
    """Return the anchor of the runs, or none if no run has one.

    Raises BadInput if runs have different anchors.
    """
    different = {anchor: run for run, anchor in reversed(begun)}
    if len(different) > 1:
        told = listed(
            [f"{each.name} at {each.elo:g} Elo ({different[each]})" for each in different]
        )
        raise BadInput(
            f"the runs have different anchors: {told}; choose with --anchor BOT=ELO, which may be "
            "given several times, or --elo 1000 for the mean"
        )
    return tuple(different)
