"""The kinds of runs: what ends a run, what continues it, how its seeds are published, its words.

A run is of the kind that ends it, else of the kind that its schedule names. A further kind is one
class and one line of ``RUN_KINDS``.

A ladder may never end, so each of its rounds has its own seed, in a hash chain that the commitment
of the run fixes (``schedule.seeds.SeedChain``). The line of entries.jsonl that begins a round
publishes the seed of the round before, whose games are all on disk by then:

    opens           that seed. Its SHA-256 is the seed published before; for the first round of a
                    stretch (a part of the chain), the end of the stretch
    fixes           in the first round of each stretch, the end of the next stretch: long before
                    anybody knows who will meet on its deals

The lines suffice to check the published seeds, and the deals and lots of all rounds but the last.
They reveal nothing of what is still to be played.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from arena import extensions
from arena.runs.field import FieldChange, Following
from arena.schedule import seeds
from arena.schedule.rounds.state import Played
from arena.schedule.schedule import Schedule
from arena.schedule.seeds import Opening, SeedChain, Seeds, new_opening

Changes: TypeAlias = Sequence[FieldChange]


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
    """Name of what decides the places, a key of ``views.standings.standings.PLACES``."""
    columns: ClassVar[frozenset[str]] = frozenset()
    """Further columns of the table of bots on a site, by title."""
    verdict: ClassVar[str] = ""
    """Name of the file with the verdict that ends the run."""
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

    def results(self) -> Played | None:
        """Return an empty collection of the results that rounds follow from; None if none do."""
        return None

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
        is_derived = change.follows is not UNSET or change.refills is not UNSET
        if is_derived and own.seed != opening.seed:
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


class RoundsRun(RunKind):
    """A tournament whose pairings follow from results, round by round."""

    indivisible = "its rounds follow from results of all games: no shard of it"
    withdrawn = "what it won in rounds that had ended stands, its games count for no rating"
    forfeit = "it forfeits its games left in an unfinished round"
    table = "points"

    def results(self) -> Played | None:
        """Return an empty collection."""
        return Played()


class LadderRun(RoundsRun):
    """A run whose rounds place newcomers, and all of whose results count for the ratings."""

    withdrawn = "its games in the rounds before count"
    forfeit = ""
    resting = ("sits out", "sit out", "sits out")
    table = "ladder"
    columns = frozenset({"state"})
    guards_seed = True

    def kept(self, seconds: float | UnsetType) -> float | UnsetType:
        """Return ``seconds``."""
        return seconds

    def counts_from(self, schedule: Schedule, withdrawn_at: int) -> int:
        """Return the first game of the round of the withdrawal."""
        return schedule.round_of(withdrawn_at).start

    def committed(self, opening: Opening) -> Opening:
        """Return the end of the first stretch."""
        return Opening(SeedChain(opening.seed).end(0), "")

    def stored(self, opening: Opening) -> Opening:
        """Return ``opening`` without later seeds, which follow from its own."""
        return msgspec.structs.replace(opening, later=())

    def later(self, opening: Opening, changes: Changes) -> Sequence[Opening]:
        """Return the seeds of the chain, or those that ``published`` has found."""
        if opening.later:
            return opening.later
        chain = SeedChain(opening.seed)
        return [Opening(chain.of(number), "") for number in turns(changes)]

    def following(self, opening: Opening, changes: Changes) -> Opening:
        """Return the seed of the next round."""
        rounds = (each.follows for each in reversed(changes))
        last = next((each for each in rounds if isinstance(each, Following)), None)
        return Opening(SeedChain(opening.seed).of(1 if last is None else last.over + 2), "")

    def entering(self, opening: Opening, changes: Changes, seed: str | None) -> Opening:
        """Return the seed of the next round."""
        return self.following(opening, changes)

    def with_change(self, opening: Opening, own: Opening, number: int) -> Opening:
        """Return ``opening``, from which all seeds follow."""
        return opening

    def publishing(self, follows: Following, opening: Opening) -> Following:
        """Return ``follows`` with the seed of the round before, and the end of a stretch."""
        over, length, chain = follows.over, seeds.STRETCH, SeedChain(opening.seed)
        return msgspec.structs.replace(
            follows,
            opens=chain.of(over) if over else UNSET,
            fixes=UNSET if over % length else chain.end(over // length + 1),
        )

    def unfit(self, change: FieldChange, own: Opening, opening: Opening) -> str:
        """Return whether a line publishes other seeds than those of the chain."""
        follows = change.follows
        if isinstance(follows, Following) and follows != self.publishing(follows, opening):
            return "the seeds it publishes are not those that the seed of the run gives"
        return ""

    def lots(self, opening: Opening, changes: Changes) -> list[Seeds | None]:
        """Return the seeds of the rounds."""
        later = self.later(opening, changes)
        return [Seeds.of(each.seed) if each.seed else None for each in later]

    def published(self, changes: Changes) -> Opening | None:
        """Return the published seeds of the rounds."""
        known = published_seeds(changes)
        of_turns = (known[n - 1] if n <= len(known) else "" for n in turns(changes))
        return Opening("", "", tuple(Opening(seed, "") for seed in of_turns))

    def published_games(self, changes: Changes, schedule: Schedule) -> int:
        """Return the number of the first game whose round has no published seed."""
        known = len(published_seeds(changes))
        for added, (number, change) in enumerate(zip(turns(changes), changes, strict=True), 1):
            if number > known and change.pairings:
                return schedule.start_of(added)
        return schedule.numbers


class OpenEnded(RunKind):
    """A run that something else ends than its schedule; nobody enters it."""

    table = "unplaced"

    def planned(self, games: int) -> int | None:
        """Return None."""
        return None


class MatchRun(OpenEnded):
    """A match, or matches of several bots: a verdict ends it."""

    command = "arena compare"
    refusal = "holds a match, which the same `arena compare` continues"
    indivisible = "a match is judged by all its games as they come: no shard of it"
    ending = "for a verdict"
    held = ("another match, which this one cannot go on with", "-o")
    verdict = "match.json"

    def progress(self, counting: int, planned: int | None) -> tuple[str, ...]:
        """Return where the verdict is found."""
        return (
            f"{counting} games of a match; its verdict, which a few of them may come after, "
            "is shown by arena compare",
        )


class PersonRun(OpenEnded):
    """A person plays with bots, deal after deal without end, each in one seating."""

    refusal = "a person plays there: the same `arena play` deals the next game"
    note = "a person plays there: the same arena play deals the next game"
    indivisible = refusal
    ending = "by a person"
    held = ("the games of another table", "-o")
    shows_unfinished_deals = True

    def progress(self, counting: int, planned: int | None) -> tuple[str, ...]:
        """Return nothing."""
        return ()


RUN_KINDS: Final[dict[str, RunKind]] = {
    "tournament": RunKind(),
    "rounds": RoundsRun(),
    "ladder": LadderRun(),
    "match": MatchRun(),
    "person": PersonRun(),
}
"""Kinds that no extension brings, by name: ``until`` of a run, else ``run`` of its schedule."""


def run_kind(name: str) -> RunKind:
    """Return the kind of runs of that name. Raises BadInput if no extension brings it."""
    if name not in RUN_KINDS:
        RUN_KINDS[name] = extensions.need(f"a run of the kind {name}", "runs", name)()
    return RUN_KINDS[name]


def turns(changes: Changes) -> Iterator[int]:
    """Yield for each change the number of the round that it adds, from 1.

    For a change that adds no round from results, it is the number of the next such round.
    """
    over = 0
    for change in changes:
        yield over + 1
        over += change.follows is not UNSET and bool(change.pairings)


def published_seeds(changes: Changes) -> tuple[str, ...]:
    """Return the published seeds of the rounds of a ladder, from the first round on."""
    follows = (change.follows for change in changes)
    found = (each.opens for each in follows if isinstance(each, Following))
    return tuple(each for each in found if isinstance(each, str))
