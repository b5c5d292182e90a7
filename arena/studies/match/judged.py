"""A run that ends when its judge has decided: its folder, games and report.

Matches and families of candidates are such runs.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import count as count_from
from pathlib import Path
from typing import Final, Protocol, TypeVar

import msgspec

from arena import __version__
from arena.config.tournament import Tournament
from arena.documents.problems import shown_path
from arena.entrants.entrants import Entrant, EntrantKind
from arena.games.base import titles
from arena.games.registry import make_rules
from arena.ratings.match.match import Decision
from arena.ratings.match.report import BestTest, Criteria, MatchSide, Verdict
from arena.runs.disk import write_json, writing
from arena.runs.identity import identity, identity_digest
from arena.runs.manifest import Source, Until
from arena.text.numbers import count
from arena.tournament.events import Event, Judge, Listener, Message, Started, Tone
from arena.tournament.prepare import opened_to_play, play
from arena.tournament.progress import Progress
from arena.tournament.run import Run, publish_seed

NAMED: Final = 24
"""Characters of an entrant's name in the name of a folder."""
_HASH: Final = 8


class MatchInterrupted(KeyboardInterrupt):
    """Interrupt of a match by a person; everything is saved."""


class Contested(Protocol):
    """A match, or several, that games decide."""

    @property
    def test(self) -> Criteria | BestTest:
        """Settings of the test."""

    @property
    def games(self) -> int:
        """Number of games that count."""

    @property
    def decision(self) -> Decision | None:
        """Decision by the games; None while it is open."""


class ContestJudge(Judge):
    """Base of the judges of a run: which games count, and how long play may last."""

    def __init__(self, contest: Contested, began: float, max_time: float | None) -> None:
        self.stored = 0
        """Number of finished games, counted or not."""
        self._contested = contest
        self._deadline = None if max_time is None else began + max_time
        self._late = False

    @property
    def is_over(self) -> bool:
        """True if the contest is decided or its time is up."""
        if self._deadline is not None and time.monotonic() >= self._deadline:
            self._late = True
        return self._late or self.decision is not None

    @property
    def decision(self) -> Decision | None:
        """Decision by the games alone; None while it is open."""
        return self._contested.decision

    def undecided(self, progress: Progress) -> Decision:
        """Return the decision of games just played that decide nothing."""
        if progress.stopped:
            return Decision(Verdict.INVALID, progress.stopped)
        if progress.waiting and not self._late:
            causes = Counter(progress.waiting.values())
            through = ", ".join(f"{number} through {cause}" for cause, number in causes.items())
            games = count(len(progress.waiting), "game")
            reason = f"{games} could not be played ({through}); try again"
            return Decision(Verdict.INVALID, reason)
        reason = self._too_late() if self._late else self._nothing_more()
        return Decision(Verdict.INCONCLUSIVE, reason)

    def still_undecided(self, verdict: Verdict, reason: str) -> Decision:
        """Return the decision of stored games that decide nothing.

        ``verdict``, ``reason``: those of a report. They are used only for facts that a run folder
        does not hold: why games could not be played, or that the time was up.
        """
        if verdict is Verdict.INVALID:
            return Decision(verdict, reason)
        is_late = reason == self._too_late()
        return Decision(Verdict.INCONCLUSIVE, reason if is_late else self._nothing_more())

    def _too_late(self) -> str:
        return f"the time was used up after {count(self._contested.games, 'game')}"

    def _nothing_more(self) -> str:
        return f"{count(self._contested.games, 'game')} were played"


D = TypeVar("D", bound=ContestJudge)
R = TypeVar("R", bound=msgspec.Struct)


def play_judged(
    tournament: Tournament,
    folder: Path,
    source: Source,
    listener: Listener,
    *,
    subject: str,
    judge_of: Callable[[Run], D],
    report_of: Callable[[D, Progress, Run], R],
    name: str,
    deals: int | None = None,
) -> R:
    """Play or resume a run until its judge decides, or answer from its stored games.

    ``subject``: the entrants, for people. ``name``: the file in the run folder to which the report
    is written. ``deals``: as for ``play``. Raises as ``opened_to_play`` and ``play``, StoreError,
    and MatchInterrupted if a person stopped it before it was decided.
    """
    infos = {each.name: make_rules(each.rules).info for each in tournament.disciplines}
    with opened_to_play(tournament, folder, source, Until.MATCH) as run:
        if run.resumed:
            _warn_of_commands(tournament.entrants, listener)
        judge = judge_of(run)
        _forget(folder / name)

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
        report = report_of(judge, played.progress, run)
        if played.interrupted and judge.decision is None:
            text = "interrupted, everything is saved; the same command continues"
            listener(Message(text, Tone.LINE))
            raise MatchInterrupted(str(folder))
        publish_seed(run.folder, run.opening)
        write_json(folder / name, report)
    return report


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


def usual_folder(tournament: Tournament, name: str, seed: str | None) -> Path:
    """Return the folder that belongs to these entrants and games, so that none is played twice.

    With a bot that is a bare command the folder is always new, because its files are not known.
    """
    key = identity_digest(identity(tournament, Until.MATCH), seed=seed)[:_HASH]
    folder = Path(tournament.output.folder).parent / f"{name}-{key}"
    if not any(map(_is_loose, tournament.entrants)):
        return folder
    numbered = (folder.with_name(f"{folder.name}.{number}") for number in count_from(1))
    return next(each for each in numbered if not each.exists())


def sides(
    entrants: Sequence[Entrant], commits: Sequence[str], given: Sequence[str]
) -> list[MatchSide]:
    """Return the sides before any game; ``given``: the texts that name the entrants."""
    every = zip(entrants, commits, given, strict=True)
    return [MatchSide(each.name, {}, 0, each.digest, commit, text) for each, commit, text in every]


def program(entrant: Entrant) -> tuple[object, ...]:
    """Return a key that is equal for entrants with the same program and options."""
    return (entrant.digest, entrant.words, entrant.options, entrant.env, entrant.build)
