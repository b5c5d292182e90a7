"""Questions beyond the match of two bots and the table of a run.

``tune/`` searches for the options that make a bot strongest, ``plan/`` computes how many games a
question needs, ``family/`` compares several candidates at once, and ``counted.py`` tests results
that were counted elsewhere. ``full/`` has the statistics of a full page; ``several/`` rates several
runs and files of results together and shows versions over time, ``plain/`` reads such files.
Their pages in ``docs/`` are ``ratings-page.md``, ``results-format.md`` and parts of
``comparing.md``, ``statistics.md``, ``formulas.md`` and ``measured.md``.
"""

from __future__ import annotations

from arena.extensions import Extension, listed

_COMMANDS = f"{__name__}.commands"
_SEVERAL = f"{__name__}.family.comparison:compare_several"
_COUNTED = f"{__name__}.counted:compare_counted"

EXTENSION = Extension(
    name="studies",
    summary="Plan, compare several bots, tune one, and read tables in full and of several runs.",
    commands=(
        *listed(
            _COMMANDS,
            "Compare",
            (20, "plan", "Compute how many games a question needs."),
            (30, "tune", "Find the options that make a bot strongest."),
        ),
    ),
    comparisons={"best": _SEVERAL, "baseline": _SEVERAL, "pairs": _COUNTED, "wdl": _COUNTED},
    sections=(f"{__name__}.full.panels:statistics",),
    hints=(f"{__name__}.full.cycles:hint",),
    several=f"{__name__}.several.history:combined",
    needs=("matches",),
    checks={"family.json": f"{__name__}.family.judge:checked_report"},
    documents={
        "arena.against/1": f"{__name__}.family.report:AgainstReport",
        "arena.best/1": f"{__name__}.family.report:BestReport",
        "arena.plan/1": f"{__name__}.plan.lengths:Plan",
        "arena.sprt/1": f"{__name__}.counted:CountedReport",
        "arena.tune/1": f"{__name__}.tune.tuning:Tuned",
    },
)
