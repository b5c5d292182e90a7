"""The kinds of runs: what ends a run, what continues it, how its seeds are published, its words.

A run is of the kind that ends it, else of the kind that its schedule names. A further kind is one
class and one line of ``RUN_KINDS``, or of ``runs`` in an extension.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Final, Protocol, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from arena import extensions
from arena.runs.field import Field, FieldChange, Following
from arena.runs.withdrawals import Breaker, WithdrawalState
from arena.schedule.pairings import Pairing
from arena.schedule.schedule import Done, Schedule
from arena.schedule.seeds import Opening, Seeds, new_opening
from arena.values.archives import Archive
from arena.values.results import GameResult, Learning, SeatUsage

Changes: TypeAlias = Sequence[FieldChange]
NextRound: TypeAlias = tuple[Following, dict[str, tuple[Pairing, ...]]]
"""A round that follows from results, and its pairings by discipline; none: no more follow."""


class RoundResults(Protocol):
    """Results of a run from which its rounds follow."""

    def add(self, result: GameResult, spent: Sequence[SeatUsage] = ()) -> None:
        """Add a finished game, once. ``spent``: resources by seat, as far as known."""


class Lessons(Protocol):
    """Files that bots have kept by the beginning of a leg, in a run with learning."""

    def archive(self, name: str) -> Archive:
        """Return what a bot has learnt."""

    def is_at(self, leg: int) -> bool:
        """Return whether the leg is that whose first game is ``leg``."""

    def turn_to(self, leg: int, schedule: Schedule, breaker: Callable[[Done], Breaker]) -> None:
        """Read what was written before another leg. Raises StoreError.

        ``breaker``: see ``StoredRun.breaker``.
        """


class RunKind:
    """A tournament whose pairings are known before play, and the base of the other kinds."""

    command: ClassVar[str] = ""
    """Command that continues the run from its own settings; empty: ``arena run FOLDER`` does."""
    refusal: ClassVar[str] = ""
    """Reason why ``arena run`` does not continue it."""
    note: ClassVar[str] = ""
    """Words on a run in place of its standings."""
    indivisible: ClassVar[str] = ""
    """Reason why it has no shards."""
    ending: ClassVar[str] = "to its end"
    """How such a run is played."""
    held: ClassVar[tuple[str, str]] = (
        "a run of another config, which cannot be resumed",
        "--name or --output",
    )
    """Content of a folder that cannot be played into, and the options for another folder."""
    withdrawn: ClassVar[str] = "its games count for nobody"
    """Which games of a withdrawn bot count."""
    forfeit: ClassVar[str] = ""
    """Words for the loss of a bot that leaves."""
    resting: ClassVar[tuple[str, str, str]] = ("has a bye", "have byes", "bye")
    """Predicate of one player without a table in a round, of several, and a note in a table."""
    table: ClassVar[str] = "ratings"
    """Name of what decides the places, a key of ``views.standings.run_view.VIEWS`` or of
    ``run_views`` in an extension."""
    columns: ClassVar[frozenset[str]] = frozenset()
    """Further columns of the table of bots on a site, by title."""
    verdict: ClassVar[str] = ""
    """Name of the file with the verdict that ends the run."""
    annuls: ClassVar[bool] = True
    """True if games can be ruled to count for nobody; not where rounds follow from points."""
    shows_unfinished_deals: ClassVar[bool] = False
    """True if games are shown though their deal may be played again."""
    guards_seed: ClassVar[bool] = False
    """True if its seed becomes a secret again when the run is continued."""

    def planned(self, games: int) -> int | None:
        """Return the number of games to play out of ``games``; None if something else ends it."""
        return games

    def progress(self, counting: int, planned: int | None) -> tuple[str, ...]:
        """Return notices on the number of games so far."""
        is_through = planned is None or counting >= planned
        return () if is_through else (f"{counting} of {planned} games played so far",)

    def kept(self, seconds: float | UnsetType) -> float | UnsetType:
        """Return for how long records are kept at least; unset: for good."""
        return UNSET

    def results(self, margins: Mapping[str, bool]) -> RoundResults | None:
        """Return an empty collection of the results that rounds or places follow from; else None.

        ``margins``: by the name of a discipline whose margins count, whether fewer points are
        better.
        """
        return None

    def lessons(self, folder: Path, most: Learning) -> Lessons | None:
        """Return what bots have learnt before the first game; None in a run of one round."""
        return None

    def next_round(
        self,
        field: Field,
        schedule: Schedule,
        played: RoundResults | None,
        verdict: WithdrawalState,
        seeds: Seeds,
        anchor: str,
    ) -> NextRound | None:
        """Return the round that follows when the last one has ended; None if none follows now.

        ``seeds``: of the run; on a ladder, of the round. ``anchor``: entrant that fixes the scale
        of the ratings, or "". Raises BadInput if there are too many players for the rules of
        pairing.
        """
        return None

    def differing(
        self,
        lines: Iterable[tuple[Field, FieldChange]],
        schedule: Schedule,
        played: RoundResults | None,
        verdict: WithdrawalState,
        lots: Iterable[Seeds | None],
        anchor: str,
    ) -> Iterator[tuple[int, str]]:
        """Yield each stored round that does not follow: its line number, and what differs.

        ``lines``: each change with the field before it. ``lots``: the seeds that ``next_round``
        takes, for each change; None if not known yet.
        """
        yield from ()

    def latecomer(self, field: Field, entered: Iterable[str]) -> str:
        """Return the first of ``entered`` that may not enter any more; empty if all may."""
        return ""

    def settled(self, field: Field, schedule: Schedule, number: int) -> str:
        """Return why the result of a game cannot be ruled otherwise any more; empty if it can."""
        return ""

    def round_lines(
        self, field: Field, follows: Following, pairings: Mapping[str, Sequence[Pairing]]
    ) -> Iterator[str]:
        """Yield lines for people on the newest round of a run."""
        yield from ()

    def counts_from(self, schedule: Schedule, withdrawn_at: int) -> int:
        """Return the first game of a bot that does not count if it was withdrawn at a game."""
        return 0

    def committed(self, opening: Opening) -> Opening:
        """Return what the commitment of the run binds."""
        return opening

    def stored(self, opening: Opening) -> Opening:
        """Return the opening as it was read from the seed's file, without what follows from it."""
        return opening

    def later(self, opening: Opening, changes: Changes) -> Sequence[Opening]:
        """Return the openings of the commitments of ``changes``."""
        return opening.later

    def following(self, opening: Opening, changes: Changes) -> Opening:
        """Return the opening of the next change's commitment, if the change follows from games."""
        return Opening(opening.seed, opening.salt)  # fixed by the commitment of the run

    def entering(self, opening: Opening, changes: Changes, seed: str | None) -> Opening:
        """Return the opening of the next change's commitment, if somebody enters with it."""
        return new_opening(seed)

    def with_change(self, opening: Opening, own: Opening, number: int) -> Opening:
        """Return the opening to store with that of change ``number``, from 0."""
        return msgspec.structs.replace(opening, later=(*opening.later[:number], own))

    def publishing(self, follows: Following, opening: Opening) -> Following:
        """Return ``follows`` with the seeds that its line publishes."""
        return follows

    def unfit(self, change: FieldChange, own: Opening, opening: Opening) -> str:
        """Return why ``own`` is a wrong seed of a change, though its commitment fits; else "".

        Where a round follows from earlier games, it must be the seed of the run: else its deals
        could be chosen when the pairings are known.
        """
        if change.is_derived and own.seed != opening.seed:
            return "the seed is not that of the first round, which its deals follow from"
        return ""

    def lots(self, opening: Opening, changes: Changes) -> list[Seeds | None]:
        """Return the seeds that draw the pairings of each change; None where not published yet."""
        return [Seeds.of(opening.seed)] * len(changes)

    def published(self, changes: Changes) -> Opening | None:
        """Return the seeds that were published before the end; unpublished ones are empty."""
        return None

    def published_games(self, changes: Changes, schedule: Schedule) -> int:
        """Return the number of the first game whose round has no published seed."""
        return 0

    def unfit_published(self, changes: Changes, config: str, commitment: str) -> str:
        """Return which line publishes a seed that contradicts earlier commitments; else "".

        ``config``: digest of the run's identity. Needs no seed of the run.
        """
        return ""

    def unproven(self, changes: Changes) -> str:
        """Return what published seeds do not prove, in words."""
        return ""


class OpenEnded(RunKind):
    """A run that something else ends than its schedule; nobody enters it."""

    table = "unplaced"

    def planned(self, games: int) -> int | None:
        """Return None."""
        return None


RUN_KINDS: Final[dict[str, RunKind]] = {"tournament": RunKind()}
"""Kinds by name: ``until`` of a run, else ``run`` of its schedule; all but one of extensions."""


def run_kind(name: str) -> RunKind:
    """Return the kind of runs of that name. Raises BadInput if no extension brings it."""
    if name not in RUN_KINDS:
        RUN_KINDS[name] = extensions.need(f"a run of the kind {name}", "runs", name)()
    return RUN_KINDS[name]
