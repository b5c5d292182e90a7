"""The kind of runs that a verdict ends."""

from __future__ import annotations

from arena.runs.growth.kinds import OpenEnded


class MatchRun(OpenEnded):
    """A match, or matches of several bots: a verdict ends it."""

    command = "arena compare"
    refusal = "holds a match, which the same `arena compare` continues"
    indivisible = "a match is judged by all its games as they come: no shard of it"
    ending = "for a verdict"
    held = ("another match, which this one cannot go on with", "-o")
    verdict = "match.json"

    def progress(self, counting: int, planned: int | None) -> tuple[str, ...]:
        """Return where the verdict is found."""
        return (
            f"{counting} games of a match; its verdict, which a few of them may come after, "
            "is shown by arena compare",
        )
