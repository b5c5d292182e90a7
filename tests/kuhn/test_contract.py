"""The checks that every game passes, for one that does not come with arena."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from arena.games import game
from arena.games.base import RulesError
from arena.games.generic import BOARD
from arena.games.registry import board_of, resolve
from arena.results import Seat
from tests.games.checks import CHECKS
from tests.games.games import Game, Luck, Ply, Rules, default_data, play
from tests.games.titles import TITLES, Title
from tests.kuhn.install import HERE, loaded


@pytest.fixture(scope="module", autouse=True)
def kuhn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with loaded(tmp_path_factory.mktemp("installed")), pytest.MonkeyPatch.context() as patch:
        patch.setitem(TITLES, "kuhn", Title(check_state, redeal, ending, lambda game: 0))
        yield


def check_state(rules: Rules[Any, Any], state: Any) -> None:
    deck = rules.spec.data["cards"]
    assert len(set(state.cards)) == len(state.cards) <= 2
    assert set(state.cards) <= set(deck)
    assert not state.deeds or len(state.cards) == 2


def redeal(rules: Rules[Any, Any], ply: Ply, seat: Seat, luck: Luck) -> Ply:
    """The other seat gets another card, where it is not shown."""
    after = ply.after
    if after.shown or len(after.cards) <= 1 - seat:
        return ply
    taken = after.cards[seat : seat + 1]
    deck = [card for card in rules.spec.data["cards"] if card not in taken]
    card = deck[luck.below("card", 0, len(deck))]

    def dealt(state: Any) -> Any:
        cards = tuple(card if each == 1 - seat else own for each, own in enumerate(state.cards))
        return msgspec.structs.replace(state, cards=cards)

    before, action = dealt(ply.before), ply.action
    if len(ply.before.cards) == 1 - seat:  # it is dealt just now
        action = msgspec.structs.replace(action, card=card)
    return Ply(ply.actor, before, action, rules.apply(before, action))


def ending(game: Game) -> str:
    return str(game.plies[-1].after.deeds[-1])


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("bet", ["one", "two"])
def test_contract(bet: str, check: Callable[[Game], None]) -> None:
    spec = resolve("kuhn", 2, {"bet": bet}, default_data("kuhn"))
    for number in range(40):
        check(play(spec, f"kuhn {number}"))


def test_who_pays_what() -> None:
    found = set()
    for number in range(100):
        game = play(resolve("kuhn", 2, {"bet": "two"}, default_data("kuhn")), str(number))
        outcome = game.rules.outcome(game.plies[-1].after)
        assert outcome is not None
        found.add((ending(game), max(outcome.scores)))
        assert sum(outcome.scores) == 0
    assert found == {("check", 1), ("fold", 1), ("call", 3)}


def test_bad_data_are_refused_with_their_place() -> None:
    for cards, path in ((["a", "a", "b"], ("cards",)), ([1, 2, "c"], ("cards", 0))):
        with pytest.raises(RulesError) as caught:
            resolve("kuhn", 2, {}, {"cards": cards})
        assert caught.value.path == ("data", *path)


def test_the_page_on_games_from_outside_has_what_this_one_says() -> None:
    page = (HERE.parents[1] / "docs" / "adding-a-game.md").read_text("utf-8")
    said = page.partition("```python\n")[2].partition("```")[0]
    source = (HERE / "kuhn_poker" / "__init__.py").read_text("utf-8")
    assert said.partition("GAME = ")[2] == source.partition("GAME: Final = ")[2]
    listed = re.findall(r"^\| (`[^|]+`) \|", page, re.MULTILINE)
    assert re.findall(r"`(\w+)`", " ".join(listed)) == list(game.Game._fields)


def test_a_game_without_a_board_is_shown_as_plain_data() -> None:
    assert board_of("kuhn") is BOARD
