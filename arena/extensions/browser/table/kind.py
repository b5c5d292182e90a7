"""The kind of runs in which a person plays."""

from __future__ import annotations

from arena.runs.growth.kinds import OpenEnded


class PersonRun(OpenEnded):
    """A person plays with bots, deal after deal without end, each in one seating."""

    refusal = "a person plays there: the same `arena play` deals the next game"
    note = "a person plays there: the same arena play deals the next game"
    indivisible = refusal
    ending = "by a person"
    held = ("the games of another table", "-o")
    shows_unfinished_deals = True

    def progress(self, counting: int, planned: int | None) -> tuple[str, ...]:
        """Return nothing."""
        return ()
