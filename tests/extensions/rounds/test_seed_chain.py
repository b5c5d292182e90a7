"""The seeds of a ladder say what came before, and nothing of what comes."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.extensions.rounds import seed_chain as module
from arena.extensions.rounds.seed_chain import SeedChain, seed_before


def test_each_seed_of_a_ladder_gives_those_before_it() -> None:
    chain = SeedChain("a seed")
    text = f"arena-chain-1\n{chain.of(2)}".encode()
    assert chain.of(1) == hashlib.sha256(text).hexdigest() == seed_before(chain.of(2))
    assert chain.of(1) == "f250592cb3c2e86529be00c45941e311ec0e271bc906a5b8ffbd80e8b37f3f81"
    assert chain.end(0) == seed_before(chain.of(1))
    assert {len(chain.of(number)) for number in (1, module.STRETCH, module.STRETCH + 1)} == {64}


@given(st.integers(1, 2 * module.STRETCH))
def test_a_stretch_begins_where_its_end_says(number: int) -> None:
    chain = SeedChain("a seed")
    stretch, place = divmod(number - 1, module.STRETCH)
    before = chain.of(number - 1) if place else chain.end(stretch)
    assert seed_before(chain.of(number)) == before


@pytest.mark.parametrize("length", [1, 2, 7])
def test_stretches_say_nothing_of_each_other(monkeypatch: pytest.MonkeyPatch, length: int) -> None:
    monkeypatch.setattr(module, "STRETCH", length)
    chains = [SeedChain("one"), SeedChain("two")]
    found = [each.of(number) for each in chains for number in range(1, 4 * length + 1)]
    found += [each.end(stretch) for each in chains for stretch in range(4)]
    assert len(set(found)) == len(found)
    told = {seed_before(each) for each in found}
    assert not told & {each.of(n * length) for each in chains for n in range(1, 5)}
