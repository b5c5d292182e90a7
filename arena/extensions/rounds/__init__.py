"""Tournaments by rounds, whose pairings follow from results: Swiss, groups, knockouts, ladders.

``kinds/`` are the kinds of schedules, ``pairing/`` is what they pair and rank by; ``following``
derives the next round of a run, ``runs`` has the kinds of runs, and ``views/`` their tables.
"""

from __future__ import annotations

from arena.extensions import Extension

EXTENSION = Extension(
    name="rounds",
    summary="Hold tournaments by rounds: Swiss, groups, knockouts, stages and ladders.",
    kinds=(
        f"{__name__}.kinds.swiss:SwissKind",
        f"{__name__}.kinds.knockout:KnockoutKind",
        f"{__name__}.kinds.groups:GroupsKind",
        f"{__name__}.kinds.stages:StagesKind",
        f"{__name__}.kinds.ladder:LadderKind",
    ),
    runs={
        "league": f"{__name__}.runs:LeagueRun",
        "rounds": f"{__name__}.runs:RoundsRun",
        "ladder": f"{__name__}.runs:LadderRun",
    },
    run_views={
        "league": f"{__name__}.views.points:LeagueView",
        "points": f"{__name__}.views.places:RoundsView",
        "ladder": f"{__name__}.views.ladder:LadderView",
    },
    needs=("matches",),
    checks={"learned.bin": f"{__name__}.learning:checked"},
    standings={"trf": f"{__name__}.views.places:report_file"},
    libraries={"rustworkx": "botarena", "markupsafe": "botarena"},
)
