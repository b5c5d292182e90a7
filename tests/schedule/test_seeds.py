"""Vectors that may never change: an opened seed must give the same games in any year."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from arena.schedule.seeds import Opening, Seeds, new_opening
from arena.values.results import GameSpec

SEEDS = Seeds.of("a seed")
GAME = GameSpec("a+b:0:1", "a+b:0", "a+b:0", 1, ("b", "a"))
OTHER = GameSpec("a+b:0:0", "a+b:0", "a+b:0", 0, ("a", "b"))


def test_the_key_of_a_seed() -> None:
    assert SEEDS.key.hex() == "38a326c5874ba42b01b1543c674c0eb5afedb398b43afc1695ea68bbbb2e6762"
    assert Seeds(SEEDS.key).bot(GAME, 0) == SEEDS.bot(GAME, 0)


def test_the_draws_of_a_deal() -> None:
    assert [SEEDS.deal("a+b:0").below("deck", n, 1000) for n in range(5)] == [
        550,
        867,
        140,
        459,
        491,
    ]
    assert SEEDS.deal("a+b:0").shuffle("deck", 0, range(10)) == (9, 6, 2, 1, 4, 3, 8, 7, 5, 0)


def test_the_draws_of_a_seating() -> None:
    assert SEEDS.seating("a+b:0").shuffle("order", 0, "abcd") == ("b", "a", "d", "c")


def test_the_seeds_of_bots() -> None:
    assert [SEEDS.bot(GAME, seat) for seat in range(2)] == [2875950934407963, 1499197730049986]


def test_bots_of_one_deal_have_different_seeds() -> None:
    told = [SEEDS.bot(game, seat) for game in (GAME, OTHER) for seat in (0, 1)]
    assert len(set(told)) == 4


@given(st.text(), st.text(), st.integers(0, 3))
def test_bot_seeds_are_numbers_that_every_reader_keeps(seed: str, name: str, seat: int) -> None:
    spec = GameSpec(name, "", "", 0, ())
    assert 0 <= Seeds.of(seed).bot(spec, seat) < 2**53


def test_a_commitment_is_a_plain_sha_256() -> None:
    opening = Opening("a seed", "00112233")
    text = b"arena-run-1\n00112233\na seed\nconfig"
    assert (
        opening.commitment("config")
        == hashlib.sha256(text).hexdigest()
        == "d8bfb94fc816bffefefeae87a412dba22049dc0f3175f40505580498269d1c65"
    )


def test_a_given_seed_is_kept_and_salted_anew() -> None:
    one, two = new_opening("1"), new_opening("1")
    assert one.seed == two.seed == "1"
    assert one.commitment("") != two.commitment("")


def test_a_drawn_seed_has_128_bits() -> None:
    seeds = {new_opening(None).seed for _ in range(100)}
    assert len(seeds) == 100
    assert {len(bytes.fromhex(seed)) for seed in seeds} == {16}
