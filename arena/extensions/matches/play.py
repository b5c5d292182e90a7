"""Plays or resumes a match of two, or of more, until it is decided."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import count as count_from
from pathlib import Path
from typing import Final, cast

import msgspec

from arena import __version__
from arena.entrants.entrants import Entrant, EntrantKind
from arena.extensions.matches.contest import checked, match_of
from arena.extensions.matches.judge import ContestJudge, MatchJudge
from arena.extensions.matches.options import MatchOptions, criteria_of
from arena.extensions.matches.statistics.match import Match
from arena.extensions.matches.statistics.report import JudgedReport, MatchReport, MatchSide, Verdict
from arena.extensions.matches.terms import Terms, match_terms
from arena.games.base import titles
from arena.games.registry import make_rules
from arena.runs.config.tournament import Tournament
from arena.runs.disk import write_json, writing
from arena.runs.identity import identity, identity_digest
from arena.runs.manifest import MatchSource, Source, Until
from arena.schedule.schedule import Schedule
from arena.tournament.events import Event, Listener, Message, Started, Tone
from arena.tournament.prepare import opened_to_play, play, with_bots, with_workers
from arena.tournament.run import publish_seed
from arena.values.numbers import count
from arena.values.problems import shown_path

NAMED: Final = 24
"""Characters of an entrant's name in the name of a folder."""
_HASH: Final = 8


class MatchInterrupted(KeyboardInterrupt):
    """Interrupt of a match by a person; everything is saved."""


def play_match(
    options: MatchOptions,
    listener: Listener,
    terms: Terms | None = None,
    called: tuple[str, str] | None = None,
) -> MatchReport:
    """Play or resume a match until its verdict, or answer from its stored games.

    ``terms``: for sides that ``options`` cannot describe alone. ``called``: their names in the
    verdict; None: as given. The report is also written to the run folder. Raises BadInput,
    ConfigError, StoreError, PoolError, IsolationError, and MatchInterrupted if a person stopped it.
    """
    began = time.monotonic()
    candidate, baseline = options.bots
    test = criteria_of(options)
    terms = terms or match_terms(options.bots, options, options.lineup)
    tournament = with_workers(terms.tournament, options.workers, options.on)
    called = called or (candidate, baseline)
    names = [entrant.name for entrant in tournament.entrants]
    match = checked(
        lambda: match_of(tournament.disciplines, names, called, test, options.measure),
        "block",
        test.max_games,
    )
    entrants = sides_of(tournament.entrants, terms.commits, called)
    one, other = map(program_of, tournament.entrants)
    if one == other and not options.allow_identical:
        return _same(entrants, match)
    source = MatchSource(
        candidate=candidate, baseline=baseline, games=options.games, cwd=str(Path.cwd())
    )
    report = play_contest(
        tournament,
        lambda schedule: MatchJudge(schedule, match, began, options.max_time),
        entrants,
        options,
        listener,
        began=began,
        deals=match.deals,
        source=source,
        called="-vs-".join(name[:NAMED] for name in names),
        subject=f"match {called[0]} against {called[1]}",
    )
    return cast(MatchReport, report)


def _same(entrants: Sequence[MatchSide], match: Match) -> MatchReport:
    """Return the report on two bots that are the same files."""
    first, second = entrants
    return MatchReport(
        arena=__version__,
        verdict=Verdict.INVALID,
        reason=f"{first.called} and {second.called} are the same files with the same options, so "
        "there is nothing to compare",
        candidate=first,
        baseline=second,
        test=match.test,
        llr=0.0,
        bounds=match.bounds,
        blocks=0,
        games_counted=0,
        games_stored=0,
        games_left=None,
        games=(),
        run="",
    )


def play_contest(
    tournament: Tournament,
    judge_of: Callable[[Schedule], ContestJudge],
    entrants: Sequence[MatchSide],
    options: MatchOptions,
    listener: Listener,
    *,
    began: float,
    source: Source,
    called: str,
    subject: str,
    deals: int | None = None,
) -> JudgedReport:
    """Play or resume a run until its contest is decided, or answer from its stored games.

    ``judge_of``: returns the judge of the contest. ``entrants``: all sides before any game.
    ``began``: time of the command on the monotonic clock. ``called``: readable part of the name of
    the usual folder. ``subject``: the entrants, for people. ``deals``: most deals of each
    discipline. Raises as ``opened_to_play`` and ``play``, StoreError, and MatchInterrupted.
    """
    tournament = with_bots(tournament)
    folder = options.output or _usual_folder(tournament, called, options.seed)
    name = folder.absolute().name or "match"
    tournament = msgspec.structs.replace(tournament, name=name)
    infos = {each.name: make_rules(each.rules).info for each in tournament.disciplines}
    with opened_to_play(tournament, folder, source, Until.MATCH) as run:
        if run.resumed:
            _warn_of_commands(tournament.entrants, listener)
        judge = judge_of(run.schedule)
        path = folder / judge.file
        _forget(path)

        def heard(event: Event) -> None:
            if isinstance(event, Started):
                games = ", ".join(titles(infos).values())
                listener(Message(f"arena {__version__}  {subject}: {games}"))
                if earlier := event.progress.earlier:
                    listener(Message(f"{count(earlier, 'game')} are stored"))
                shown = shown_path(run.folder)
                listener(Message(f"commitment {run.manifest.commitment}   run {shown}"))
            listener(event)

        played = play(tournament, run, heard, judge, deals)
        report = judge.report(played.progress, entrants, run)
        if played.interrupted and judge.decision is None:
            text = "interrupted, everything is saved; the same command continues"
            listener(Message(text, Tone.LINE))
            raise MatchInterrupted(str(folder))
        publish_seed(run.folder, run.opening)
        write_json(path, report)
    return msgspec.structs.replace(report, seconds=round(time.monotonic() - began, 3))


def _forget(report: Path) -> None:
    """Remove a report of fewer games, so that a killed run leaves none. Raises StoreError."""
    with writing(report):
        report.unlink(missing_ok=True)


def _warn_of_commands(entrants: Sequence[Entrant], listener: Listener) -> None:
    """Warn of commands, whose files are unknown, so stored games may be of older versions."""
    for each in entrants:
        if _is_loose(each):
            text = (
                f"{each.name} is a command: if anything has changed but the files that it names, "
                "the stored games are those of an older version; a folder with a bot.yaml is "
                "looked at as a whole"
            )
            listener(Message(text, Tone.WARNING))


def _is_loose(entrant: Entrant) -> bool:
    """Return True if the entrant may change without notice."""
    return entrant.kind is EntrantKind.COMMAND and not entrant.files


def _usual_folder(tournament: Tournament, name: str, seed: str | None) -> Path:
    """Return the folder that belongs to these entrants and games, so that none is played twice.

    With a bot that is a bare command the folder is always new, because its files are not known.
    """
    key = identity_digest(identity(tournament, Until.MATCH), seed=seed)[:_HASH]
    folder = Path(tournament.output.folder).parent / f"{name}-{key}"
    if not any(map(_is_loose, tournament.entrants)):
        return folder
    numbered = (folder.with_name(f"{folder.name}.{number}") for number in count_from(1))
    return next(each for each in numbered if not each.exists())


def sides_of(
    entrants: Sequence[Entrant], commits: Sequence[str], given: Sequence[str]
) -> list[MatchSide]:
    """Return the sides before any game; ``given``: the texts that name the entrants."""
    every = zip(entrants, commits, given, strict=True)
    return [MatchSide(each.name, {}, 0, each.digest, commit, text) for each, commit, text in every]


def program_of(entrant: Entrant) -> tuple[object, ...]:
    """Return a key that is equal for entrants with the same program and options."""
    return (entrant.digest, entrant.words, entrant.options, entrant.env, entrant.build)
