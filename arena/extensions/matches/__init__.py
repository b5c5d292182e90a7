"""Matches of two bots, which end when it is decided which one is better.

``terms`` is what is played, from a command line; ``contest`` when it ends, ``judge`` and ``play``
decide and play it, and ``statistics/`` has the numbers. ``show/`` has the verdict in words, for
people and for CI systems, and ``outputs`` its files and its exit code. Its page in ``docs/`` is
``comparing.md``; ``ci.md`` is for CI systems.
"""

from __future__ import annotations

from arena.extensions import Extension, listed

EXTENSION = Extension(
    name="matches",
    summary="Tell by a sequential test whether one bot is better than another.",
    commands=(
        *listed(
            f"{__name__}.commands",
            "Compare",
            (10, "compare", "Tell whether a new version of a bot is better."),
        ),
    ),
    runs={"match": f"{__name__}.kind:MatchRun"},
    checks={"match.json": f"{__name__}.judge:checked_report"},
    documents={"arena.match/1": f"{__name__}.statistics.report:MatchReport"},
)
