"""``arena export``: write a pack of games to hand out, a proof, or tables."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import msgspec

from arena.cli.command import command
from arena.cli.common import AsJson, output_option, run_folder
from arena.cli.games import FIELDS, GameFilterOptions, given_filters, read_filter
from arena.cli.terminal.console import out, out_text, print_document, say
from arena.cli.terminal.progress import counting
from arena.extensions.data.export import pack
from arena.extensions.data.export.proof import Proof, write_proof
from arena.extensions.data.export.run import Export
from arena.extensions.data.tables.source import ChosenGames
from arena.extensions.data.tables.write import left_out, notations
from arena.extensions.publishing.visible import held_back_words
from arena.runs.config.keys import Names
from arena.runs.disk import cannot_write, writing
from arena.runs.reader import StoredRun, with_authors
from arena.values.bad_input import BadInput
from arena.values.option import Arg, Opt, Workers
from arena.values.problems import check_entrant
from arena.values.schema import RunAnswer
from arena.views.standings.standings import render, table_of

_EVERY = 100
"""Number of games between two updates of the live line."""
_TABLES = ("txt", "json")
_STDOUT: Final = "-"


class ExportData(msgspec.Struct, frozen=True):
    """Content of ``ExportDocument``."""

    path: str
    bot: str | None
    """Reader of the pack; None: anybody."""
    games: int
    held_back: int
    """Number of games left out because their deals were not completed."""
    expired: int
    """Number of games left out because their records were removed by rule."""


class ExportDocument(RunAnswer[ExportData], frozen=True, tag="arena.export/1"):
    """A pack or proof that was written."""


@dataclass(frozen=True, kw_only=True)
class ExportOptions(GameFilterOptions):
    """Write a pack of games to hand out, or tables to analyse.

    A pack for a competitor has the games of a bot as it saw them, with its own output, times and
    faults. A pack for everybody has what all seats were shown. A pack never has the seed, nor what
    one bot may not know of another. While a run is played, it has the games of complete deals.
    With --proof, writes a folder by which everybody can verify the run once its seed is public.
    With --tables, writes tables for pandas, polars and others.

    \b
    arena export runs/quickstart --for greedy
    arena export runs/quickstart --public -o public
    arena export ladder --proof
    arena export runs/quickstart --tables games,seats,plies -o data
    """

    folders: Annotated[
        tuple[str, ...],
        Arg(
            "The folder of a run, or of a ladder; with --tables also of several.",
            metavar="RUN...",
            completes="runs",
        ),
    ]
    bot: Annotated[
        str | None,
        Opt(
            "Write the pack of this entrant, or tables of its own games as it saw them.",
            "--for",
            metavar="BOT",
        ),
    ] = None
    public: Annotated[
        bool,
        Opt("Write the pack or tables for everybody, with all games as spectators see them."),
    ] = False
    proof: Annotated[bool, Opt("Write a folder for everybody that `arena verify` can check.")] = (
        False
    )
    tables: Annotated[
        str | None,
        Opt("Write these tables: all, or some of games,seats,plies,decisions.", metavar="TABLES"),
    ] = None
    files: Annotated[
        str | None,
        Opt(
            "Format of the tables. Default: parquet, which needs botarena[data].",
            "--format",
            one_of=("parquet", "jsonl", "csv"),
        ),
    ] = None
    pgn: Annotated[bool, Opt("Write the games as PGN, with evaluations and times.")] = False
    append: Annotated[bool, Opt("Add the runs to the tables that are in the folder.")] = False
    workers: Workers = None
    output: Annotated[
        Path | None,
        output_option(
            "Path to write: a zip file if it ends in .zip, else a folder. Default: "
            "NAME-for-BOT.zip, NAME-public.zip, or the folder NAME-proof or NAME-tables. "
            "With --pgn, - is standard output.",
            "PATH",
        ),
    ] = None
    force: Annotated[bool, Opt("Replace an older pack or older tables.")] = False
    as_json: AsJson = False


def export_run(options: ExportOptions) -> None:
    """Write a pack and print its path. Raises BadInput or StoreError."""
    folders = [run_folder(Path(folder)) for folder in options.folders]
    if options.tables is not None:
        _export_tables(folders, options)
        return
    if options.pgn:
        _export_pgn(StoredRun(folders[0]), options)
        return
    _check_pack(options)
    run, bot = with_authors(folders[0]), options.bot
    _check_choice(run, options)
    if options.proof:
        _prove(run, options)
        return
    export = Export(run, bot)
    path = options.output or Path(f"{export.name}.zip")
    standings = _standings(run) if export.has_standings else {}
    _write(export, path, standings, force=options.force)
    if options.as_json:
        missing = (export.choice.held_back, len(export.choice.expired))
        _print_document(run, path, len(export.records), *missing, bot=bot)
    else:
        _tell(export, path)


def _export_tables(folders: list[Path], options: ExportOptions) -> None:
    """Write tables. Raises BadInput or StoreError."""
    from arena.extensions.data.table_export import export_tables, read_tables
    from arena.extensions.data.tables.source import TableView
    from arena.extensions.data.tables.write import TableOrder

    if options.bot is not None and options.public:
        raise BadInput("found --for and --public, expected one of them with --tables")
    for flag, is_given in {"--proof": options.proof, "--pgn": options.pgn}.items():
        if is_given:
            raise BadInput(f"found --tables and {flag}, expected one")
    if options.output is not None and pack.is_zip(options.output):
        raise BadInput(f"--output: found {options.output}, expected a folder: tables are files")
    runs = [StoredRun(folder) for folder in folders]
    for run in runs:
        if options.bot is not None:
            check_entrant("--for", options.bot, run.manifest.entrants, "an entrant of this run")
    wanted = read_filter(options, [run.manifest for run in runs])
    view = TableView(options.bot, options.public)
    order = TableOrder(
        tables=read_tables(options.tables or "", view),
        form=options.files or "parquet",
        path=options.output or Path(f"{pack.file_name(runs[0].manifest.name)}-tables"),
        append=options.append,
        force=options.force,
        view=view,
        workers=options.workers or os.cpu_count() or 1,
    )
    export_tables(runs, wanted, order, as_json=options.as_json)


def _export_pgn(run: StoredRun, options: ExportOptions) -> None:
    """Write a file of all games. Raises BadInput or StoreError."""
    if asked := [flag for flag, is_given in _packs(options).items() if is_given]:
        raise BadInput(f"found --pgn and {asked[0]}, expected one")
    if len(options.folders) > 1:
        raise BadInput(f"found {len(options.folders)} runs with --pgn, expected one")
    games = ChosenGames(run, read_filter(options, [run.manifest]))
    path = options.output or Path(f"{pack.file_name(run.manifest.name)}.pgn")
    is_stdout = str(path) == _STDOUT
    if not is_stdout and not pack.is_pgn(path):
        raise BadInput(f"--output: found {path}, expected a file in .pgn, or - for standard output")
    if is_stdout and options.as_json:
        raise BadInput("found --json and --output -, expected one of them")
    written, counted = 0, counting("games written", _EVERY)
    try:
        if is_stdout:
            for text in notations(games):
                out_text(text.removesuffix("\n"))
                written += 1
        else:
            with counted as show, pack.writing_file(path, force=options.force) as file:
                for written, text in enumerate(notations(games), 1):
                    file.write(text.encode())
                    show(written)
    except OSError as error:
        raise cannot_write(path, error) from error
    if options.as_json:
        _print_document(run, path, written, games.held_back)
        return
    if not is_stdout:
        out(f"{path}: {_games(written)}")
    for sentence in left_out(games, written):
        say(sentence)


def _check_pack(options: ExportOptions) -> None:
    """Raise BadInput for options that go with tables alone."""
    flags = {"--format": options.files is not None, "--append": options.append}
    for flag in [*given_filters(options), *(each for each, is_given in flags.items() if is_given)]:
        raise BadInput(f"{flag}: found without --tables, expected with it")
    if len(options.folders) > 1:
        raise BadInput(f"found {len(options.folders)} runs without --tables, expected one")


def _packs(options: ExportOptions) -> dict[str, bool]:
    return {
        "--for BOT": options.bot is not None,
        "--public": options.public,
        "--proof": options.proof,
    }


def _check_choice(run: StoredRun, options: ExportOptions) -> None:
    bot = options.bot
    asked = _packs(options)
    if sum(asked.values()) != 1:
        found = " and ".join(flag for flag, is_given in asked.items() if is_given)
        raise BadInput(f"found {found or 'none'}, expected one of {', '.join(asked)}, --tables")
    entrants = run.manifest.entrants
    if bot is not None:
        check_entrant("--for", bot, entrants, "an entrant of this run")


def _prove(run: StoredRun, options: ExportOptions) -> None:
    """Write a proof and print its path. Raises BadInput, PackError or StoreError."""
    proof, name = Proof(run), run.manifest.name
    if proof.is_empty:
        expected = "a run that has ended, or a ladder that has begun its second round"
        raise BadInput(f"{run.folder}: found no seed that is public, expected {expected}")
    path = options.output or Path(f"{pack.file_name(name)}-proof")
    if pack.is_zip(path):
        raise BadInput(f"--output: found {path}, expected a folder: a proof is one")
    if run.manifest.identity.names is Names.HIDDEN and not proof.is_whole:
        say("names are hidden, and the proof shows who met whom in all rounds")
    if proof.is_whole and not run.manifest.is_over:
        say("its seed is readable for all, so the proof has it, and with it all deals to come")
    games = 0
    with counting("games written", _EVERY) as show:
        for games in write_proof(proof, path, force=options.force):
            show(games)
    if options.as_json:
        _print_document(run, path, games)
    else:
        out(f"{path}: {_games(games)}, for arena verify")


def _standings(run: StoredRun) -> dict[str, bytes]:
    table = table_of(run)
    return {f"standings.{form}": render(table, form).encode() for form in _TABLES}


def _write(export: Export, path: Path, standings: dict[str, bytes], *, force: bool) -> None:
    written = counting("games written", _EVERY)
    with writing(path), written as show, pack.writing(path, export.name, force=force) as sink:
        for games in export.write(sink, standings):
            show(games)


def _tell(export: Export, path: Path) -> None:
    out(f"{path}: {_games(len(export.records))}")
    if held_back := export.choice.held_back:
        say(held_back_words(held_back))
    if export.expired_words:
        say(export.expired_words)


def _games(count: int) -> str:
    return f"{count} game{'s'[: count != 1]}"


def _print_document(
    run: StoredRun,
    path: Path,
    games: int,
    held_back: int = 0,
    expired: int = 0,
    bot: str | None = None,
) -> None:
    data = ExportData(str(path), bot, games, held_back, expired)
    print_document(ExportDocument(run=run.manifest.name, data=data, warnings=()))


_PANELS: Final = {
    "Arguments": "folders",
    "Packs and readers": "bot public proof",
    "Tables and PGN": "tables files append pgn",
    "Games of the tables": FIELDS,
}
COMMAND: Final = command(export_run, panels=_PANELS)
