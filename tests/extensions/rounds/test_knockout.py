"""Knockouts and stages followed from the first round to the last, without a bot."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from arena.extensions.matches.statistics.sprt import LEAST_BLOCKS
from arena.extensions.rounds.following import latecomer, stages
from arena.extensions.rounds.kinds.knockout import LEAST_TESTED, KnockoutKind
from arena.extensions.rounds.pairing.heats import round_of
from arena.extensions.rounds.pairing.state import Played
from arena.extensions.rounds.pairing.ties import Stand
from arena.runs.field import Following, label_of, unsound
from arena.runs.manifest import CurrentRound
from arena.runs.withdrawals import Ground, Withdrawal, WithdrawalState
from arena.schedule.keys import Decide, Stage
from arena.values.results import Decided, GameResult, RulesSpec, Termination, player_of
from tests.extensions.rounds.test_following import NOBODY, SEEDS, Cup, by_name
from tests.runs.manifests import change_of, identity_of, manifest_of
from tests.tournament.tables import discipline


class Knockout(Cup):
    """A run of one knockout, or of stages."""

    def __init__(self, names: Sequence[str], *, seats: int = 2, **plan: Any) -> None:
        rules = RulesSpec("toy", seats, {}, {})
        plan = {"kind": "knockout", "deals": 1, **plan}
        game = discipline(*names, rules=rules, **plan)
        self.manifest = manifest_of(identity_of(game), "0" * 64)
        self.name = game.name
        self.played = Played()
        self.games = 0
        self.verdict = NOBODY

    def play_each(self, *better: str) -> None:
        """The last round; in deal after deal who is named wins all games, "=": the first seat."""
        for spec, deal in self.games_of_round():
            winner = spec.entrants[0] if better[deal] == "=" else better[deal]
            places = tuple(1 if name == winner else 2 for name in spec.entrants)
            self.played.add(GameResult(spec, Termination.COMPLETED, places, 1, ""))

    @property
    def last(self) -> Following:
        follows = self.manifest.changes[-1].follows
        assert isinstance(follows, Following)
        return follows

    @property
    def decided(self) -> list[tuple[str, str, str]]:
        """What the last round says was decided: tie, winner, rule."""
        found = () if self.last.decided is UNSET else self.last.decided
        return [(each.tie, each.order[0], each.by) for each in found]

    def withdraw(self, name: str, over: int) -> None:
        """As its breaker would, in the round after so many."""
        at = self.schedule.numbers_of(label_of(over)).start
        own = Withdrawal(name, Ground.FAULTS, 20, {}, at)
        self.verdict = WithdrawalState({**self.verdict.withdrawn, name: own}, None)

    @property
    def stand(self) -> Stand:
        """What is shown of it by now."""
        own = stages(self.field, self.schedule, self.played, self.verdict, SEEDS, is_over=False)
        return KnockoutKind().stand(own[-1])

    @property
    def there(self) -> list[str]:
        out = self.verdict.withdrawn.keys() | self.field.left
        return [name for name in self.field.identities if name not in out]


def test_who_loses_is_out_until_one_is_left() -> None:
    cup = Knockout("abcdefgh", third_place=True)
    assert cup.follow() == (("a", "h"), ("d", "e"), ("b", "g"), ("c", "f"))
    assert cup.last.ties == tuple(f"quarter-final {n}" for n in (1, 2, 3, 4))
    cup.play(by_name)
    assert cup.follow() == (("a", "d"), ("b", "c"))
    assert cup.decided[3] == ("quarter-final 4", "c", "points")
    cup.play(by_name)
    assert cup.follow() == (("c", "d"), ("a", "b"))
    assert cup.last.ties == ("third place", "final")
    cup.play(by_name)
    assert cup.follow() == ()
    assert cup.manifest.is_over
    assert cup.decided == [("third place", "c", "points"), ("final", "a", "points")]
    assert cup.differences == []


def test_with_two_lives_the_final_is_played_twice_if_need_be() -> None:
    cup = Knockout("abc", lives=2)
    assert (cup.follow(), cup.last.ties, cup.last.byes) == ((("b", "c"),), ("winners 1.2",), ("a",))
    cup.play(by_name)
    assert cup.follow() == (("a", "b"),)
    cup.play(by_name)
    assert (cup.follow(), cup.last.ties) == ((("b", "c"),), ("losers 2.1",))
    cup.play(by_name)
    assert (cup.follow(), cup.last.ties) == ((("a", "b"),), ("final",))
    cup.play(lambda one, other: one > other)
    assert (cup.follow(), cup.last.ties) == ((("a", "b"),), ("second final",))
    cup.play(by_name)
    assert cup.follow() == ()
    assert cup.decided == [("second final", "a", "points")]
    assert cup.differences == []


def test_the_seed_draws_who_is_not_seeded() -> None:
    names = "abcdefgh"
    cup = Knockout(names, seeded=2)
    met = cup.follow()
    assert met == Knockout(names, seeded=2).follow() != Knockout(names).follow()
    assert {"a" in met[0], "b" in met[2]} == {True}
    assert sorted(name for each in met for name in each) == list(names)


def test_an_even_tie_is_played_on_until_the_deals_are_used_up() -> None:
    cup = Knockout("ab", most=3)
    for again in range(3):
        assert cup.follow() == (("a", "b"),)
        assert cup.last.over == again
        assert cup.last.decided is UNSET
        cup.play_each("=")
    assert cup.follow() == ()
    assert cup.decided == [("final", "a", "seed")]
    assert cup.differences == []


@pytest.mark.parametrize(
    ("deals", "most", "plays", "expected"),
    [
        (1, 4, ["=", "b"], ("final", "b", "points")),
        (2, 2, ["ab"], ("final", "a", "seed")),
        (3, 3, ["a=="], ("final", "a", "points")),
        (3, 6, ["=ab", "=b="], ("final", "b", "points")),
    ],
)
def test_points_decide_as_soon_as_they_differ(
    deals: int, most: int, plays: list[str], expected: tuple[str, str, str]
) -> None:
    cup = Knockout("ab", deals=deals, most=most)
    for each in plays:
        assert cup.follow() == (("a", "b"),)
        cup.play_each(*each)
    assert cup.follow() == ()
    assert cup.decided == [expected]


def test_equal_points_are_decided_by_deals() -> None:
    cup = Knockout("ab", deals=3, most=3)
    cup.follow()
    half = {"0": ("a", "a"), "1": ("b", "="), "2": ("b", "=")}  # 2 : 0, then ½ : 1½ twice
    for block in cup.schedule.blocks():
        for spec, best in zip(block.games, half[block.block.rpartition(":")[2]], strict=True):
            places = tuple(1 if best in ("=", name) else 2 for name in spec.entrants)
            cup.played.add(GameResult(spec, Termination.COMPLETED, places, 1, ""))
    assert cup.follow() == ()
    assert cup.decided == [("final", "b", "deals")]


def test_a_test_decides_when_it_can_tell() -> None:
    assert LEAST_TESTED == LEAST_BLOCKS
    cup = Knockout("ab", decide=Decide.TEST, deals=15, most=45)
    cup.follow()
    cup.play_each(*"b" * 15)  # too few to tell anything
    assert cup.follow() == (("a", "b"),)
    cup.play_each(*"b" * 14, "a")
    assert cup.follow() == ()
    assert cup.decided == [("final", "b", "test")]
    even = Knockout("ab", decide=Decide.TEST, deals=20, most=20)
    even.follow()
    even.play_each(*"ab" * 9, "=", "b")
    assert even.follow() == ()
    assert even.decided == [("final", "b", "points")]


def test_who_leaves_has_lost_what_it_had_not_played() -> None:
    cup = Knockout("abcd")
    cup.follow()  # a meets d, b meets c
    cup.play(by_name, without="a")
    cup.change(left=["a"])
    assert cup.follow() == (("b", "d"),)
    assert cup.decided == [("semi-final 1", "d", "forfeit"), ("semi-final 2", "b", "points")]
    cup.play(by_name)
    cup.change(entered=["a"])  # which changes nothing any more
    cup.change(left=["d"])  # what it has played stands
    assert cup.follow() == ()
    assert cup.decided == [("final", "b", "points")]
    assert cup.differences == []


@pytest.mark.parametrize("seats", [2, 3])
def test_a_return_undoes_no_forfeit(seats: int) -> None:
    """Neither that of a tie in hand nor, after a tie that was played on, that of the next one."""
    cup = Knockout("abcd" if seats == 2 else "abcdef", seats=seats)
    tables = cup.follow()
    cup.play(by_name, without="a")
    cup.change(left=["a"])
    shown = cup.stand
    out = next(tie for tie in shown.ties.values() if "a" in tie.tie.entrants)
    assert out.tie.order[-1] == "a"
    cup.change(entered=["a"])
    assert cup.stand == shown
    assert all("a" not in names for each in cup.follow() for names in each)
    assert cup.decided[0][1:] == (out.tie.order[0], out.by)
    assert cup.rounds[0]["a"] == 0
    assert tables == cup.field.rounds[1][0].schedule.pairings
    assert cup.differences == []


@pytest.mark.parametrize("seats", [2, 3])
def test_who_leaves_when_a_round_is_over_changes_nothing_that_was_decided(seats: int) -> None:
    cup = Knockout("abcdefgh" if seats == 2 else "abcdefghi", seats=seats)
    cup.follow()
    cup.play(by_name)
    before = cup.stand
    cup.change(left=["a", "b"])
    for each in ((), ["a"], ["b"]):
        cup.change(entered=each)
        now = cup.stand
        for name, tie in before.ties.items():
            if tie.tie.order:
                assert now.ties[name] == tie
        assert before.places.items() <= now.places.items()
    met = cup.follow()
    assert met
    assert all(names.isdisjoint("ab") for names in map(set, met))
    assert cup.differences == []


def test_a_new_version_of_a_withdrawn_bot_does_not_undo_its_forfeit() -> None:
    cup = Knockout("abcd")
    cup.follow()
    cup.play(by_name, without="a")
    cup.withdraw("a", 0)
    shown = cup.stand
    cup.change(entered=["a@2"], left=["a"])
    assert cup.stand == shown
    assert cup.follow() == (("b", "d"),)
    assert cup.differences == []


def test_who_leaves_after_a_win_gives_the_next_tie_away() -> None:
    cup = Knockout("abcd")
    cup.follow()
    cup.play(by_name)
    cup.change(left=["a"])
    assert cup.follow() == ()
    assert cup.decided[0] == ("semi-final 1", "a", "points")
    assert cup.decided[-1] == ("final", "b", "forfeit")


def test_a_new_version_goes_on_with_what_the_one_before_has_won() -> None:
    cup = Knockout("abcd", deals=2)
    cup.follow()
    cup.play(by_name, without="a")
    cup.change(entered=["a@2"], left=["a"])
    assert cup.follow() == (("a@2", "d"),)  # in the middle of its tie
    assert cup.last.ties == ("semi-final 1",)
    cup.play(lambda one, other: player_of(one) < player_of(other))
    assert cup.follow() == (("a@2", "b"),)
    cup.play(lambda one, other: player_of(one) < player_of(other))
    assert cup.follow() == ()
    assert cup.decided == [("final", "a", "points")]
    assert cup.differences == []


def test_tables_of_four_of_which_two_go_on() -> None:
    cup = Knockout("abcdefghi", seats=4, advance=2)
    met = cup.follow()
    assert met == (("b", "e", "f", "i"), ("c", "d", "g", "h"))
    assert (cup.last.byes, cup.last.ties) == (("a",), ("heat 1.1", "heat 1.2"))
    cup.play(by_name)
    met = cup.follow()
    assert sorted(name for each in met for name in each) == ["b", "c", "d", "e"]
    assert cup.last.byes == ("a",)
    cup.play(by_name)
    assert cup.follow() == (("a", "b", "c", "d"),)  # one more goes on: three cannot play
    cup.play(by_name, without="d")
    cup.change(left=["d"])
    assert cup.follow() == ()
    assert cup.last.decided == (Decided("final", ("a", "b", "c", "d"), "forfeit"),)
    assert cup.differences == []


def _seeds_of(cup: Knockout) -> list[str]:
    *_, now = stages(cup.field, cup.schedule, cup.played, cup.verdict, SEEDS, is_over=True)
    return list(now.players)


def test_the_places_of_a_stage_are_the_seeds_of_the_next_one() -> None:
    own = (Stage(kind="swiss", rounds=3), Stage(kind="knockout", first=4, deals=2))
    cup = Knockout("gfedcba", kind="stages", stages=own)
    for _ in range(3):
        assert len(cup.follow()) == 3
        assert cup.last.stage == 0
        cup.play(by_name)
    cup.change(left=["a"])  # its place goes to the next one
    met = cup.follow()
    assert (cup.last.stage, cup.last.by) == (1, "knockout-1")
    order = _seeds_of(cup)
    assert len(order) == 4
    assert "a" not in order
    assert met == tuple(
        tuple(sorted((order[one], order[other]))) for one, other in ((0, 3), (1, 2))
    )
    assert [each.schedule.deals for each in cup.field.rounds[-1]] == [2]
    cup.play(by_name)
    cup.follow()
    cup.play(by_name)
    assert cup.follow() == ()
    assert cup.decided == [("final", "b", "points")]
    assert cup.differences == []


@pytest.mark.parametrize(("kind", "rounds"), [("knockout", None), ("swiss", 2)])
@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("games", [("one",), ("one", "other")])
def test_what_is_played_on_until_a_withdrawal_is_noticed_counts_nothing(
    kind: str, rounds: int | None, seats: int, games: tuple[str, ...]
) -> None:
    found = []
    for more in (0, 1, 2, 40):  # games of the first table that are played after it
        cup = Cup("abcdef" if seats == 3 else "abcdefgh", rounds, seats, games, kind)
        cup.follow()
        order = [
            (number, names)
            for number, names in cup.schedule.order()
            if number in cup.schedule.numbers_of(label_of(0))
        ]
        own = [number for number, names in order if "a" in names]
        at = own[seats - 1]  # the last of a deal
        cup.verdict = WithdrawalState({"a": Withdrawal("a", Ground.FAULTS, 20, {}, at)}, None)
        for block in cup.schedule.blocks():
            for spec in block.games:
                number = cup.schedule.number(spec.game_id)
                if number not in own[seats + more :]:
                    best = max if number in own and own.index(number) >= seats else min
                    places = tuple(1 + (each != best(spec.entrants)) for each in spec.entrants)
                    cup.played.add(GameResult(spec, Termination.COMPLETED, places, 1, ""))
        found.append((cup.follow(), cup.manifest.changes[1:]))
        assert cup.differences == []
    assert found == [found[0]] * 4


@pytest.mark.parametrize("how", ["left", "withdrawn"])
def test_who_is_gone_in_a_later_stage_keeps_its_place_in_the_one_before(how: str) -> None:
    own = (Stage(kind="knockout"), Stage(kind="knockout", first=6))
    cup = Knockout("abcdef", seats=3, kind="stages", stages=own)
    tables = (("a", "d", "e"), ("b", "c", "f"))
    for met in (tables, (("a", "b", "c"),), tables):
        assert cup.follow() == met
        cup.play(by_name)
    if how == "left":
        cup.change(left=["a"])
    else:
        cup.withdraw("a", 2)
    assert cup.follow() == (("b", "c", "d"),)
    cup.play(by_name)
    assert cup.follow() == ()
    assert cup.decided == [("final", "b", "points")]
    assert cup.differences == []


def test_a_stage_to_which_nobody_comes_is_over() -> None:
    own = (Stage(kind="swiss", rounds=1), Stage(kind="round_robin"))
    cup = Knockout("ab", kind="stages", stages=own)
    cup.follow()
    cup.change(left=["a", "b"])
    assert cup.follow() == ()
    assert cup.manifest.is_over


@pytest.mark.parametrize("size", [2, 5, 6])
def test_in_a_round_robin_all_meet_once(size: int) -> None:
    own = (Stage(kind="round_robin"), Stage(kind="knockout", first=2))
    names = "abcdef"[:size]
    cup = Knockout(names, kind="stages", stages=own)
    found = []
    while (met := cup.follow()) and cup.last.stage == 0:
        found += met
        cup.play(by_name)
    assert sorted(found) == list(combinations(names, 2))
    assert met == (("a", "b"),)
    assert cup.differences == []


def test_new_players_come_to_a_first_stage_by_the_swiss_system_alone() -> None:
    own = (Stage(kind="swiss", rounds=1), Stage(kind="knockout"))
    cup = Knockout("abcd", kind="stages", stages=own)
    assert latecomer(cup.field, ["e"]) == ""
    cup.follow()
    assert latecomer(cup.field, ["e"]) == ""
    cup.play(by_name)
    cup.follow()
    assert latecomer(cup.field, ["a@2", "e"]) == "e"
    assert latecomer(cup.field, ["a@2"]) == ""
    alone = Knockout("abcd")
    assert latecomer(alone.field, ["e"]) == ""
    alone.follow()
    assert latecomer(alone.field, ["e"]) == "e"


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"ties": ("semi-final 2", "semi-final 1")}, "its stage or ties are not those"),
        ({"decided": (Decided("semi-final 1", ("d", "a"), "points"),)}, "what is decided is not"),
        ({"by": "knockout-0"}, "was paired by knockout-0, this arena has knockout-1"),
    ],
)
def test_a_line_that_does_not_follow_is_found(changed: dict[str, Any], text: str) -> None:
    cup = Knockout("abcd")
    cup.follow()
    cup.play(by_name)
    cup.follow()
    number = 1 if "decided" in changed else 0
    changes = list(cup.manifest.changes)
    follows = changes[number].follows
    assert isinstance(follows, Following)
    other = msgspec.structs.replace(follows, **changed)
    changes[number] = msgspec.structs.replace(changes[number], follows=other)
    cup.manifest = msgspec.structs.replace(cup.manifest, changes=tuple(changes))
    ((line, found),) = cup.differences
    assert (line, text in found) == (number + 1, True), found


def test_a_stage_that_is_not_there_is_refused() -> None:
    cup = Knockout("abcd")
    cup.follow()
    other = Following(1, (), "", "", stage=1)
    change = change_of(number=2, follows=other)
    assert "a round of a stage that there is not" in unsound(cup.field, change)


PLANS = st.one_of(
    st.fixed_dictionaries({"lives": st.just(2), "second_final": st.booleans()}),
    st.fixed_dictionaries({"third_place": st.booleans(), "seeded": st.none() | st.integers(0, 4)}),
    st.fixed_dictionaries({"seats": st.sampled_from((3, 4)), "advance": st.integers(1, 2)}),
)


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(st.integers(2, 33), PLANS, st.integers(0, 2**32), st.sampled_from((0.0, 0.1, 0.5)))
def test_every_knockout_ends_with_one_winner(
    size: int, plan: dict[str, Any], chance: int, quits: float
) -> None:
    luck = random.Random(chance)
    seats = plan.get("seats", 2)
    names = [f"bot-{number:02}" for number in range(max(size, seats))]
    cup = Knockout(names, **plan, most=2, sudden_death=chance % 3)
    lost = dict.fromkeys(names, 0)
    ties: set[Any] = set()
    lives = plan.get("lives", 1)
    for _ in range(1000):
        met = cup.follow()
        assert {name for each in met for name in each} <= {*cup.there}
        if not met:
            break
        assert isinstance(cup.last.ties, tuple)
        ties.update(cup.last.ties)
        over = cup.last.over
        assert all(lost[name] < lives for name in {n for each in met for n in each})
        strength = {name: luck.randrange(4) for name in names}
        cup.play(lambda one, other, own=strength: own[one] > own[other])  # type: ignore[misc]
        while luck.random() < quits and cup.there:
            name = luck.choice(cup.there)
            if luck.random() < 0.5:
                cup.withdraw(name, over)
            else:
                cup.change(left=[name])
        state = (
            KnockoutKind()
            .stand(stages(cup.field, cup.schedule, cup.played, cup.verdict, SEEDS, is_over=True)[0])
            .state
        )
        if seats == 2:
            lost = dict.fromkeys(names, 0)
            for tie in (tie for each in state.rounds for tie in each if tie.by is not None):
                for name in tie.order[1:]:
                    lost[name] += tie.id != "third place" and not (
                        plan.get("third_place") and tie.id.startswith("semi")
                    )
            if plan.get("third_place"):  # who lost before the final meets once more
                for tie in state.open:
                    if tie.id == "third place":
                        lost |= dict.fromkeys(tie.entrants, 0)
        else:
            lost = {name: int(name in state.places) for name in names}
    else:
        raise AssertionError("it never ends")
    (now,) = stages(cup.field, cup.schedule, cup.played, cup.verdict, SEEDS, is_over=True)
    state = KnockoutKind().stand(now).state
    assert state.is_over
    assert state.places.keys() == {*names}
    first = [name for name, place in state.places.items() if place == 1]
    if state.winner is None:  # the last ones have left at one time
        assert not {*first} & {*cup.there}
    else:
        assert first == [state.winner]
    if seats == 2:
        most = len(names) - 1 if lives == 1 else 2 * len(names) - 1
        assert len(ties) <= most + bool(plan.get("third_place"))
    if len(names) < 12:  # of more it takes long
        assert cup.differences == []


def test_a_round_is_counted_through_all_stages() -> None:
    own = tuple(Stage(kind="swiss", rounds=2) for _ in range(3))
    cup = Knockout("abcdefgh", kind="stages", stages=own)
    seen = []
    while cup.follow():
        cup.play(by_name)
        seen.append(cup.manifest.turn)
        *_, now = stages(cup.field, cup.schedule, cup.played, NOBODY, SEEDS, is_over=False)
        assert now.earlier + len(now.before) == cup.over + 1 == len(seen)
    assert seen == [
        CurrentRound(n, last, last // 2, 3) for last in (2, 4, 6) for n in (last - 1, last)
    ]
    assert cup.manifest.turn == seen[-1]


def test_a_round_of_a_bracket_that_has_no_name_is_no_number_of_a_round() -> None:
    cup = Knockout([f"bot-{number:02}" for number in range(16)], deals=1)
    cup.follow()
    ties = cup.last.ties
    assert ties is not UNSET
    assert ties[0] == "heat 1.1"
    names = ("heat 1.12", "quarter-final 2", "winners 1.1", "final")
    assert [*map(round_of, names)] == ["heat 1", "quarter-final", "winners 1", "final"]
