"""``arena run``."""

from __future__ import annotations

import dataclasses
import logging
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Final

import msgspec
import typer

from arena.cli.announce import say_start, say_what_failed, say_where
from arena.cli.console import BadInput, Exit, say
from arena.cli.plan import cores, count, show_plan
from arena.cli.progress import Display, Reporter, display
from arena.cli.standings import print_table, table_of, write_tables
from arena.hosting.yard import clear_abandoned
from arena.tournament.build import build
from arena.tournament.config import Tournament, load_tournament, quick_tournament
from arena.tournament.disk import cannot_write
from arena.tournament.problems import did_you_mean
from arena.tournament.progress import Progress
from arena.tournament.run import (
    ConfigMismatch,
    Listener,
    Run,
    is_stopped,
    open_run,
    open_seed,
    play,
)
from arena.tournament.runner import Pool
from arena.tournament.store import is_run, locked, read_manifest

_YAML: Final = {".yaml", ".yml"}


@dataclasses.dataclass(frozen=True, kw_only=True)
class RunOptions:
    """What was asked for on the command line."""

    targets: tuple[str, ...]
    game: str | None
    seats: int | None
    data: str | None
    deals: int | None
    seed: str | None
    settings: tuple[str, ...]
    name: str | None
    output: Path | None
    workers: int | None
    dry_run: bool
    quiet: bool
    verbose: bool
    as_json: bool


class Source(msgspec.Struct, frozen=True):
    """Where a tournament comes from, so that its run can be resumed by its folder alone."""

    game: str | None
    targets: tuple[str, ...]
    settings: tuple[str, ...]
    seats: int | None = None
    data: str | None = None
    deals: int | None = None
    name: str | None = None
    cwd: str = ""
    """Where relative paths begin."""

    def kept(self) -> dict[str, Any]:
        """As written to run.json: without the seed and values of environment variables."""
        open_ones = [text for text in self.settings if not _is_secret(text)]
        return {**msgspec.to_builtins(self), "settings": open_ones}

    def load(self, seed: str | None) -> Tournament:
        """The tournament. Raises ConfigError."""
        settings = self.settings
        if self.game is None:
            if self.deals is not None:
                settings += (f"schedule.deals={self.deals}",)
            if seed is not None:
                settings += (f"seed={_quoted(seed)}",)
            if self.name is not None:
                settings += (f"name={_quoted(self.name)}",)
            return load_tournament(Path(self.targets[0]), settings)
        return quick_tournament(
            self.game,
            self.targets,
            seats=self.seats,
            data=self.data,
            deals=self.deals,
            seed=seed,
            name=self.name,
            overrides=settings,
        )


def run_tournament(options: RunOptions) -> None:
    """Load, build, play, write and print. Ends with typer.Exit for every code but 0."""
    source, folder = _source(options)
    tournament = source.load(options.seed)
    if folder is not None:  # the run has its seed, whatever the file says by now
        tournament = msgspec.structs.replace(tournament, seed=None)
    if options.workers is not None:
        tournament = _with_workers(tournament, options.workers)
    if options.dry_run:
        show_plan(tournament)
        return
    cleared = clear_abandoned()
    if cleared and not options.quiet:
        say(f"{count(cleared, 'killed run')} had left bots or their folders behind: removed")
    built = [build(entrant, readable=tournament.readable) for entrant in tournament.entrants]
    tournament = msgspec.structs.replace(tournament, entrants=tuple(built))
    if folder is None:
        tournament, folder = _place(tournament, options)
    with locked(folder):
        try:
            run = open_run(tournament, folder, source.kept())
        except ConfigMismatch as mismatch:
            raise _mismatch(folder, mismatch) from None
        _log_to(folder)
        progress, interrupted, faulty = _play(tournament, run, options)
        if progress.is_finished:
            open_seed(run)
        table = table_of(folder)
        write_tables(folder, table, [form.value for form in tournament.output.formats])
    print_table(table, "json" if options.as_json else "txt")
    if not options.quiet:
        say_where(folder, progress, faulty, interrupted=interrupted)
    if not interrupted:
        say_what_failed(folder, progress)
    if interrupted:
        raise typer.Exit(Exit.INTERRUPTED)
    if progress.withdrawn or not progress.is_finished:
        raise typer.Exit(Exit.INVALID_RUN)


def _source(options: RunOptions) -> tuple[Source, Path | None]:
    """Where the tournament comes from, and the folder if an existing run was named."""
    if options.game is not None:
        return _given(options), None
    for flag, value in (("--seats", options.seats), ("--data", options.data)):
        if value is not None:
            raise BadInput(f"{flag}: found {value}, expected it only with -g GAME")
    if len(options.targets) != 1:
        raise BadInput(
            f"found {len(options.targets)} arguments, expected one tournament file or run folder "
            "(for bots without a file, name the rules: -g GAME)"
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
    """A tournament file beside the target with nearly its name, as a hint; or nothing."""
    try:
        files = sorted(path.name for path in target.parent.iterdir() if path.suffix in _YAML)
    except OSError:
        return ""
    return did_you_mean(target.name, files) or did_you_mean(f"{target.name}.yaml", files)


def _given(options: RunOptions) -> Source:
    where = str(Path.cwd())
    return Source(
        game=options.game,
        targets=options.targets,
        settings=options.settings,
        seats=options.seats,
        data=options.data,
        deals=options.deals,
        name=options.name,
        cwd=where,
    )


def _of_run(folder: Path, options: RunOptions) -> Source:
    if options.seed or options.settings or options.deals or options.name or options.output:
        raise BadInput(f"{folder}: a run goes on as it began; only -j, -q, -v and --json apply")
    try:
        source = msgspec.convert(read_manifest(folder).source, Source)
        os.chdir(source.cwd)
    except msgspec.ValidationError as error:
        raise BadInput(f"{folder}/run.json: source: {error}") from None
    except OSError as error:
        raise BadInput(f"{source.cwd}: the run began there: {error.strerror}") from None
    return source


def _with_workers(tournament: Tournament, workers: int) -> Tournament:
    return msgspec.structs.replace(
        tournament,
        execution=msgspec.structs.replace(tournament.execution, workers=workers),
        origins={**tournament.origins, "execution.workers": f"-j {workers}"},
    )


def _is_secret(setting: str) -> bool:
    key = setting.partition("=")[0]
    return key == "seed" or "env" in key.split(".")


def _quoted(text: str) -> str:
    """A YAML text, whatever is in it."""
    return msgspec.json.encode(text).decode()


def _is_bot(folder: Path) -> bool:
    return os.path.isfile(folder / "bot.yaml")


def _place(tournament: Tournament, options: RunOptions) -> tuple[Tournament, Path]:
    """The run folder; without a file and a name NAME.1, NAME.2 …, a new one for each run.

    The last one goes on if it is the same run and was stopped.
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


def _mismatch(folder: Path, mismatch: ConfigMismatch) -> BadInput:
    lines = "\n".join(f"  {line}" for line in mismatch.differences)
    return BadInput(
        f"{folder}: holds a run of another config, which cannot be resumed:\n{lines}\n"
        "play into another folder (--name or --output), or delete this one"
    )


def _play(
    tournament: Tournament, run: Run, options: RunOptions
) -> tuple[Progress, bool, str | None]:
    """Play with everything a person sees of it.

    Returns also whether it was interrupted, and the first game with a fault.
    """
    sitting = _Sitting(tournament, run, options)
    with sitting.signals():
        try:
            play(tournament, run, sitting.workers, sitting.listener(), sitting.can_stop)
        except KeyboardInterrupt:
            sitting.interrupted = True
        finally:
            sitting.end()
    return sitting.progress, sitting.interrupted, sitting.faulty


class _Sitting:
    """What a person sees of one stretch of play, and how it is stopped."""

    def __init__(self, tournament: Tournament, run: Run, options: RunOptions) -> None:
        self._tournament = tournament
        self._run = run
        self._display: Display = display(quiet=options.quiet)
        self._reporter = Reporter(self._display, verbose=options.verbose)
        self._quiet = options.quiet
        self._pool: Pool | None = None
        self._told = False
        self._showing = False
        self.workers = tournament.execution.workers or cores()
        self.progress = Progress(run.schedule.games)
        self.interrupted = False

    @property
    def faulty(self) -> str | None:
        """The first game with a fault."""
        return self._reporter.faulty

    def listener(self) -> Listener:
        """What is called during play."""
        reporter = self._reporter
        return Listener(self._started, reporter.game, reporter.void, self._tick, reporter.withdrawn)

    def can_stop(self, pool: Pool) -> None:
        """From now on an interrupt lets the games in hand finish."""
        self._pool = pool

    @contextmanager
    def signals(self) -> Iterator[None]:
        """Catch what asks us to stop: once, finish the games in hand; twice, stop now."""
        asking = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        before = {number: signal.signal(number, self._asked) for number in asking}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def end(self) -> None:
        """Play is over, one way or the other."""
        if self._showing:
            self._display.stop(self.progress)

    def _asked(self, number: int, frame: FrameType | None) -> None:
        if self.interrupted or self._pool is None:
            raise KeyboardInterrupt
        self.interrupted = True
        self._pool.stop()

    def _started(self, progress: Progress) -> None:
        self.progress = progress
        if not self._quiet:
            say_start(self._tournament, self._run, progress, self.workers)
        self._showing = progress.left > 0 and not progress.stopped
        if self._showing:
            self._display.start(progress)

    def _tick(self, progress: Progress) -> None:
        if self.interrupted and not self._told:
            self._told = True
            self._display.note("stopping: the games in hand are finished; again to stop now")
        self._display.tick(progress)


def _log_to(folder: Path) -> None:
    """Our own log, workers included, goes to the run folder; warnings are also shown."""
    formatter = logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    file = logging.FileHandler(folder / "logs" / "arena.log", delay=True)
    file.setFormatter(formatter)
    logging.raiseExceptions = False  # a log that cannot be written ends nothing and says nothing
    logging.basicConfig(level=logging.INFO, handlers=[file], force=True)
