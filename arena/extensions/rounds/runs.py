"""The kinds of runs by rounds: tournaments, and ladders.

A ladder may never end, so each of its rounds has its own seed, in a hash chain that the commitment
of the run fixes (``seed_chain.SeedChain``). The line of entries.jsonl that begins a round publishes
the seed of the round before, whose games are all on disk by then:

    opens           that seed. Its SHA-256 is the seed published before; for the first round of a
                    stretch (a part of the chain), the end of the stretch
    fixes           in the first round of each stretch, the end of the next stretch: long before
                    anybody knows who will meet on its deals

The lines suffice to check the published seeds, and the deals and lots of all rounds but the last.
They reveal nothing of what is still to be played.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

import msgspec
from msgspec import UNSET, UnsetType

from arena.extensions.rounds import seed_chain
from arena.extensions.rounds.following import differing, following, latecomer
from arena.extensions.rounds.learning import LearningState
from arena.extensions.rounds.pairing.state import Played
from arena.extensions.rounds.seed_chain import SeedChain, seed_before
from arena.extensions.rounds.words import round_lines
from arena.runs.field import ENTRIES, Field, FieldChange, Following, is_fitting
from arena.runs.growth.kinds import Changes, NextRound, RoundResults, RunKind
from arena.runs.withdrawals import WithdrawalState
from arena.schedule.kinds.registry import kind_of
from arena.schedule.pairings import Pairing
from arena.schedule.schedule import Schedule
from arena.schedule.seeds import Opening, Seeds
from arena.values.results import Learning


class LeagueRun(RunKind):
    """A tournament whose pairings are known before play, and whose table goes by points."""

    table = "league"

    def results(self, margins: Mapping[str, bool]) -> Played:
        """Return an empty collection, in which every block is a match."""
        return Played(margins, lambda spec: spec.block)


class RoundsRun(RunKind):
    """A tournament whose pairings follow from results, round by round."""

    indivisible = "its rounds follow from results of all games: no shard of it"
    withdrawn = "what it won in rounds that had ended stands, its games count for no rating"
    forfeit = "it forfeits its games left in an unfinished round"
    table = "points"
    annuls = False

    def results(self, margins: Mapping[str, bool]) -> Played:
        """Return an empty collection."""
        return Played(margins)

    def lessons(self, folder: Path, most: Learning) -> LearningState:
        """Return what bots have learnt before the first game."""
        return LearningState(folder, most)

    def next_round(
        self,
        field: Field,
        schedule: Schedule,
        played: RoundResults | None,
        verdict: WithdrawalState,
        seeds: Seeds,
        anchor: str,
    ) -> NextRound | None:
        """Return the round that follows when the last one has ended."""
        return following(field, schedule, cast(Played, played), verdict, seeds, anchor)

    def differing(
        self,
        lines: Iterable[tuple[Field, FieldChange]],
        schedule: Schedule,
        played: RoundResults | None,
        verdict: WithdrawalState,
        lots: Iterable[Seeds | None],
        anchor: str,
    ) -> Iterator[tuple[int, str]]:
        """Yield each stored round that does not follow."""
        return differing(lines, schedule, cast(Played, played), verdict, lots, anchor)

    def latecomer(self, field: Field, entered: Iterable[str]) -> str:
        """Return the first who may not enter any more."""
        return latecomer(field, entered)

    def settled(self, field: Field, schedule: Schedule, number: int) -> str:
        """Return whether the players of later rounds were chosen by the result of a game."""
        places = [place for place, each in enumerate(field.follows) if each and field.rounds[place]]
        own = max(place for place in places if schedule.start_of(place) <= number)
        stages = [follows.stage or 0 for follows in field.follows if follows]
        plan = field.rounds[0][0].schedule.parts[_stage(field, own)]
        if own == places[-1]:
            return ""
        if _stage(field, own) < max(stages):
            return "its stage has ended, and who plays in the next one followed from it"
        if not kind_of(plan).ranks:
            return "its round of the knockout has ended, and the next one followed from it"
        return ""

    def round_lines(
        self, field: Field, follows: Following, pairings: Mapping[str, Sequence[Pairing]]
    ) -> Iterator[str]:
        """Yield the decisions and pairings of the newest round."""
        return round_lines(field, follows, pairings, self.resting)


def _stage(field: Field, place: int) -> int:
    follows = field.follows[place]
    return 0 if follows is None else follows.stage or 0


class LadderRun(RoundsRun):
    """A run whose rounds place newcomers, and all of whose results count for the ratings."""

    withdrawn = "its games in the rounds before count"
    forfeit = ""
    resting = ("sits out", "sit out", "sits out")
    table = "ladder"
    annuls = True
    columns = frozenset({"state"})
    guards_seed = True

    def settled(self, field: Field, schedule: Schedule, number: int) -> str:
        """Return "": no round of a ladder chooses who plays in the next one."""
        return ""

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
        return Opening(SeedChain(opening.seed).of(1 + sum(map(_adds_round, changes))), "")

    def entering(self, opening: Opening, changes: Changes, seed: str | None) -> Opening:
        """Return the seed of the next round."""
        return self.following(opening, changes)

    def with_change(self, opening: Opening, own: Opening, number: int) -> Opening:
        """Return ``opening``, from which all seeds follow."""
        return opening

    def publishing(self, follows: Following, opening: Opening) -> Following:
        """Return ``follows`` with the seed of the round before, and the end of a stretch."""
        over, length, chain = follows.over, seed_chain.STRETCH, SeedChain(opening.seed)
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

    def published(self, changes: Changes) -> Opening:
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

    def unfit_published(self, changes: Changes, config: str, commitment: str) -> str:
        """Return which line publishes a seed that contradicts earlier commitments."""
        known: list[str] = []
        ends: list[str] = []
        for line, change in enumerate(changes, 1):
            if not isinstance(change.follows, Following):
                continue
            over, opens, fixes = change.follows.over, change.follows.opens, change.follows.fixes
            is_first = over % seed_chain.STRETCH == 0
            if (opens is UNSET) == (over > 0) or (fixes is UNSET) == is_first:
                return f"{ENTRIES} line {line}: publishes fewer or more seeds than it has to"
            if isinstance(opens, str):
                stretch, place = divmod(over - 1, seed_chain.STRETCH)
                before = seed_before(opens)
                if over == 1:
                    fits = Opening(before, "").commitment(config) == commitment
                else:
                    fits = before == (known[-1] if place else ends[stretch - 1])
                if not fits:
                    text = f"opens round {over} with another seed than was fixed for it"
                    return f"{ENTRIES} line {line}: {text}"
                known.append(opens)
            if isinstance(fixes, str):
                ends.append(fixes)
        later = self.published(changes).later
        for line, (change, own) in enumerate(zip(changes, later, strict=True), 1):
            if own.seed and not is_fitting(own, change):
                return f"{ENTRIES} line {line}: the seed does not fit the commitment"
        return ""

    def unproven(self, changes: Changes) -> str:
        """Return that the deals of the last rounds are not proved."""
        rounds = len(published_seeds(changes))
        return f"its seed is a secret: of the deals after round {rounds} nothing is proved"


def turns(changes: Changes) -> Iterator[int]:
    """Yield for each change the number of the round that it adds, from 1.

    For a change that adds no round from results, it is the number of the next such round.
    """
    over = 0
    for change in changes:
        yield over + 1
        over += _adds_round(change)


def _adds_round(change: FieldChange) -> bool:
    return change.follows is not UNSET and bool(change.pairings)  # the last line adds none


def published_seeds(changes: Changes) -> tuple[str, ...]:
    """Return the published seeds of the rounds of a ladder, from the first round on."""
    follows = (change.follows for change in changes)
    found = (each.opens for each in follows if isinstance(each, Following))
    return tuple(each for each in found if isinstance(each, str))
