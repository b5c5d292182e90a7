"""Messages of ``arena run`` before and after play, during builds, and of its dry run."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Final

from msgspec import UNSET

from arena import __version__
from arena.cli.terminal.console import out_text, rewriting, say, warn
from arena.cli.terminal.progress import fewer_words
from arena.entrants.entrants import Entrant, EntrantKind
from arena.games.base import titles
from arena.games.registry import make_rules
from arena.hosting.machine.capacity import cores
from arena.runs.config.disciplines import excess
from arena.runs.config.texts import resolved_yaml
from arena.runs.config.tournament import Tournament
from arena.runs.field import FieldChange
from arena.runs.growth.kinds import RunKind, run_kind
from arena.runs.manifest import Manifest
from arena.runs.store import WIRE
from arena.runs.withdrawals import Ground
from arena.schedule.keys import Discipline
from arena.schedule.kinds.registry import grows, kind_of
from arena.schedule.pairings import WHOLE, Shard
from arena.schedule.schedule import Schedule
from arena.schedule.seeds import Seeds
from arena.tournament.events import Event, Listener, Started
from arena.tournament.players import SILENT, BuildCallbacks, BuildFailed
from arena.tournament.progress import Progress, Trouble
from arena.tournament.run import Run
from arena.values.numbers import count
from arena.values.problems import shown_path
from arena.values.results import VERSION_JOINT, FaultKind
from arena.values.titles import called, entitle

_WORST: Final = 3
"""Number of faulty bots for which the command to repeat a faulty game is printed."""


def announced(tournament: Tournament, run: Run, listener: Listener) -> Listener:
    """Return the listener, which first prints what is about to be played."""

    def heard(event: Event) -> None:
        if isinstance(event, Started):
            _say_start(tournament, run, event)
        listener(event)

    return heard


def _say_start(tournament: Tournament, run: Run, event: Started) -> None:
    """Print what is about to be played, and the commitment, which a person may want to keep."""
    progress, workers = event.progress, event.workers
    what = "continues" if run.resumed else "begins"
    if progress.is_finished:
        what = "is complete" if run.manifest.is_over else "waits for other bots"
    head = f"arena {__version__}  run {run.manifest.title} {what}"
    for line in sizes(head, tournament, run.schedule, where(tournament, workers)):
        say(line)
    if not run.resumed:
        _warn_of_excess(tournament)
    if progress.levels:
        say(f"isolation: {_isolation(tournament, progress, run)}")
    say(f"commitment {run.manifest.commitment}")
    if fewer := fewer_words(progress.figures()):
        reasons = (
            f"{called(each.name)}: withdrawn: {each.reason}" for each in progress.withdrawn.values()
        )
        for line in (*reasons, fewer):
            say(line)
    if progress.earlier:
        say(f"{progress.earlier} games are stored, {progress.left} to play")


def say_change(change: FieldChange, tournament: Tournament, withdrawn: Collection[str]) -> None:
    """Print which bots enter and leave the field of a run that is resumed.

    ``withdrawn``: entrants that were withdrawn; they do not play when they come back.
    """
    named = {each.name for each in tournament.entrants}
    for name in change.entered:
        if name in withdrawn:
            say(f"{called(name)} is back and does not play: it was withdrawn")
            continue
        first = name.partition(VERSION_JOINT)[0]
        say(
            f"{called(name)} enters"
            if name in named
            else f"{called(name)} enters: {first} has changed since"
        )
    forfeit = run_kind(kind_of(tournament.disciplines[0].schedule).run).forfeit
    for name in change.left:
        say("; ".join(filter(None, (f"{called(name)} plays no more; its games stand", forfeit))))


def lines_of_round(run: Run) -> Iterator[str]:
    """Yield lines on a round that follows from results: its decisions and its pairings."""
    change = run.change
    if change is not None and change.follows is not UNSET:
        field, kind = run.manifest.field, run.manifest.kind
        yield from kind.round_lines(field, change.follows, change.pairings)
    if change is not None and change.refills is not UNSET:
        tables = sum(map(len, change.pairings.values()))
        yield f"{count(tables, 'new table')} in place of those of withdrawn bots"


def where(tournament: Tournament, workers: int) -> str:
    """Return where games are played: ``2 workers``, ``on tls://host:8786``."""
    on, most = tournament.execution.on, tournament.execution.workers
    if on is None:
        return count(workers, "worker")
    return f"on {on}" if most is None else f"on {on}, at most {count(most, 'worker')}"


def _isolation(tournament: Tournament, progress: Progress, run: Run) -> str:
    """Return isolation levels (``limits``, ``sandbox = bubblewrap``), and whether they changed.

    They are compared with the levels at the beginning of the run.
    """
    wanted = {each.name: each.isolation.value for each in tournament.entrants}
    levels = progress.levels
    pairs = dict.fromkeys((wanted[name], level) for name, level in levels.items())
    text = ", ".join(want if want == level else f"{want} = {level}" for want, level in pairs)
    began = run.manifest.machine.isolation
    is_as_before = all(began.get(name, level) == level for name, level in levels.items())
    return text if is_as_before else f"{text} (not as when the run began)"


def say_where(
    folder: Path,
    progress: Progress,
    faulty: str | None,
    *,
    interrupted: bool,
    on: str | None = None,
    bots: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Say where files are and how to continue. ``faulty``: id of the first game with a fault.

    ``on``: the cluster that was named for this call alone. ``bots``: as in ``what_failed``, which
    reports bots that had a fault in every game.
    """
    shown = shlex.quote(shown_path(folder))
    if faulty is not None:
        wrote = (
            f"   what bots wrote: {shown}/logs/NAME.stderr" if has_logs(folder, "*.stderr") else ""
        )
        say(f"faults: arena replay {shown} {faulty}{wrote}")
    told = {*progress.failed, *progress.withdrawn}
    worst = [name for name, _ in progress.faults.most_common() if name not in told]
    for name in worst[:_WORST]:
        if (trouble := progress.trouble(name)) is not None:
            bot = bots.get(name, "BOT")
            what = f"{called(name)}: {trouble.kind} in {count(trouble.times, 'game')}"
            say(f"{what}: {_once_more(folder, trouble, bot) or f'arena check {bot}'}")
    if (folder / WIRE).is_dir():
        say(f"exchanges: {shown}/{WIRE}/NAME   one of them again: arena try BOT --feed FILE")
    if interrupted:
        say(f"interrupted, everything is saved; go on with: {_again(folder, on)}")
    elif progress.done:
        say(f"run {shown}   replay: arena replay {shown} 1   verify: arena verify {shown}")


def say_played(folder: Path, shard: Shard) -> None:
    """Print what to do with a shard that is complete."""
    own, folders = f"{shard.number}of{shard.of}", "FOLDER..."
    if folder.name.endswith(f".{own}"):
        start = folder.with_name(folder.name.removesuffix(own))
        folders = f"{shlex.quote(shown_path(start))}*of{shard.of}"
    say(f"shard {shard} is complete; with all of them in one place: arena merge {folders}")


def has_logs(folder: Path, pattern: str = "*") -> bool:
    """Return whether the logs of a run hold files of this pattern."""
    return any((folder / "logs").glob(pattern))


def _again(folder: Path, on: str | None) -> str:
    """Return the command that resumes a run."""
    where = "" if on is None else f" --on {shlex.quote(on)}"
    return f"arena run {shlex.quote(shown_path(folder))}{where}"


def what_failed(
    folder: Path,
    progress: Progress,
    on: str | None = None,
    bots: Mapping[str, str] = MappingProxyType({}),
    manifest: Manifest | None = None,
) -> Iterator[str]:
    """Yield lines on what keeps the run from finishing, and on failed bots with remedies.

    ``on``: as in ``say_where``. ``bots``: command-line names from ``named``, by bot, of the bots
    that are present. ``manifest``: of the run, if it may be played by rounds.
    """
    again = f"go on with: {_again(folder, on)}"
    shown = shlex.quote(shown_path(folder))
    see = f"; see {shown}/logs" if has_logs(folder) else ""
    kind = RunKind() if manifest is None else manifest.kind
    for withdrawal in progress.withdrawn.values():
        name = withdrawal.name
        yield f"{called(name)} was withdrawn: {withdrawal.reason}; {kind.withdrawn}"
        if withdrawal.ground is Ground.BUILD and has_logs(folder, f"{name}.build"):
            yield f"{name}: what its build printed: {shown}/logs/{name}.build"
        yield from _remedy(folder, progress, name, bots.get(name, "BOT"))
    if progress.is_finished and not progress.is_complete:
        yield "too few bots are left to play"
    if progress.stopped:
        yield f"the run was stopped: {progress.stopped}{see}"
    if progress.waiting:
        from arena.views.standings.tables import THROUGH  # slow, and seldom needed

        causes = Counter(progress.waiting.values())
        parts = ", ".join(f"{number} through {THROUGH[cause]}" for cause, number in causes.items())
        yield (
            f"{count(len(progress.waiting), 'game')} void and not counted ({parts}): "
            f"see {shown}/voids.jsonl; {again}"
        )
    elif progress.left and not progress.stopped:
        yield f"{count(progress.left, 'game')} still to be played; {again}"
    if progress.has_more:
        yield f"tables of withdrawn bots are still to be filled again; {again}"
    for name in progress.failed:
        yield f"{called(name)} had a fault in every game{see}"
        yield from _remedy(folder, progress, name, bots.get(name, "BOT"))


def named(entrants: Iterable[Entrant]) -> dict[str, str]:
    """Return the command-line word of each bot by name: its folder before the build, or command."""
    return {
        each.name: shlex.quote(
            shown_path(each.given) if each.kind is EntrantKind.BOT else shlex.join(each.words)
        )
        for each in entrants
    }


def _remedy(folder: Path, progress: Progress, name: str, bot: str) -> Iterator[str]:
    """Yield advice on a bot that finishes no game."""
    trouble = progress.trouble(name)
    if trouble is None:
        return
    often = f"{called(name)}: most often {trouble.kind} (in {count(trouble.times, 'game')})"
    text = f"{often}; find out why: arena check {bot}"
    if again := _once_more(folder, trouble, bot):
        text += f"; such a game again: {again}"
    yield text


def _once_more(folder: Path, trouble: Trouble, bot: str) -> str:
    """Return the command that repeats the questions of a faulty game of ``bot``, or ""."""
    if trouble.kind is FaultKind.STARTUP:
        return ""
    game = shlex.quote(f"{shown_path(folder)}#{trouble.game}")
    held = " --no-clock" if trouble.kind is FaultKind.TIMEOUT else ""
    return f"arena try {bot} --from {game} --seat {trouble.seat}{held}"


def sizes(head: str, tournament: Tournament, schedule: Schedule, workers: str) -> Iterator[str]:
    """Yield a line on the size of the tournament, and one for each of several disciplines."""
    several = len(tournament.disciplines) > 1
    total = f"{len(tournament.disciplines)} disciplines, {schedule.numbers} games"
    total += _in_shard(schedule.games, schedule.numbers)
    own = titles({each.name: make_rules(each.rules).info for each in tournament.disciplines})
    parts = [f"{own[each.name]}, {_size(each, schedule)}" for each in tournament.disciplines]
    yield f"{head}  {total if several else parts[0]}, {workers}"
    if several:
        yield from (f"  {part}" for part in parts)


def _size(discipline: Discipline, schedule: Schedule) -> str:
    """Return ``3 entrants, 3 pairings × 50 deals × 2 seatings = 300 games``."""
    name, deals = discipline.name, count(discipline.schedule.deals, "deal")
    entrants, seatings = count(len(discipline.entrants), "entrant"), schedule.seatings(name)
    kind, plan, seats = kind_of(discipline.schedule), discipline.schedule, discipline.rules.seats
    rounds = kind.possible_rounds(plan, len(discipline.entrants), seats)
    if grows(plan) and rounds is None:
        kinds = ", then ".join(each.kind for each in discipline.schedule.parts)
        return f"{entrants}, {kinds}, {count(seatings, 'seating')} a deal"
    if rounds is not None:
        tables = len(discipline.entrants) // discipline.rules.seats
        games = rounds * tables * discipline.schedule.deals * seatings
        return (
            f"{entrants}, {count(rounds, 'round')} × {count(tables, 'pairing')} × "
            f"{deals} × {count(seatings, 'seating')} = {count(games, 'game')}"
        )
    games = schedule.pairings(name) * discipline.schedule.deals * seatings
    all_games = f"{count(games, 'game')}{_in_shard(schedule.games_of(name), games)}"
    if discipline.rules.seats == 1:
        return f"{entrants} × {deals} = {all_games}"
    return (
        f"{entrants}, {count(schedule.pairings(name), 'pairing')} × {deals} × "
        f"{count(seatings, 'seating')} = {all_games}"
    )


def _in_shard(own: int, games: int) -> str:
    return "" if own == games else f", of which {own} in this shard"


def say_opened(folder: Path, run: Run, tournament: Tournament, file: str | None) -> None:
    """Say what was opened and how to use it. ``file``: the tournament file, if there is one."""
    shown = shlex.quote(shown_path(folder))
    head = f"arena {__version__}  run {run.manifest.name} is open"
    for line in sizes(head, tournament, run.schedule, "nothing was played"):
        say(line)
    if run.manifest.kind.indivisible:
        say(f"play it by the same command without --commit; it begins with {shown}/seed.json")
        say("until the run has ended that file is a secret: it fixes all deals")
        return
    what = f"{shown}, {file} and its bots" if file else f"{shown} and the bots"
    say(f"copy {what} to each machine; there play a share, for example the second of five:")
    say(f"  arena run {shlex.quote(file) if file else shown} --shard 2/5")
    say(f"until the shards are merged {shown}/seed.json is a secret: it fixes all deals")


def show_dry_run(tournament: Tournament, shard: Shard = WHOLE) -> None:
    """Print the resolved file on standard output and the size of the run on standard error."""
    # Any seed gives the same counts.
    schedule = Schedule(tournament.disciplines, Seeds.of(tournament.seed or ""), shard)
    out_text(resolved_yaml(tournament).rstrip("\n"))
    workers = where(tournament, tournament.execution.workers or cores())
    for line in sizes("would play", tournament, schedule, f"{workers}; nothing was started"):
        say(line)
    entitle({each.name: each.title for each in tournament.entrants})
    first = min(tournament.disciplines, key=lambda each: each.name)
    seeds = None if tournament.seed is None else Seeds.of(tournament.seed)
    for line in kind_of(first.schedule).preview(first, seeds):
        say(line)
    _warn_of_excess(tournament)


def _warn_of_excess(tournament: Tournament) -> None:
    for text in excess(tournament.disciplines):
        warn(text)


@contextmanager
def build_steps(*, quiet: bool) -> Iterator[BuildCallbacks]:
    """Show which bot is being built: on a rewritten line, or in a log as one line for each."""
    if quiet:
        yield SILENT
        return
    with rewriting() as show:

        def cleared(runs: int) -> None:
            if runs:
                say(f"{count(runs, 'killed run')} had left bots or their folders behind: removed")

        def building(number: int, total: int, name: str) -> None:
            show(f"building {number}/{total} {name}")

        def withdrawn(name: str, failure: BuildFailed) -> None:
            show("")
            for problem in failure.problems:
                for line in f"{name} is withdrawn: {problem.found}".split("\n"):
                    say(line)

        yield BuildCallbacks(cleared, building, withdrawn)
