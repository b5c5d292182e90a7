"""The keys of the section ``schedule``, of kinds in extensions too, and the ``Discipline``."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from arena.values.results import Adjudicate, RatedBy, RulesSpec
from arena.values.units import Name

_TIMES: Final = 4
"""Default of ``most`` as a multiple of ``deals``."""

MOST_SUDDEN: Final = 100
"""Largest number of deals of sudden death; each is a round of the run."""
KINDS_NAME: Final = "ScheduleKind"
"""Name of the kinds in the JSON Schema."""
KIND_NAMES: Final[list[str]] = []
"""Names of all kinds, filled by ``kinds.registry``."""
SHARED_KEYS: Final = frozenset({"kind", "deals", "seatings"})
"""Keys that every kind accepts."""


class Decide(StrEnum):
    """Condition under which a tie of a knockout is decided before ``most`` deals are played."""

    POINTS = "points"
    """The tie is decided as soon as one entrant is ahead."""
    TEST = "test"
    """The tie is decided when a sequential test shows who is stronger."""


class Seeding(StrEnum):
    """Order of the seeds in the bracket, which makes the best entrants meet late."""

    STANDARD = "standard"
    """Order 1 v 16, 8 v 9; at larger tables the snake 1 8 9 16."""
    EQUAL_DISTANCE = "equal_distance"
    """Order 1 v 9, 2 v 10; at larger tables 1 5 9 13. First rounds are harder and rarely tied."""


class GroupDraw(StrEnum):
    """Distribution of the seeds over groups."""

    SNAKE = "snake"
    """Back and forth in the order of the seeds: 1 to A, 2 to B, and the next row in reverse."""
    SEEDED = "seeded"
    """One of each pot of neighbouring seeds to each group, drawn by the seed of the run."""


class Lineup(StrEnum):
    """The distribution of a match's two entrants over the seats."""

    EVEN = "even"
    """Half the seats each, the odd one in turns: every lineup with its mirror image."""
    ALONE = "alone"
    """The entrant in ``focus`` on each seat in turn, the other one on all others."""
    TEAMS = "teams"
    """The seats of even numbers against those of odd ones, and the mirror image."""


class Seatings(StrEnum):
    """The seatings in which a deal is played."""

    ROTATE = "rotate"
    """As many as there are seats: the rotations of a random order, drawn for each deal."""
    ALL = "all"
    """Every order of the entrants; in an even match every lineup."""


_KIND: Final[dict[str, Any]] = {
    "extra": {"words": KIND_NAMES},
    "extra_json_schema": {"$ref": f"#/$defs/{KINDS_NAME}"},
}
"""Metadata of a key whose value is the name of a kind."""


class _ByResults(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``kind`` and ``deals``, then the keys of kinds whose pairings follow from results."""

    kind: Annotated[str, Meta(description="Which entrants meet.", **_KIND)] = "round_robin"
    deals: int | None = None
    rounds: Annotated[
        Annotated[int, Meta(ge=1, le=1_000)] | None,
        Meta(
            description="With the kinds swiss and ladder: how many rounds are played. A ladder "
            "without it has no end."
        ),
    ] = None
    lives: Annotated[
        int,
        Meta(
            ge=1,
            le=2,
            description="With the kind knockout: 2 is double elimination, for two seats.",
        ),
    ] = 1
    advance: Annotated[
        int,
        Meta(
            ge=1,
            le=1_000,
            description="With the kind knockout at three and four seats: how many of a table "
            "advance. With the kind groups: how many of a group.",
        ),
    ] = 1
    of: Annotated[
        Annotated[int, Meta(ge=2, le=1_000)] | None,
        Meta(description="With the kind groups: how many entrants are in a group, at most."),
    ] = None
    draw: Annotated[
        GroupDraw | None,
        Meta(
            description="With the kind groups: snake (in the order of the seeds, back and forth) "
            "or seeded (one of each pot, drawn). Default: snake."
        ),
    ] = None
    seeding: Annotated[
        Seeding,
        Meta(
            description="With the kind knockout: standard (1 v 16, 8 v 9) or equal_distance "
            "(1 v 9, 8 v 16)."
        ),
    ] = Seeding.STANDARD
    seeded: Annotated[
        Annotated[int, Meta(ge=0, le=10_000)] | None,
        Meta(
            description="With the kind knockout: how many keep their place as seeds; the others "
            "are drawn. Default: all."
        ),
    ] = None
    third_place: Annotated[
        bool, Meta(description="With the kind knockout: play for the third place.")
    ] = False
    second_final: Annotated[
        bool,
        Meta(
            description="With two lives: whether the entrant without a loss must lose two finals "
            "to be out."
        ),
    ] = True
    decide: Annotated[
        Decide,
        Meta(
            description="With the kind knockout: a tie ends when one side is ahead in points "
            "after deals, or when a sequential test has decided who is stronger."
        ),
    ] = Decide.POINTS
    most: Annotated[
        Annotated[int, Meta(ge=1, le=10_000_000)] | None,
        Meta(
            description="With the kind knockout: a tie that is open is played on, by deals more "
            "each time, up to this number. Default: four times deals."
        ),
    ] = None
    sudden_death: Annotated[
        Annotated[int, Meta(ge=1, le=MOST_SUDDEN)] | None,
        Meta(
            description="With the kind knockout: a tie that is level after most deals is played "
            "on, by one deal each time, up to this many more. Then tie-breaks decide it. Default: "
            "they decide it at once."
        ),
    ] = None


class Stage(_ByResults, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An entry of ``schedule.stages``: one of several kinds that are played one after the other."""

    kind: Annotated[str, Meta(description="round_robin, swiss, knockout or groups.", **_KIND)]
    deals: Annotated[
        Annotated[int, Meta(ge=1, le=10_000_000)] | None,
        Meta(description="Deals per pairing. Default: the `deals` beside `stages`."),
    ] = None
    first: Annotated[
        Annotated[int, Meta(ge=2, le=10_000)] | None,
        Meta(description="Number of entrants that advance from the stage before. Default: all."),
    ] = None


class Schedule(_ByResults, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The section ``schedule``: which entrants meet, and on how many deals."""

    deals: Annotated[
        int, Meta(ge=1, le=10_000_000, description="Deals per pairing, each in all its seatings.")
    ] = 50
    seatings: Annotated[
        Seatings,
        Meta(description="Seatings of a deal: the rotations of a random order, or every order."),
    ] = Seatings.ROTATE
    max_pairings: Annotated[
        Annotated[int, Meta(ge=1, le=10_000)] | None,
        Meta(description="Play a balanced choice of this many pairings. Default: all."),
    ] = None
    focus: Annotated[
        tuple[Name, ...],
        Meta(
            description="With the kind gauntlet: those who meet the others. With the lineup "
            "alone: who sits alone."
        ),
    ] = ()
    pairings: Annotated[
        tuple[tuple[Name, ...], ...],
        Meta(description="With the kind pairings: the entrants of each table."),
    ] = ()
    lineup: Annotated[
        Lineup | None,
        Meta(description="With the kind match: who fills the seats. Default: even."),
    ] = None
    stages: Annotated[
        tuple[Stage, ...],
        Meta(
            description="Stages that are played one after the other, each with the best of the one "
            "before."
        ),
    ] = ()

    @property
    def parts(self) -> tuple[Schedule, ...]:
        """Schedules of the stages; the schedule itself if it has no stages."""
        shared = {key: getattr(self, key) for key in SHARED_KEYS}
        written = [
            {key: getattr(each, key) for key in each.__struct_fields__ if key != "first"}
            for each in self.stages
        ]
        own = ({key: value for key, value in each.items() if value is not None} for each in written)
        return tuple(Schedule(**{**shared, **each}) for each in own) or (self,)

    @property
    def most_deals(self) -> int:
        """Largest number of deals of a tie in a knockout, without sudden death."""
        return _TIMES * self.deals if self.most is None else self.most


class TieBreak(StrEnum):
    """Criteria that order a table by points, by their names in FIDE's Handbook C.07."""

    POINTS = "points"
    DIRECT_ENCOUNTER = "direct_encounter"
    """Points from the games among the tied, if these decide regardless of unplayed games."""
    BUCHHOLZ = "buchholz"
    """Sum of the opponents' points."""
    BUCHHOLZ_CUT_1 = "buchholz_cut_1"
    """Sum of the opponents' points without the lowest ones."""
    SONNEBORN_BERGER = "sonneborn_berger"
    """Sum of the points of each opponent, times the points won from it."""
    WINS = "wins"
    """Number of matches with the points of a win, byes and forfeits included."""
    WON = "won"
    """Number of matches that were played and won."""
    KOYA = "koya"
    """Points won from opponents that have half of all possible points or more."""
    MARGIN = "margin"
    """Sum of the margins of all games, as the goal difference in football; not FIDE's."""
    BLOCKS = "blocks"
    """Mean points of games per match; not FIDE's."""
    OPPONENTS = "opponents"
    """Buchholz at three and four seats, where nobody asks for an order."""


FIDE_CODES: Final = {
    "PTS": TieBreak.POINTS,
    "DE": TieBreak.DIRECT_ENCOUNTER,
    "BH": TieBreak.BUCHHOLZ,
    "BH-C1": TieBreak.BUCHHOLZ_CUT_1,
    "SB": TieBreak.SONNEBORN_BERGER,
    "WIN": TieBreak.WINS,
    "WON": TieBreak.WON,
    "KS": TieBreak.KOYA,
}
"""Criteria by the codes of FIDE."""
CRITERIA: Final[dict[str, TieBreak]] = {
    **{each.value: each for each in TieBreak if each is not TieBreak.OPPONENTS},
    "direct": TieBreak.DIRECT_ENCOUNTER,
    **FIDE_CODES,
}
"""Criteria by the words of a file: names, and the codes of FIDE."""
_TIE_BREAK_WORDS: Final = [*CRITERIA]

PointValue = Annotated[float, Meta(ge=0, le=1_000)]
"""Points of a match or a bonus, with at most one decimal."""


class _RankingKeys(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A mapping below ``ranking``."""


class WinPoints(_RankingKeys, frozen=True, kw_only=True):
    """``ranking.points`` at two seats."""

    win: Annotated[PointValue, Meta(description="Points of a won match.")]
    draw: Annotated[PointValue, Meta(description="Points of a drawn match.")]
    loss: Annotated[PointValue, Meta(description="Points of a lost match.")] = 0


class Bonus(_RankingKeys, frozen=True, kw_only=True):
    """``ranking.bonus``: further points of a match, by its margin in the score of the game."""

    points: Annotated[PointValue, Meta(description="Points of one bonus.")] = 1
    margin: Annotated[
        Annotated[int, Meta(ge=1, le=10**9)] | None,
        Meta(description="Least margin with which a match is won for a bonus."),
    ] = None
    within: Annotated[
        Annotated[int, Meta(ge=0, le=10**9)] | None,
        Meta(description="Largest margin by which a match is lost for a bonus."),
    ] = None


class Ranking(_RankingKeys, frozen=True, kw_only=True):
    """``ranking``: the points of a match, and what orders equal points."""

    points: Annotated[
        WinPoints | tuple[PointValue, ...] | None,
        Meta(
            description="Points of a match: {win, draw, loss} at two seats, else a list with the "
            "points of each place. Default: 1, a half and 0; at more seats the share of opponents "
            "behind.",
            extra={"expected": "{win: 3, draw: 1, loss: 0}, or a list of points by place"},
        ),
    ] = None
    bonus: Annotated[
        Bonus | None, Meta(description="Further points by the margin of a match. Default: none.")
    ] = None
    order: Annotated[
        tuple[
            Annotated[
                str,
                Meta(
                    extra={"words": _TIE_BREAK_WORDS},
                    extra_json_schema={"enum": _TIE_BREAK_WORDS},
                ),
            ],
            ...,
        ],
        Meta(description="Points, then the tie-breaks in order, by FIDE's names or codes."),
    ] = ()

    @property
    def counts_margins(self) -> bool:
        """True if margins of games decide anything."""
        return self.bonus is not None or TieBreak.MARGIN in self.order


class Discipline(msgspec.Struct, frozen=True):
    """Rules with their options at one table size; a tournament has one or several disciplines."""

    name: str
    """Name, unique in the tournament."""
    rules: RulesSpec
    entrants: tuple[str, ...]
    """Entrants of the discipline, at least as many as there are seats."""
    schedule: Schedule
    adjudicate: Adjudicate | msgspec.UnsetType = msgspec.UNSET
    """When games end by agreement; left out if all end by their rules."""
    by: RatedBy | msgspec.UnsetType = msgspec.UNSET
    """Numbers that the table shows; left out for those that suit the rules."""
    ranking: Ranking | msgspec.UnsetType = msgspec.UNSET
    """Points and tie-breaks of the table; left out without ones of the organiser's."""
