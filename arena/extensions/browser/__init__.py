"""Show runs, games and competitions in a browser, and let a person play at a table there.

``page/`` is the report of a run in one file, ``site/`` the pages of a competition, ``viewer/`` one
game, and ``live/`` a run while it is played, which ``server.py`` serves to this machine alone.
``unveil/`` shows the final table from the last place up. ``table/`` is the game of a person against
bots, and ``terminal/`` one game step by step, with keys.
"""

from __future__ import annotations

from arena.extensions import Extension, listed

_COMMANDS = f"{__name__}.commands"

EXTENSION = Extension(
    name="browser",
    summary="Look at runs and games in a browser, and play with bots yourself.",
    commands=(
        *listed(_COMMANDS, "Play", (60, "play", "Play with bots yourself.")),
        *listed(
            _COMMANDS,
            "Look",
            (20, "watch", "Look at a run while it is played."),
            (30, "report", "Write a run as a page for the browser."),
            (40, "site", "Write a competition as static pages for everybody."),
            (45, "unveil", "Unveil the final table, from the last place up."),
        ),
    ),
    runs={"person": f"{__name__}.table.kind:PersonRun"},
    documents={
        "arena.report/1": f"{_COMMANDS}.report:ReportDocument",
        "arena.site-written/1": f"{_COMMANDS}.site:SiteDocument",
        "arena.unveil/1": f"{_COMMANDS}.unveil:UnveilDocument",
        "arena.watch/1": f"{__name__}.live.snapshot:WatchDocument",
    },
    replays={
        "keys": f"{__name__}.terminal.screen:step_through",
        "page": f"{__name__}.viewer.file:write_page",
    },
    needs=("matches", "publishing"),
    libraries={
        "jinja2": "botarena",
        "markupsafe": "botarena",
    },
)
