"""Legal actions in words: each its own, and what they promise is what happens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace
from wcwidth import wcswidth

from arena.extensions.games.dragonheart import board as dragonheart
from arena.extensions.games.dragonkrak import choices as dragonkrak_choices
from arena.extensions.games.dragonkrak.rules import cards as dragonkrak_cards
from arena.extensions.games.dragonkrak.rules import piles
from arena.extensions.games.dragonkrak.rules.state import Pile
from arena.extensions.games.dragonrealm import choices as dragonrealm_choices
from arena.games.board import GENERIC, TableInfo
from arena.games.guarded_board import board_of
from arena.games.registry import resolve
from arena.values.results import RulesSpec
from tests.games.games import PlayedGame, default_data, label, plain, play, single_specs
from tests.toy import ToyRules

pytestmark = pytest.mark.slow

GAMES = 1
COLUMNS = 85


class Asked(NamedTuple):
    """One decision: the ply, what was seen, and the legal actions with their words."""

    game: PlayedGame
    ply: int
    observation: Any
    legal: list[Any]
    words: list[str]

    @property
    def chosen(self) -> str:
        return self.words[self.legal.index(plain(self.game.plies[self.ply].action))]

    @property
    def event(self) -> Any:
        """What the seat that decided saw of it."""
        ply = self.game.plies[self.ply]
        return plain(self.game.rules.describe(*ply[1:])[ply.actor])


@lru_cache(maxsize=10)
def game(name: str, seats: int, number: int) -> PlayedGame:
    return play(resolve(name, seats, {}, default_data(name)), f"choices-{number}")


def decisions(shown: PlayedGame, kind: str = "") -> Iterator[Asked]:
    """Those in which an action of that kind was chosen; all of them without one."""
    rules = shown.rules
    names = tuple(f"bot{seat}" for seat in shown.seats)
    table, board = TableInfo(names, rules.spec.options), board_of(rules.spec.name, rules.spec.seats)
    for number, (actor, before, action, _) in enumerate(shown.plies):
        if actor >= 0 and (not kind or plain(action)["type"] == kind):
            seen = plain(rules.observe(before, actor))
            legal = [plain(action) for action in rules.legal_actions(before)]
            words = [board.choice(action, seen, table) for action in legal]
            yield Asked(shown, number, seen, legal, words)


def asked(name: str, seats: int, kind: str, games: int = 10) -> Iterator[Asked]:
    """Decisions of random games in which an action of this kind was chosen."""
    for number in range(games):
        yield from decisions(game(name, seats, number), kind)


@pytest.mark.parametrize("spec", list(single_specs()), ids=label)
def test_different_actions_have_different_words_that_fit_a_line(spec: RulesSpec) -> None:
    for number in range(GAMES):
        for one in decisions(play(spec, f"words-{number}")):
            assert len(set(one.words)) == len(one.words), sorted(one.words)
            for words in one.words:
                assert re.fullmatch(r"[A-Z][\w ,:()/+×-]+", words), words
                assert not re.search(r"_|\b(None|True|False|[a-z]+:\d)", words), words
                assert wcswidth(words) <= COLUMNS, words


def test_dragonheart_collects_what_was_said() -> None:
    promised = 0
    for kind in ("play", "take"):
        for one in asked("dragonheart", 2, kind):
            worth = sum(int(card[-1]) for card in one.event.get("collected", ()))
            said = re.fullmatch(r"[^(]+(?:takes (?:\w+ )*\((\d+) points?\).*)", one.chosen)
            if kind == "play" and " or " in one.chosen:
                assert "collected" not in one.event, one.chosen
            elif "collected" in one.event:
                assert said, one.chosen
                assert int(said[1]) == worth, one.chosen
                promised += 1
            else:
                assert said is None, one.chosen
            assert ("dragon figure" in one.chosen) == one.event.get("figure", False)
            assert not one.event.get("row_to") or kind == "take" or "fills the row" in one.chosen
            if "announces the end" in one.chosen:
                assert "final_turn" in one.event
    assert promised > 100


def test_dragonkrak_places_removes_and_inserts_as_said() -> None:
    for seats, kind in (
        (1, "place"),
        (2, "place"),
        (1, "remove"),
        (4, "remove"),
        (2, "volunteers"),
    ):
        for one in asked("dragonkrak", seats, kind):
            event = one.event
            is_over = event.get("over", False)
            if kind != "remove":
                hand = one.observation["hand_sizes"][one.observation["seat"]]
                camp = one.observation["camp_sizes"][one.observation["seat"]]
                assert ("your last card" in one.chosen) == (hand + camp == 1)
                if seats > 1:
                    assert is_over == ("your last card" in one.chosen)
                if not is_over and hand + camp > 1:
                    assert ("cleared" in event) == ("the sixth" in one.chosen), one.chosen
                continue
            removed = event["removed"]
            assert one.chosen.startswith(f"Remove {len(removed)} card"), one.chosen
            if seats == 1:
                told = re.search(r": (\d) deserters?$", one.chosen)
                assert told
                assert int(told[1]) == sum(card != "hero" for card in removed)


def test_dragonkrak_asks_the_rules_of_the_piles_that_they_have() -> None:
    """On piles of games in which heroes take any value."""
    declared = play(resolve("dragonkrak", 2, {"hero_value": "declared"}, {}), "removals")
    heroes = 0
    for shown in (declared, game("dragonkrak", 1, 0), game("dragonkrak", 4, 0)):
        for state in shown.states[::2]:
            seen = plain(shown.rules.observe(state, 0))
            found = [dragonkrak_choices._pile(name, seen) for name in dragonkrak_cards.SPACES]
            assert found == [*state.piles]
            heroes += sum(pile.hero is not None for pile in found)
    assert heroes > 100


def test_a_hero_at_the_bottom_of_an_army_takes_any_colour() -> None:
    pile = Pile(("hero", "druids:05"), "druids", 2, False)
    for ordered, kept in ((False, 1), (True, 0)):
        assert piles.kept(2, replace(pile, ordered=ordered), "tribes:04") == kept


def test_dragonkrak_cards_that_follow_wear_the_colour_that_was_said() -> None:
    for one in asked("dragonkrak", 4, "place"):
        space = plain(one.game.plies[one.ply].action)["space"]
        before = one.observation["board"][space].get("colour")
        after = plain(one.game.rules.observe(one.game.plies[one.ply].after, 0))["board"][space]
        said = re.search(r"(\w+) from then on", one.chosen)
        if said:
            assert (before, after["colour"].capitalize()) == (None, said[1])
        elif after["cards"] and "last card" not in one.chosen:
            assert after.get("colour") == before


def test_dragonrealm_calls_decide_as_said() -> None:
    seen = set()
    for one in asked("dragonrealm", 3, "academy", 5):
        said = re.search(r": (\d+) of (\d+), (success|failure)$", one.chosen)
        assert said, one.chosen
        (told,) = (
            incident
            for ply in one.game.plies[one.ply : one.ply + 2]
            for event in [plain(one.game.rules.describe(*ply[1:])[0])]
            for incident in (event or {}).get("then", ())
            if incident["type"] in ("success", "failure")
        )
        assert (told["total"], told["needed"], told["type"]) == (
            int(said[1]),
            int(said[2]),
            said[3],
        )
        seen.add(said[3])
    assert seen == {"success", "failure"}


def test_dragonrealm_hands_give_as_many_dice_as_said() -> None:
    for number in range(5):
        shown = list(decisions(game("dragonrealm", 3, number)))
        for one, following in pairwise(shown):
            said = re.search(r"needs (\d+) \(up to (\d) di\w+( \+\d)?\)", one.chosen)
            if said:
                attempt = following.observation["attempt"]
                plays = [len(a["cards"]) for a in following.legal if a["type"] == "play"]
                assert max(plays) == int(said[2]), one.chosen
                assert (attempt["needed"], attempt["bonus"]) == (int(said[1]), int(said[3] or 0))


def test_dragonrealm_locations_fill_as_said() -> None:
    for one in asked("dragonrealm", 4, "place"):
        location = one.observation["attempt"]["location"]
        kinds = [then["type"] for then in one.event["then"]]
        completed = "scored" in kinds[kinds.index("placed") + 1 :][: 2 if "spent" in kinds else 1]
        assert completed == one.chosen.endswith("completes it"), one.chosen
        if not completed and "goblins" not in kinds:
            after = plain(one.game.rules.observe(one.game.plies[one.ply].after, 0))["row"]
            (place,) = [place for place in after if place["id"] == location]
            filled = sum(place["adventurers"]) + place["goblins"]
            assert one.chosen.endswith(f": {filled} of {place['spaces']} spaces"), one.chosen


def test_dragonrealm_adds_what_lasts_and_lies_face_up() -> None:
    cards = [
        {"id": name, "one_time": one_time, "effect": {"add": add, "action": way}}
        for name, one_time, add, way in (
            ("si_vanguard", False, 2, "storm"), ("si_war_horn", False, 1, "storm"),
            ("fireball_spell", True, 6, "storm"), ("si_spyglass", False, 1, "search"),
        )
    ]  # fmt: skip
    place = {"id": "fire_swamp", "storm": 8, "gold": ["storm"], "reward": [7, 3]}
    shown = ["si_vanguard", "fireball_spell", "si_spyglass"]
    observation = {
        "seat": 0, "hand": ["bell:01", "bell:03", "drum:04"], "enhancements": cards, "row": [place],
        "sides": [{"shown": shown}],
    }  # fmt: skip
    action = {"type": "explore", "location": "fire_swamp", "way": "storm"}
    words = dragonrealm_choices.choice(action, observation, TableInfo(("a", "b"), {}))
    assert words == "Explore Fire swamp by storm: needs 8 (up to 2 dice +2), pays 7/3, ring"


@pytest.mark.parametrize(("direction", "to"), [("left", "c"), ("right", "a")])
def test_dragonrealm_passes_to_the_neighbour(direction: str, to: str) -> None:
    observation = {"seat": 1, "agenda": [f"pass:{direction}:1", "slide:left"]}
    action = {"type": "pass", "cards": ["bell:07", "drum:10"]}
    words = dragonrealm_choices.choice(action, observation, TableInfo(("a", "b", "c"), {}))
    assert words == f"Pass Bell 7, Drum 10 to {to}"


BOARD = {
    **{space: [] for space in ("dwarf", "fire_dragon", "huntress", "knight", "ship")},
    **{space: [] for space in ("sorceress", "treasure", "quay")},
    "petrified": ["petrified:2", "petrified:2"],
    "troll": ["troll:3"],
}


@pytest.mark.parametrize(
    ("cards", "more", "words"),
    [
        (["dwarf:1", "dwarf:2"], {}, "Play Dwarf 1 2: row 2/4"),
        (["dwarf:1", "dwarf:2"], {"dwarf": ["dwarf:1", "dwarf:1"]},
         "Play Dwarf 1 2: fills the row, takes it (5 points)"),
        (["petrified:2"], {}, "Play Petrified 2"),
        (["fire_dragon:2"], {}, "Play Fire dragon 2: Treasure is empty"),
        (["sorceress:1"], {"petrified": []},
         "Play Sorceress 1: Treasure and Petrified are empty"),
        (["sorceress:1"], {},
         "Play Sorceress 1: takes Treasure (empty) or Petrified (4 points, figure)"),
        (["knight:1"], {"knight": ["knight:2"]},
         "Play Knight 1: fills the row, takes Sorceress (empty) or Troll (3 points)"),
        (["ship:0"] * 3, {"quay": ["knight:1", "huntress:1"]},
         "Play Ship ×3: fills the row, takes Quay (2 points), announces the end"),
    ],
)  # fmt: skip
def test_plays_of_dragonheart(cards: list[str], more: dict[str, Any], words: str) -> None:
    observation = {"seat": 0, "figure": 1, "ship_sets": 2, "board": BOARD | more}
    action = {"type": "play", "cards": cards}
    assert dragonheart.choice(action, observation, TableInfo(("a", "b"), {})) == words


def test_whoever_owns_the_figure_does_not_win_it() -> None:
    observation = {"seat": 0, "figure": 0, "board": BOARD}
    action = {"type": "take", "space": "petrified"}
    told = dragonheart.choice(action, observation, TableInfo(("a", "b"), {}))
    assert told == "Choose Petrified: takes 2 2 (4 points)"


def test_actions_of_rules_without_a_board_are_data() -> None:
    legal = [plain(action) for action in ToyRules(2).legal_actions(ToyRules(2).initial_state())]
    table = TableInfo(("a", "b"), {})
    assert [GENERIC.choice(action, {}, table) for action in legal] == [
        "Say: number 0", "Say: number 1", "Say: number 2",
    ]  # fmt: skip
    assert GENERIC.choice({"type": "end_turn"}, {}, table) == "End turn"


def test_actions_without_a_board_differ_and_steer_no_terminal() -> None:
    table = TableInfo(("a",), {})
    actions = [
        {"type": "play", "card": "1"}, {"type": "play", "card": 1}, {"type": "play", "card": [1]},
        {"type": "play", "card": "\x1b"}, {"type": "play", "card": "\x07"},
        {"type": "play", "card": "\u202e"}, {"type": "play", "card": "\u202d"},
    ]  # fmt: skip
    words = [GENERIC.choice(action, {}, table) for action in actions]
    assert len(set(words)) == len(words)
    assert all(line.isprintable() for line in words)
