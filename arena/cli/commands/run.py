"""``arena run``: play a tournament, or resume it."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import msgspec
import typer

from arena.cli import common
from arena.cli.command import command
from arena.cli.terminal import announce, console
from arena.cli.terminal.progress import turn_words
from arena.cli.terminal.reporter import Reporter
from arena.runs.config.keys import OnBuildFailure
from arena.runs.config.tournament import Tournament, game_of
from arena.runs.disk import cannot_write
from arena.runs.identity import tournament_of
from arena.runs.live import log_to
from arena.runs.manifest import TournamentSource, check_shard, is_run, read_manifest
from arena.runs.reader import StoredRun
from arena.runs.store import GAMES
from arena.schedule.kinds.registry import grows, kind_of
from arena.schedule.pairings import WHOLE, Shard
from arena.tournament.building import built_and_opened, with_field
from arena.tournament.events import RoundLimit
from arena.tournament.prepare import (
    PlayResult,
    check_cluster,
    opened,
    opener_of_shards,
    play,
    with_workers,
)
from arena.tournament.run import Run, publish_seed
from arena.tournament.session import is_stopped
from arena.values.bad_input import BadInput
from arena.values.option import Arg, On, Opt, Settings, Workers
from arena.values.problems import ConfigError, did_you_mean, quote
from arena.values.results import LogWire
from arena.values.schema import RunAnswer

if TYPE_CHECKING:
    from arena.views.standings.standings import StandingsTable

_YAML: Final = {".yaml", ".yml"}


class OpenedData(msgspec.Struct, frozen=True):
    """Content of ``OpenedDocument``."""

    folder: str
    commitment: str
    games: int | None
    """Number of planned games; None for a run without an end."""


class OpenedDocument(RunAnswer[OpenedData], frozen=True, tag="arena.opened/1"):
    """A run that was begun without playing."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class RunOptions:
    """Play a tournament, or resume it.

    The same command again resumes a run that was stopped, however it was stopped.

    \b
    arena run tournaments/quickstart.yaml
    arena run -g dragonheart builtin:random builtin:greedy -n 50
    arena run -g dragonkrak -s 1 bots/random bots/greedy -n 50
    """

    targets: Annotated[
        tuple[str, ...],
        Arg(
            "A tournament file, the folder of a run to resume, or with -g the bots: "
            "folders with a bot.yaml (FOLDER@REV: at a git revision), builtin:NAME, or commands in "
            "quotes.",
            metavar="FILE|RUN|BOT...",
            completes="targets",
        ),
    ]
    game: Annotated[
        str | None, common.game_option("Play these rules without a file.", with_seats=True)
    ] = None
    seats: Annotated[
        int | None,
        Opt("With -g: seats at a table. Default: the fewest, but not 1.", "--seats -s"),
    ] = None
    data: Annotated[str | None, Opt("With -g: your own card data, as YAML.", metavar="FILE")] = None
    positions: common.Positions = None
    adjudicate: common.Adjudication = None
    deals: Annotated[
        int | None,
        Opt(
            "Deals per pairing, each played in all seatings.",
            "--deals -n",
            least=1,
            most=10_000_000,
        ),
    ] = None
    seed: Annotated[str | None, Opt("Seed of all chance. Default: the file's, else drawn.")] = None
    settings: Settings = ()
    name: Annotated[str | None, Opt("Name of the run.", metavar="NAME")] = None
    output: Annotated[Path | None, common.output_option("Run folder. Default: runs/NAME.")] = None
    workers: Workers = None
    on: On = None
    rounds: Annotated[
        int | None,
        Opt(
            "Of a tournament by rounds, play this many rounds now and stop. The same "
            "command continues.",
            least=1,
        ),
    ] = None
    log_wire: Annotated[
        LogWire | None,
        Opt(
            "Keep the exchange with each bot in RUN/wire, of the games in which it "
            "commits a fault or of all: for arena try BOT --feed FILE.",
        ),
    ] = None
    shard: Annotated[
        str | None,
        Opt(
            "Play a share of a run that was opened, into a folder of its own: RUN.IofN.",
            metavar="I/N",
        ),
    ] = None
    commit: Annotated[bool, Opt("Print the commitment, and play nothing yet.")] = False
    dry_run: Annotated[bool, Opt("Show what would be played, and stop.")] = False
    quiet: common.Quiet = False
    verbose: common.Verbose = False
    as_json: common.AsJson = False


class _Task(NamedTuple):
    """Tournament to be played, before its folder is decided."""

    tournament: Tournament
    source: TournamentSource
    folder: Path | None
    """Folder of the run that was named; None if a file or bots were named."""
    output: Path | None
    """Absolute folder in which to play, if one was named."""
    shard: Shard | None
    """Share of the run to play; None: all of it."""


def run_tournament(options: RunOptions) -> None:
    """Play the tournament of a file or command line, write and print its tables.

    Ends with typer.Exit for every code but 0.
    """
    task = _task(options)
    if options.dry_run:
        announce.show_dry_run(task.tournament, task.shard or WHOLE)
    elif options.commit:
        _open(task, options)
    else:
        _play(task, options)


def _task(options: RunOptions) -> _Task:
    """Return the task that the options describe.

    Raises BadInput, ConfigError, and StoreError if the named folder holds another shard.
    """
    shard = _shard(options)
    output = options.output and options.output.absolute()  # before the folder changes
    source, folder = _source(options)
    tournament = with_workers(
        _loaded(source, folder, options), options.workers, options.on, options.log_wire
    )
    if folder is not None:  # the run has its seed, even if the file has changed
        tournament = msgspec.structs.replace(tournament, seed=None)
        held = read_manifest(folder).shard
        if held is not None:
            check_shard(folder, held, shard or held)
            shard, output = held, output or folder
    if shard is not None:
        opener_of_shards()
    plans = [each.schedule for each in tournament.disciplines]
    if any("rounds" in kind_of(plan).keys and plan.rounds is None for plan in plans):
        raise BadInput(
            f"{source.targets[0]}: schedule.rounds: found none, so the ladder has no end; expected "
            "rounds: N (arena ladder plays one without)"
        )
    if options.rounds and not any(map(grows, plans)):
        raise BadInput(
            f"--rounds: found {options.rounds}, but what is played does not depend on results; "
            "expected it with a schedule by rounds, such as kind: swiss"
        )
    return _Task(tournament, source, folder, output, shard)


def _loaded(source: TournamentSource, folder: Path | None, options: RunOptions) -> Tournament:
    """Return the tournament; in a run that has begun, too few bots may be left to play.

    ``folder``: the run, if it was named. Raises ConfigError.
    """
    try:
        return tournament_of(source, options.seed)
    except ConfigError:
        with contextlib.suppress(ConfigError):
            found = tournament_of(source, options.seed, has_begun=True)
            if is_run(folder or options.output or Path(found.output.folder)):
                return found
        raise


def _play(task: _Task, options: RunOptions) -> None:
    """Build the bots, play, write and print."""
    with _opened_run(task, options) as (tournament, run):
        log_to(run.folder)
        if not options.quiet:
            _report_resumption(task, tournament, run)
        called = run.as_called(tournament)
        given = announce.named(task.tournament.entrants)
        pairs = zip(tournament.entrants, called.entrants, strict=True)
        bots = {now.name: given[own.name] for own, now in pairs}
        rounds = None if options.rounds is None else RoundLimit(options.rounds)
        reporter = Reporter(quiet=options.quiet, verbose=options.verbose)
        listener = reporter if options.quiet else announce.announced(called, run, reporter)
        played = play(called, run, listener, rounds)
        progress, run = played.progress, played.run
        is_over = run.manifest.is_over and not progress.has_more
        if progress.is_finished and task.shard is None and is_over:
            publish_seed(run.folder, run.opening)
        from arena.views.standings.standings import table_of, write_tables  # slow: not before play

        table = table_of(StoredRun(run.folder, run.manifest))
        write_tables(run.folder, table, [form.value for form in tournament.output.formats])
    _report_result(task, played, reporter.faulty, table, bots, options)


@contextmanager
def _opened_run(task: _Task, options: RunOptions) -> Iterator[tuple[Tournament, Run]]:
    """Yield the tournament with its bots built, and its run or shard, resumed or new.

    Raises as ``with_field``, ``check_cluster``, ``opened`` and what opens a shard.
    """
    whole = task.folder or Path(task.tournament.output.folder)
    check_cluster(task.tournament, task.folder or task.output or whole)
    kept = _kept(task.source)
    with contextlib.ExitStack() as stack:
        with announce.build_steps(quiet=options.quiet) as steps:
            if task.shard is not None:
                folder = task.output or task.shard.folder(whole)
                held = folder if is_run(folder) else whole
                tournament = with_field(task.tournament, held, steps)
                opened_shard = opener_of_shards()
                place = opened_shard(tournament, task.shard, folder, whole, kept)
                run = stack.enter_context(place)
            else:
                tournament, folder = task.tournament, task.folder or whole
                if task.folder is None:
                    tournament, folder = _place(tournament, options)
                begun = built_and_opened(tournament, folder, kept, steps)
                tournament, run = stack.enter_context(begun)
        yield tournament, run


def _report_resumption(task: _Task, tournament: Tournament, run: Run) -> None:
    """Print what has changed since the run was interrupted."""
    has_shards = task.shard is None and not run.manifest.kind.indivisible
    if run.resumed and has_shards and not (run.folder / GAMES).exists():
        console.say(
            "nothing of this run was played yet: all of it is now played here, and at the end"
        )
        console.say("its seed is published; a shard of it plays these games once more")
    if run.change is not None:
        withdrawn = StoredRun(run.folder, run.manifest).withdrawals().withdrawn
        announce.say_change(run.change, tournament, withdrawn)


def _report_result(
    task: _Task,
    played: PlayResult,
    faulty: str | None,
    table: StandingsTable,
    bots: Mapping[str, str],
    options: RunOptions,
) -> None:
    """Print the table and further messages. Ends with typer.Exit for every code but 0."""
    progress, interrupted, run = played
    failed = announce.what_failed(run.folder, progress, options.on, bots, run.manifest)
    warnings = [] if interrupted else list(failed)
    with console.ignoring_closed_output():
        console.print_table(table, "json" if options.as_json else "txt", warnings)
    if not options.quiet:
        if progress.is_finished:
            from arena.views.standings.measured import time_lines  # slow: not before play

            for line in time_lines(StoredRun(run.folder, run.manifest)):
                console.say(line)
        where = (run.folder, progress, faulty)
        announce.say_where(*where, interrupted=interrupted, on=options.on, bots=bots)
        is_paused = not interrupted and progress.is_finished and not run.manifest.is_over
        if options.rounds and is_paused and progress.turn is not None:
            console.say(f"stopped after {turn_words(progress.turn)}; the same command continues")
        if task.shard is not None and progress.is_finished:
            announce.say_played(run.folder, task.shard)
    for warning in warnings:
        console.warn(warning)
    if interrupted:
        raise typer.Exit(console.Exit.INTERRUPTED)
    if not progress.is_complete:
        raise typer.Exit(console.Exit.INVALID_RUN)


def _shard(options: RunOptions) -> Shard | None:
    """Return the shard that ``--shard`` names; None for the whole run. Raises BadInput."""
    if options.shard is None:
        return None
    try:
        shard = Shard.read(options.shard)
    except ValueError:
        found = quote(options.shard)
        raise BadInput(
            f"--shard: found {found}, expected a share such as 2/5, from 1/5 to 5/5"
        ) from None
    if options.commit:
        raise BadInput(f"--shard: found {shard} with --commit, expected one of them")
    if options.game is not None:
        raise BadInput(
            f"--shard: found {shard} with -g, expected it with a tournament file, or with the "
            "folder of a run that was opened"
        )
    return shard


def _open(task: _Task, options: RunOptions) -> None:
    """Begin a run without playing. Raises as ``open_run``, and BadInput."""
    tournament, source = task.tournament, task.source
    if task.folder is not None:
        raise BadInput(f"{task.folder}: found a run, expected a file or -g to open one (--commit)")
    tournament, folder = _place(tournament, options)
    with contextlib.ExitStack() as stack:
        if tournament.on_build_failure is OnBuildFailure.WITHDRAW:  # the commitment has the field
            with announce.build_steps(quiet=options.quiet) as steps:
                place = built_and_opened(tournament, folder, _kept(source), steps)
                tournament, run = stack.enter_context(place)
        else:
            run = stack.enter_context(opened(tournament, folder, _kept(source)))
        commitment = run.manifest.commitment
    if not options.quiet:
        announce.say_opened(folder, run, tournament, None if options.game else source.targets[0])
    if options.as_json:
        data = OpenedData(str(folder), commitment, run.schedule.games)
        console.print_document(OpenedDocument(run=run.manifest.name, data=data, warnings=()))
    else:
        console.out(f"commitment {commitment}")


def _kept(source: TournamentSource) -> TournamentSource:
    """Return the source as run.json keeps it: without seed and values of environment variables."""
    open_ones = tuple(text for text in source.settings if not _is_secret(text))
    return msgspec.structs.replace(source, settings=open_ones)


def _source(options: RunOptions) -> tuple[TournamentSource, Path | None]:
    """Return where the tournament comes from, and the folder if an existing run was named."""
    if options.game is not None:
        return _given(options), None
    for flag, value in (("--seats", options.seats), ("--data", options.data)):
        if value is not None:
            raise BadInput(f"{flag}: found {value}, expected it only with -g GAME")
    if len(options.targets) != 1:
        raise BadInput(
            f"FILE: found {len(options.targets)} arguments, expected one tournament file or run "
            "folder (for bots without a file, name the rules: -g GAME)"
        )
    target = Path(options.targets[0]).absolute()
    if is_run(target):
        return _of_run(target, options), target
    if os.path.isdir(target):
        hint = "a bot? then name the rules too: -g GAME BOT BOT" if _is_bot(target) else ""
        raise BadInput(
            f"{options.targets[0]}: found a folder without run.json, expected a tournament file or "
            f"the folder of a run" + (f" ({hint})" if hint else "")
        )
    if not os.path.exists(target) and (hint := _similar(target)):
        raise BadInput(f"{options.targets[0]}: no such file; {hint}")
    return _given(options), None


def _similar(target: Path) -> str:
    """Return a hint at a tournament file beside ``target`` with nearly its name; or ""."""
    try:
        files = sorted(path.name for path in target.parent.iterdir() if path.suffix in _YAML)
    except OSError:
        return ""
    return did_you_mean(target.name, files) or did_you_mean(f"{target.name}.yaml", files)


def _given(options: RunOptions) -> TournamentSource:
    where, game, seats = str(Path.cwd()), options.game, options.seats
    if game is not None:
        game, size = game_of(game)
        if None not in (size, seats):
            raise BadInput(f"--seats: found {seats}, expected none with -g {game}:{size}")
        seats = seats if size is None else size
    return TournamentSource(
        game=game,
        targets=options.targets,
        settings=(
            *options.settings,
            *common.game_settings(options.positions, options.adjudicate, 0 if game is None else 1),
        ),
        seats=seats,
        data=options.data,
        deals=options.deals,
        name=options.name,
        cwd=where,
    )


def _of_run(folder: Path, options: RunOptions) -> TournamentSource:
    output = options.output and not options.shard
    changed = (options.seed, options.settings, options.deals, options.name)
    if any((*changed, options.positions, options.adjudicate)) or output:
        apply = "-j, --on, --log-wire, -q, -v and --json"
        raise BadInput(f"{folder}: a run continues as it began; only {apply} apply")
    manifest = read_manifest(folder)
    kind = manifest.kind
    if kind.refusal:
        raise BadInput(f"{folder}: {kind.indivisible if options.shard else kind.refusal}")
    source = manifest.source
    if not isinstance(source, TournamentSource) or not source.targets:
        raise BadInput(f"{folder}/run.json: source: found none, expected that of a tournament")
    _enter_start_folder(folder, source)
    return source


def _enter_start_folder(folder: Path, source: TournamentSource) -> None:
    """Change to the folder where the run began.

    Raises BadInput if the tournament file is neither there nor here, or if that folder is gone.
    """
    file = source.targets[0]
    places = [source.cwd] if source.game is not None else [source.cwd, os.getcwd()]
    for place in places:  # the folder may come from another machine, and the file be here
        if source.game is not None or os.path.isfile(os.path.join(place, file)):
            with contextlib.suppress(OSError):
                os.chdir(place)
                return
    what = "which" if source.game is not None else f"where {file}"
    also = "" if source.game is not None else "; go to a folder that has it, and run this again"
    raise BadInput(f"{folder}: began in {source.cwd}, {what} is gone{also}")


def _is_secret(setting: str) -> bool:
    key = setting.partition("=")[0]
    return key == "seed" or "env" in key.split(".")


def _is_bot(folder: Path) -> bool:
    return os.path.isfile(folder / "bot.yaml")


def _place(tournament: Tournament, options: RunOptions) -> tuple[Tournament, Path]:
    """Return the run folder; without a file and a name NAME.1, NAME.2 …, a new one for each run.

    The last one is resumed if it is the same run and was stopped.
    """
    if options.output is not None:
        return tournament, options.output
    folder = Path(tournament.output.folder)
    if options.game is None or options.name is not None:
        return tournament, folder
    number, last = 1, None
    while True:
        numbered = folder.with_name(f"{folder.name}.{number}")
        if not numbered.exists() and last is not None and is_stopped(tournament, last):
            return tournament, last
        try:
            numbered.mkdir(parents=True)
        except FileExistsError:
            number, last = number + 1, numbered
        except OSError as error:
            raise cannot_write(numbered, error) from error
        else:
            return msgspec.structs.replace(tournament, name=numbered.name), numbered


_PANELS: Final = {
    "Tournament": "targets game seats data positions adjudicate deals seed settings isolation name",
    "Play": "workers on rounds shard commit dry_run log_wire",
    "Output": "output form",
}
COMMAND: Final = command(run_tournament, outlives_terminal=True, panels=_PANELS)
