"""Rulings of the organiser: a line of entries.jsonl each, and what follows from all of them.

    verb            what is ruled, see ``Verb``
    author, reason  who has ruled, and why
    bot             the bot that is disqualified or readmitted, with all its versions
    annuls          of a disqualification: true if the games of the bot count for nobody
    game, digest    the game, and the digest of the result that stood when it was ruled
    places          the places of an adjudicated game, by seat
    undoes          the number of the line that is undone

A stored game is never changed. Its faults count for a withdrawal also where it is annulled or
adjudicated: a bot comes back only where games are played again. A ruling holds from its line on:
rounds that were drawn before it stand, and ``growth.past`` shows a run as it was before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Final, NamedTuple, TypeAlias

import msgspec

from arena.values.results import GameResult, Termination, player_of
from arena.values.titles import called

MOST: Final = 500
"""Most characters of a reason."""
_Text: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=MOST)]


class Verb(StrEnum):
    """Kind of a ruling."""

    DISQUALIFY = "disqualify"
    READMIT = "readmit"
    ANNUL = "annul"
    """The game counts for nobody."""
    REPLAY = "replay"
    """The game is played again; what stood does not count."""
    ADJUDICATE = "adjudicate"
    COMMENT = "comment"
    UNDO = "undo"


OF_GAMES: Final = frozenset({Verb.ANNUL, Verb.REPLAY, Verb.ADJUDICATE})
OF_BOTS: Final = frozenset({Verb.DISQUALIFY, Verb.READMIT})


class RunRuling(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """Ruling in a line of entries.jsonl; the docstring of this module describes its fields."""

    verb: Verb
    author: _Text
    reason: _Text
    bot: str = ""
    annuls: bool = False
    game: str = ""
    digest: str = ""
    places: tuple[Annotated[int, msgspec.Meta(ge=1)], ...] = ()
    undoes: int = 0

    def effect(self) -> str:
        """Return what is ruled, in words."""
        match self.verb:
            case Verb.DISQUALIFY:
                then = "its games count for nobody" if self.annuls else "what it played stands"
                return f"{called(self.bot)} is disqualified; {then}"
            case Verb.READMIT:
                return f"{called(self.bot)} is readmitted"
            case Verb.ANNUL:
                return f"game {self.game} counts for nobody"
            case Verb.REPLAY:
                return f"game {self.game} is played again"
            case Verb.ADJUDICATE:
                places = ", ".join(map(str, self.places))
                return f"game {self.game} has the places {places} by seat"
            case Verb.UNDO:
                return f"ruling {self.undoes} is undone"
        return ""

    def words(self, number: int) -> str:
        """Return the whole ruling of a line in words."""
        effect = self.effect()
        told = f"{effect}: {self.reason}" if effect else self.reason
        return f"ruling {number} by {self.author}: {told}"


Made: TypeAlias = Sequence[tuple[int, RunRuling]]
"""Rulings with the numbers of their lines, in order."""


class Rulings(NamedTuple):
    """Rulings in force, by the bots and games that they are about."""

    barred: Mapping[str, RunRuling] = {}
    """Disqualifications by player."""
    annulled: Mapping[str, int] = {}
    """Number of the ruling by game."""
    adjudicated: Mapping[str, tuple[int, tuple[int, ...]]] = {}
    """Number of the ruling and places by game."""
    replayed: Mapping[tuple[str, str], int] = {}
    """Number of stored results that do not stand, by game and digest."""
    spare: Mapping[str, int] = {}
    """Number of results, by game, that may have been stored for rulings that are undone now."""
    changes_games: bool = False
    """True if any stored game does not count as it was stored."""

    def reader(self) -> Callable[[GameResult], GameResult | None]:
        """Return a function for one pass through the stored results, in their order.

        It returns a result as it was ruled, or None for one that does not stand any more.
        """
        left, spare, met = Counter(self.replayed), Counter(self.spare), set[str]()

        def ruled(result: GameResult) -> GameResult | None:
            game, digest = result.spec.game_id, result.digest
            if left[game, digest]:
                left[game, digest] -= 1
                return None
            if game in met and spare[game]:
                spare[game] -= 1
                return None
            if spare:
                met.add(game)
            return self.adjudged(result)

        return ruled

    def adjudged(self, result: GameResult) -> GameResult:
        """Return a result with the places that were ruled; others as they are."""
        if (found := self.adjudicated.get(result.spec.game_id)) is None:
            return result
        number, places = found
        return msgspec.structs.replace(
            result,
            termination=Termination.ADJUDICATED,
            places=places,
            scores=None,
            ruling=f"ruling {number}",
            moves_digest="",
        )


NO_RULINGS: Final = Rulings()
"""No ruling at all."""


def in_force(made: Made) -> Rulings:
    """Return the rulings of ``made`` that hold. One whose undoing is undone holds again."""
    undone = _undone(made)
    barred: dict[str, RunRuling] = {}
    annulled: dict[str, int] = {}
    adjudicated: dict[str, tuple[int, tuple[int, ...]]] = {}
    replayed: Counter[tuple[str, str]] = Counter()
    spare: Counter[str] = Counter()
    for number, each in made:
        if number in undone:
            if each.verb is Verb.REPLAY:
                spare[each.game] += 1
            continue
        match each.verb:
            case Verb.DISQUALIFY:
                barred[player_of(each.bot)] = each
            case Verb.READMIT:
                barred.pop(player_of(each.bot), None)
            case Verb.ANNUL:
                annulled[each.game] = number
            case Verb.ADJUDICATE:
                adjudicated[each.game] = number, each.places
            case Verb.REPLAY:
                replayed[each.game, each.digest] += 1
                annulled.pop(each.game, None)
                adjudicated.pop(each.game, None)
    changes_games = bool(annulled or adjudicated or replayed or spare)
    return Rulings(barred, annulled, adjudicated, replayed, spare, changes_games)


def told(made: Made, *, hides_games: bool = False) -> list[tuple[int, str]]:
    """Return each ruling in words with its number, and whether it is undone.

    ``hides_games``: leave out the ids of games, which say who played.
    """
    undone, found = _undone(made), []
    for number, each in made:
        words = each.words(number)
        if hides_games and each.game:
            words = words.replace(f"game {each.game}", "a game")
        found.append((number, f"{words} (undone)" if number in undone else words))
    return found


def are_places(places: Sequence[int], seats: int) -> bool:
    """Return whether these can be the places of a game: 1 is there, equal ones share the better."""
    ranks = [1 + sum(other < place for other in places) for place in places]
    return len(places) == seats and ranks == [*places]


def _undone(made: Made) -> set[int]:
    """Return the numbers of the rulings that are undone at present."""
    undone: set[int] = set()
    for number, each in reversed(made):
        if each.verb is Verb.UNDO and number not in undone:
            undone.add(each.undoes)
    return undone


def unsound_ruling(made: Made, ruling: RunRuling) -> str:
    """Return why a ruling cannot follow those before it; empty if it can."""
    verb, now = ruling.verb, in_force(made)
    fields = ("bot", "game", "digest", "places", "undoes", "annuls")
    used = {name for name in fields if getattr(ruling, name)}
    wanted = {
        Verb.ANNUL: {"game", "digest"},
        Verb.REPLAY: {"game", "digest"},
        Verb.ADJUDICATE: {"game", "digest", "places"},
        Verb.DISQUALIFY: {"bot"},
        Verb.READMIT: {"bot"},
        Verb.UNDO: {"undoes"},
    }.get(verb, set())
    if used - ({"annuls"} if verb is Verb.DISQUALIFY else set()) != wanted:
        return f"a ruling, {verb}, with other fields than {', '.join(sorted(wanted)) or 'a reason'}"
    if not (ruling.author.isprintable() and ruling.reason.isprintable()):
        return "a ruling with control characters"
    if verb in OF_BOTS and (player_of(ruling.bot) in now.barred) == (verb is Verb.DISQUALIFY):
        return f"{ruling.bot} is {'' if verb is Verb.DISQUALIFY else 'not '}disqualified"
    if verb is Verb.ANNUL and ruling.game in now.annulled:
        return f"game {ruling.game} is annulled before"
    if verb is Verb.UNDO:
        known = {number for number, _ in made} - _undone(made)
        if ruling.undoes not in known:
            return f"line {ruling.undoes} is no ruling that is in force"
    return ""
