"""Commands to look instead of read, with their options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.app_tools import app
from arena.cli.console import endings
from arena.cli.options import AsJson, Debug, Quiet, RunFolder

__all__ = ["app"]


@app.command()
def report(
    folder: RunFolder,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Default: report.html in the run."),
    ] = None,
    games: Annotated[
        str | None,
        typer.Option(
            metavar="WHICH",
            help="Games to step through: all, none, faults, or at most so many. Default: 1000, "
            "those with faults before others.",
        ),
    ] = None,
    view: Annotated[
        str,
        typer.Option(metavar="VIEW", help="all, or spectator: only what everybody may know."),
    ] = "all",
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", "-j", min=1, help="Processes that prepare games. Default: one per core."
        ),
    ] = None,
    open_it: Annotated[bool, typer.Option("--open", help="Show it in the browser.")] = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Write a run as a page for the browser.

    Tables, charts and games to step through in one file, which needs no network. Games of more
    than 8 MB are put into a folder beside it, report-games for report.html, which has to go where
    the file goes. Also while a run is being played: then with the games so far. Exit code 5 if
    there is no game yet.

    \b
    arena report runs/quickstart --open
    arena report runs/quickstart --games faults -o faults.html
    arena report runs/quickstart --view spectator -o public.html
    """
    with endings(debug=debug, as_json=as_json):
        from arena.cli.report import ReportOptions, write_run_page

        write_run_page(
            ReportOptions(
                folder=folder,
                output=output,
                games=games,
                view=view,
                jobs=jobs,
                open_it=open_it,
                quiet=quiet,
                as_json=as_json,
            )
        )
