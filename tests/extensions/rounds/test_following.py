"""What follows when a round has ended, from the first round to the last, without a bot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.extensions.rounds.following import differing, following, paired, players
from arena.extensions.rounds.pairing.state import Played
from arena.runs.field import Field, FieldChange, Following, label_of, unsound
from arena.runs.manifest import Manifest
from arena.runs.withdrawals import Ground, Withdrawal, WithdrawalState
from arena.schedule.pairings import Pairing
from arena.schedule.schedule import Schedule
from arena.schedule.seeds import Opening, Seeds
from arena.values.results import GameResult, GameSpec, RulesSpec, Termination, player_of
from tests.runs.manifests import ENTRANT, change_of, identity_of, manifest_of
from tests.tournament.tables import GAME, discipline

OPENING = Opening("seed", "salt")
SEEDS = Seeds.of(OPENING.seed)
NOBODY = WithdrawalState({}, None)


class Cup:
    """A run that grows, as its folder would have it."""

    def __init__(
        self,
        names: str,
        rounds: int | None = 3,
        seats: int = 2,
        games: Sequence[str] = (GAME,),
        kind: str = "swiss",
    ) -> None:
        found = [
            discipline(
                *names,
                name=name,
                rules=RulesSpec("toy", seats, {}, {}),
                kind=kind,
                rounds=rounds,
                deals=2,
            )
            for name in games
        ]
        identity = identity_of(*found)
        self.manifest: Manifest = manifest_of(identity, "0" * 64)
        self.name = games[0]
        self.played = Played()
        self.games = 0
        self.verdict = NOBODY

    @property
    def field(self) -> Field:
        return self.manifest.field

    @property
    def schedule(self) -> Schedule:
        return self.manifest.schedule(
            msgspec.structs.replace(OPENING, later=(OPENING,) * len(self.manifest.changes))
        )

    def add(self, change: FieldChange) -> None:
        assert unsound(self.field, change) == ""
        changes = (*self.manifest.changes, change)
        self.manifest = msgspec.structs.replace(self.manifest, changes=changes)

    def change(self, entered: Sequence[str] = (), left: Sequence[str] = ()) -> None:
        identities = dict.fromkeys(entered, ENTRANT)
        self.add(change_of(number=0, entered=identities, left=tuple(left)))

    def follow(self) -> tuple[Pairing, ...]:
        found = following(self.field, self.schedule, self.played, self.verdict, SEEDS)
        assert found is not None
        follows, met = found
        self.add(change_of(number=0, pairings=met, follows=follows))
        return met.get(self.name, ())

    def games_of_round(
        self, without: str = "", game: str | None = None
    ) -> Iterator[tuple[GameSpec, int]]:
        """Of the last round, each with its deal; those before are passed over, for speed."""
        schedule = self.schedule
        numbers = schedule.numbers_of(label_of(self.over))
        for each in schedule.passes():
            if each.first in numbers:
                for pairing in each.own:
                    block = each.block(pairing, ())
                    assert block is not None
                    deal = int(block.block.rpartition(":")[2])
                    for spec in block.games:
                        if without not in spec.entrants and game in (None, spec.discipline):
                            yield spec, deal

    def play(
        self, better: Callable[[str, str], bool], without: str = "", game: str | None = None
    ) -> None:
        """The games of the last round, all or of one discipline; of two the ``better`` one wins."""
        for spec, _ in self.games_of_round(without, game):
            places = tuple(
                1 + sum(better(other, name) for other in spec.entrants if other != name)
                for name in spec.entrants
            )
            self.played.add(GameResult(spec, Termination.COMPLETED, places, 1, ""))
            self.games += 1

    @property
    def over(self) -> int:
        follows = self.manifest.changes[-1].follows
        assert isinstance(follows, Following)
        return follows.over

    @property
    def rounds(self) -> list[Mapping[str, float]]:
        """Points by player of each round."""
        found = paired(self.field, self.schedule, self.played, self.verdict)
        return [
            {
                name: float(points)
                for table in each.round.tables
                for name, points in zip(table.names, table.points, strict=True)
            }
            for each in found
        ]

    @property
    def lots(self) -> list[Seeds | None]:
        return [SEEDS] * len(self.manifest.changes)

    @property
    def differences(self) -> list[tuple[int, str]]:
        lines, anchor = self.manifest.fields(), self.manifest.anchor
        found = differing(lines, self.schedule, self.played, self.verdict, self.lots, anchor)
        return list(found)


def by_name(one: str, other: str) -> bool:
    return one < other


def test_rounds_follow_from_results_until_none_does() -> None:
    cup = Cup("dcba")
    assert cup.follow() == (("b", "d"), ("a", "c"))  # the order of the file, not of the alphabet
    cup.play(by_name)
    assert cup.follow() == (("a", "b"), ("c", "d"))
    cup.play(by_name)
    assert set(cup.follow()) == {("a", "d"), ("b", "c")}
    cup.play(by_name)
    assert not cup.manifest.is_over
    assert cup.follow() == ()
    assert cup.manifest.is_over
    assert cup.rounds[1] == {"a": 1, "b": 0, "c": 1, "d": 0}
    assert cup.games == 3 * 2 * 4
    assert cup.differences == []


def test_all_games_of_a_table_count_together() -> None:
    cup = Cup("abcd", games=("one", "other"))
    cup.follow()
    (change,) = cup.manifest.changes
    assert change.pairings == dict.fromkeys(("one", "other"), (("a", "c"), ("b", "d")))
    assert cup.schedule.numbers_of(label_of(0)) == range(16)
    cup.play(by_name, game="one")
    cup.play(lambda one, two: one == "c" or (one < two and two != "c"), game="other")
    assert cup.rounds[0] == {"a": 0.5, "c": 0.5, "b": 1, "d": 0}
    assert cup.follow() == (("a", "b"), ("c", "d"))
    assert cup.differences == []
    first = Cup("abcd", games=("one", "other")).field
    of_one = {"one": change.pairings["one"]}
    assert unsound(first, msgspec.structs.replace(change, pairings=of_one))
    apart = {**of_one, "other": (("a", "b"), ("c", "d"))}
    assert unsound(first, msgspec.structs.replace(change, pairings=apart))


def test_the_order_of_the_games_decides_nothing() -> None:
    found = []
    for games in (("one", "other"), ("other", "one")):
        cup = Cup("abcdefgh", seats=3, games=games)
        found.append(cup.follow())
    assert found[0] == found[1]


def test_games_of_rounds_have_ids_and_numbers_of_their_own() -> None:
    cup = Cup("abcd", rounds=3, seats=4)
    for _ in range(3):
        assert cup.follow() == (("a", "b", "c", "d"),)
        cup.play(by_name)
    schedule = cup.schedule
    ids = [spec.game_id for block in schedule.blocks() for spec in block.games]
    assert len(set(ids)) == len(ids) == 3 * 2 * 4
    assert [schedule.number(each) for each in ids] == list(range(24))
    assert {each.split("/")[1] for each in ids} == {"round1", "round2", "round3"}
    assert [schedule.numbers_of(label_of(n)) for n in range(2)] == [range(8), range(8, 16)]


def test_other_results_than_those_of_the_games_are_found() -> None:
    cup = Cup("abcd")
    for _ in range(2):
        cup.follow()
        cup.play(by_name)
    cup.follow()
    other = Cup("abcd")
    other.manifest = cup.manifest
    other.play(lambda one, two: one > two)
    assert [line for line, _ in other.differences] == [2, 3]
    assert "round 2 was paired by other results" in other.differences[0][1]


def test_other_pairings_and_byes_are_found() -> None:
    cup = Cup("abcde")
    cup.follow()
    (change,) = cup.manifest.changes
    assert isinstance(change.follows, Following)
    swapped = msgspec.structs.replace(change, pairings={cup.name: (("a", "b"), ("c", "d"))})
    cup.manifest = msgspec.structs.replace(cup.manifest, changes=(swapped,))
    text = "round 1: a and b meet, which does not follow from the results"
    assert cup.differences == [(1, text)]
    bye = msgspec.structs.replace(change.follows, byes=())
    cup.manifest = msgspec.structs.replace(
        cup.manifest, changes=(msgspec.structs.replace(change, follows=bye),)
    )
    assert cup.differences == [(1, "round 1: its byes are not those that follow from the results")]


def test_who_comes_late_has_no_points_for_what_it_missed() -> None:
    cup = Cup("abcd")
    cup.follow()
    cup.play(by_name)
    cup.change(entered=["e", "f"])
    met = cup.follow()
    assert {name for each in met for name in each} == set("abcdef")
    assert ("a", "b") in met  # who has a point; the others have none
    assert players(cup.field) == tuple("abcdef")
    assert cup.differences == []


def test_a_new_version_takes_the_place_of_the_one_before() -> None:
    cup = Cup("abcd")
    cup.follow()
    cup.play(by_name)
    cup.change(entered=["a@2"], left=["a"])
    met = cup.follow()
    assert ("a@2", "b") in met
    assert players(cup.field) == tuple("abcd")
    cup.play(by_name)
    assert [each["a"] for each in cup.rounds] == [1, 1]
    assert ("a@2", "d") in cup.follow()  # a has met c and b


def test_who_leaves_keeps_what_is_over_and_forfeits_what_is_not() -> None:
    cup = Cup("abcd")
    cup.follow()
    cup.play(by_name)
    cup.follow()  # a meets b
    cup.play(by_name, without="b")
    cup.change(left=["b"])
    met = cup.follow()
    assert cup.rounds[:2] == [{"a": 1, "b": 1, "c": 0, "d": 0}, {"a": 1, "b": 0, "c": 1, "d": 0}]
    assert "b" not in {name for each in met for name in each}
    cup.play(by_name)
    cup.change(entered=["b"])  # back, and what it has forfeited it does not play any more
    schedule = cup.schedule
    lost = [n for n, names in schedule.order() if n in schedule.numbers_of("round2")
            and schedule.gone(n, names)]  # fmt: skip
    assert len(lost) == 4
    assert all("b" not in s.entrants or "round2" not in s.game_id
               for block in schedule.blocks() for s in block.games)  # fmt: skip
    cup.follow()
    assert cup.rounds[1]["a"] == 1
    assert cup.differences == []


@pytest.mark.parametrize("to", ["", "b@2"])
def test_a_return_undoes_no_forfeit(to: str) -> None:
    """Nor does the return of the old files of a new version."""
    cup = Cup("abcd")
    cup.follow()
    cup.play(by_name, without="b")  # b was to meet d
    cup.change(left=["b"], entered=[to] if to else [])
    before = cup.rounds
    assert before == [{"a": 1, "b": 0, "c": 0, "d": 1}]
    cup.change(entered=["b"], left=[to] if to else [])
    assert cup.rounds == before
    assert not any("b" in spec.entrants for block in cup.schedule.blocks()
                   for spec in block.games)  # fmt: skip
    assert "b" in {name for each in cup.follow() for name in each}
    assert cup.rounds[0] == before[0]
    assert cup.differences == []


def test_whoever_leaves_a_table_that_is_forfeited_loses_nothing() -> None:
    cup = Cup("abcd")
    cup.follow()
    cup.play(by_name, without="b")
    cup.change(left=["b"])
    before = cup.rounds
    cup.change(left=["d"])
    assert cup.rounds == before == [{"a": 1, "b": 0, "c": 0, "d": 1}]


def test_of_a_table_that_is_forfeited_whole_deals_count() -> None:
    cup = Cup("ab", rounds=1)
    cup.follow()
    specs = [spec for block in cup.schedule.blocks() for spec in block.games]
    for spec in specs[:3]:  # of two deals the second one in one seating
        places = tuple(1 + (name != "a") for name in spec.entrants)
        cup.played.add(GameResult(spec, Termination.COMPLETED, places, 1, ""))
    for points in ((6, 0), (4, 0)):
        (found,) = paired(cup.field, cup.schedule, cup.played, cup.verdict)
        assert found.round.tables[0].blocks == points
        if points == (6, 0):
            cup.change(entered=["a@2"], left=["a"])


def test_who_was_withdrawn_keeps_rounds_that_were_over() -> None:
    cup = Cup("abcd")
    cup.follow()
    cup.play(by_name)
    cup.follow()
    cup.play(by_name)
    at = cup.schedule.numbers_of("round2").start + 1
    cup.verdict = WithdrawalState({"a": Withdrawal("a", Ground.FAULTS, 20, {}, at)}, None)
    met = cup.follow()
    assert cup.rounds[:2] == [{"a": 1, "b": 1, "c": 0, "d": 0}, {"a": 0, "b": 1, "c": 1, "d": 0}]
    assert "a" not in {name for each in met for name in each}
    assert cup.differences == []


def test_without_two_who_have_not_met_it_is_over() -> None:
    cup = Cup("ab", rounds=5)
    assert cup.follow() == (("a", "b"),)
    cup.play(by_name)
    assert cup.follow() == ()
    assert cup.manifest.is_over


@pytest.mark.parametrize(
    ("byes", "pairings", "over", "text"),
    [
        ((), (("a", "b"), ("a", "c")), 0, "somebody plays who is not there, or twice"),
        (("a",), (("a", "b"),), 0, "somebody plays who is not there, or twice"),
        ((), (("a", "x"),), 0, "somebody plays who is not there, or twice"),
        ((), (("a", "b", "c"),), 0, "a pairing that is not for 2 seats"),
        ((), (("b", "a"),), 0, "a pairing that is not for 2 seats"),
        ((), (("a", "b"),), 1, "found 1 rounds that have ended, expected 0"),
    ],
)
def test_rounds_that_cannot_be(byes, pairings, over, text) -> None:
    cup = Cup("abcd")
    follows = Following(over, byes, "", "")
    change = change_of(pairings={cup.name: pairings}, follows=follows)
    assert unsound(cup.field, change) == text


def test_nothing_follows_when_it_is_over() -> None:
    cup = Cup("ab", rounds=1)
    cup.follow()
    cup.play(by_name)
    cup.follow()
    change = msgspec.structs.replace(cup.manifest.changes[0], follows=Following(1, (), "", ""))
    assert unsound(cup.field, change) == "a change after the last round"
    leaves = change_of(number=3, left=("a",))
    assert unsound(cup.field, leaves) == "a change after the last round"


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 11), st.integers(2, 4), st.randoms(use_true_random=False))
def test_any_tournament_is_derived_again(size: int, seats: int, random: Random) -> None:
    names = "abcdefghijk"[: max(size, seats)]
    cup = Cup(names, rounds=3, seats=seats)
    strength = {name: random.random() for name in names}
    for number in range(3):
        if not cup.follow():
            break
        cup.play(lambda one, two: strength[player_of(one)] > strength[player_of(two)])
        if number == 1 and random.random() < 0.5:
            cup.change(entered=[f"{names[0]}@2"], left=[names[0]])
        elif random.random() < 0.5 and len(cup.field.identities.keys() - cup.field.left) > seats:
            cup.change(left=[max(cup.field.identities.keys() - cup.field.left)])
    if not cup.manifest.is_over:
        cup.follow()
    assert cup.differences == []
    met = [pair for each in cup.field.rounds for one in each for pair in one.schedule.pairings]
    if seats == 2:
        assert len(set(met)) == len(met)
    overs = [c.follows.over for c in cup.manifest.changes if isinstance(c.follows, Following)]
    assert all(one + 1 == other for one, other in pairwise(overs))


def test_a_ladder_goes_on_with_whoever_is_there() -> None:
    cup = Cup("abcd", rounds=None, kind="ladder")
    for number in range(12):
        if number == 4:
            cup.change(entered=["a@2", "e"], left=["a"])
        if number == 8:
            cup.change(left=["c", "d"])
        met = cup.follow()
        names = {name for each in met for name in each}
        assert names <= cup.field.identities.keys() - cup.field.left
        assert len(met) >= 1
        cup.play(by_name)
    assert not cup.manifest.is_over
    assert cup.differences == []
    other = Cup("abcd", rounds=None, kind="ladder")
    other.manifest = cup.manifest
    for block in other.schedule.blocks():
        for spec in block.games:
            is_first = "/round1/" in spec.game_id
            places = [
                1 + sum((one < own) != is_first for one in spec.entrants if one != own)
                for own in spec.entrants
            ]
            other.played.add(GameResult(spec, Termination.COMPLETED, tuple(places), 1, ""))
    line, text = other.differences[0]
    assert line == 2  # bound to the first round, whose results are others
    assert "other results" in text


def test_a_ladder_waits_for_opponents() -> None:
    cup = Cup("ab", rounds=None, kind="ladder")
    cup.follow()
    cup.play(by_name)
    cup.change(left=["b"])
    assert following(cup.field, cup.schedule, cup.played, cup.verdict, SEEDS) is None
    assert not cup.manifest.is_over
    cup.change(entered=["c"])
    assert cup.follow() == (("a", "c"),)
    assert cup.differences == []


def test_a_ladder_with_a_number_of_rounds_ends() -> None:
    cup = Cup("abc", rounds=2, kind="ladder")
    for _ in range(2):
        assert len(cup.follow()) == 1
        cup.play(by_name)
    assert cup.follow() == ()
    assert cup.manifest.is_over
    assert cup.differences == []


def test_on_a_ladder_a_table_counts_for_nobody_in_the_round_of_a_withdrawal() -> None:
    def ladder(without: str = "") -> Cup:
        cup = Cup("abcd", rounds=None, kind="ladder")
        for number in range(3):
            cup.follow()
            cup.play(by_name, without if number == 2 else "")
        return cup

    cup = ladder()
    at = cup.schedule.numbers_of("round3").stop - 1
    (name, *_) = cup.field.rounds[-1][0].schedule.pairings[-1]
    # what was played there changes nothing: with another number of workers it may be less
    found = []
    for each in (cup, ladder(name)):
        each.verdict = WithdrawalState({name: Withdrawal(name, Ground.FAULTS, 20, {}, at)}, None)
        met = each.follow()
        assert name not in {other for table in met for other in table}
        assert each.differences == []
        known = paired(each.field, each.schedule, each.played, each.verdict)
        dropped = [[not table.is_played for table in own.round.tables] for own in known]
        assert dropped[:3] == [[False, False], [False, False], [False, True]]
        found.append((each.manifest.changes[-1].follows, met))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("byes", "pairings", "text"),
    [
        (("a",), (("b", "c"), ("b", "d")), ""),
        (("b",), (("b", "c"), ("a", "d")), "somebody plays who is not there, or twice"),
        ((), (("a", "b"), ("a", "b")), "somebody plays who is not there, or twice"),
        ((), (("a", "a"), ("b", "c")), "a pairing that is not for 2 seats"),
    ],
)
def test_rounds_of_a_ladder(byes, pairings, text) -> None:
    cup = Cup("abcd", rounds=None, kind="ladder")
    change = change_of(pairings={cup.name: pairings}, follows=Following(0, byes, "", ""))
    assert unsound(cup.field, change) == text
