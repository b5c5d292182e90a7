"""What shards have together is the whole, and each is a fair part of it."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.schedule.handout import Handout
from arena.schedule.keys import Discipline
from arena.schedule.pairings import MOST, WHOLE, Shard
from arena.schedule.schedule import Block, Schedule
from tests.tournament.tables import SEEDS, discipline
from tests.toy import ToyRules

NAMES: Final = ("alice", "bob", "carol", "dave", "eve")


@st.composite
def tournaments(draw: st.DrawFn) -> tuple[Discipline, ...]:
    """One to three disciplines, some for one seat."""
    found = []
    for number in range(draw(st.integers(1, 3))):
        seats = draw(st.integers(1, 4))
        names = NAMES[: draw(st.integers(seats, len(NAMES)))]
        rules, deals = ToyRules(seats).spec, draw(st.integers(1, 12))
        found.append(discipline(*names, rules=rules, name=f"d{number}", deals=deals))
    return tuple(found)


def shards(disciplines: tuple[Discipline, ...], of: int) -> list[Schedule]:
    return [Schedule(disciplines, SEEDS, Shard(number, of)) for number in range(1, of + 1)]


def discipline_of(block: Block) -> str:
    return block.block.partition("/")[0]


@given(tournaments(), st.integers(1, 9))
def test_shards_are_the_whole_each_block_once(games: tuple[Discipline, ...], of: int) -> None:
    whole, parts = Schedule(games, SEEDS), shards(games, of)
    found = [block for part in parts for block in part.blocks()]
    assert Counter(found) == Counter(whole.blocks())
    for part in parts:
        own = [block.block for block in part.blocks()]
        assert own == [each.block for each in whole.blocks() if each.block in set(own)], "in order"
        assert [number for number, _ in part.order()] == [
            part.number(game.game_id) for block in part.blocks() for game in block.games
        ]
        assert [each.games(pairing) for each in part.passes() for pairing in each.own] == [
            part.block(part.number(block.games[0].game_id) or 0) for block in part.blocks()
        ]
    for block in whole.blocks():
        for game in block.games:
            numbers = [part.number(game.game_id) for part in parts]
            assert [n for n in numbers if n is not None] == [whole.number(game.game_id)]


@given(tournaments(), st.integers(1, 9), st.sets(st.sampled_from(NAMES)))
def test_what_is_counted_is_what_is_played(games, of, names) -> None:
    for part in shards(games, of):
        blocks = list(part.blocks())
        assert part.games == sum(len(block.games) for block in blocks)
        for each in games:
            own = [
                game
                for block in blocks
                if discipline_of(block) == each.name
                for game in block.games
            ]
            assert part.games_of(each.name) == len(own)
            met = [game for game in own if names.intersection(game.entrants)]
            assert part.games_with(names, each.name) == len(met)
        assert part.games_within(3) == sum(len(block.games) for block in part.blocks(deals=3))


@given(tournaments(), st.integers(1, 9))
def test_at_no_point_has_a_shard_two_blocks_more_than_another(games, of) -> None:
    whole, parts = Schedule(games, SEEDS), shards(games, of)
    dealt: dict[str, Counter[int]] = {
        each.name: Counter(dict.fromkeys(range(of), 0)) for each in games
    }
    for block in whole.blocks():
        [shard] = [
            k for k, part in enumerate(parts) if part.number(block.games[0].game_id) is not None
        ]
        counts = dealt[discipline_of(block)]
        counts[shard] += 1
        assert max(counts.values()) - min(counts.values()) <= 1
    sums = [sum(counts[shard] for counts in dealt.values()) for shard in range(of)]
    assert max(sums) - min(sums) <= 1, "nor of all disciplines together"


@pytest.mark.parametrize(("names", "of"), [(4, 6), (5, 5), (4, 4), (5, 2), (3, 7), (2, 3)])
def test_in_as_many_passes_as_shards_each_has_each_pairing_once(names: int, of: int) -> None:
    """Also where the pairings are a multiple of the shards, of which plain counting makes a few."""
    for part in shards((discipline(*NAMES[:names], deals=3 * of),), of):
        met = [
            (cycle // of, each.pairings[number])
            for cycle, each in enumerate(part.passes())
            for number in each.own
        ]
        assert len(set(met)) == len(met) == 3 * names * (names - 1) // 2


def test_a_handout_gives_the_blocks_of_a_shard() -> None:
    for part in shards((discipline(*NAMES, deals=4),), 3):
        for kept in (None, 4):
            handout = Handout(part, kept)
            given = [
                block for place in range(999) if (block := handout.next(place % 2)) is not None
            ]
            assert sorted(each.block for each in given) == sorted(b.block for b in part.blocks())


@pytest.mark.parametrize("text", ["2/5", "1/1", f"{MOST}/{MOST}"])
def test_a_shard_is_read_as_it_is_written(text: str) -> None:
    assert str(Shard.read(text)) == text


@pytest.mark.parametrize(
    "text", ["0/5", "6/5", "2/1", "x", "", "1", "/", "1/", "/5", "1/5/5", "-1/5", "1/-5", "1.0/5",
             " 1/5", "1/5 ", "+1/5", "01/5", "٣/5", "²/5", f"1/{MOST + 1}", "1/" + "9" * 5000],
)  # fmt: skip
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        Shard.read(text)


def test_the_whole_is_one_of_one() -> None:
    assert Shard.read("1/1") == WHOLE
    assert msgspec.json.decode(msgspec.json.encode(WHOLE), type=Shard) == WHOLE


def test_a_game_of_another_shard_is_told_from_one_of_nobody() -> None:
    one, other = shards((discipline(*NAMES, deals=2),), 2)
    for block in one.blocks():
        for game in block.games:
            assert (one.is_elsewhere(game.game_id), other.is_elsewhere(game.game_id)) == (
                False,
                True,
            )
    assert not one.is_elsewhere("toy-2/alice+nobody:0:0")
