"""What must hold in every game of every rules engine. Each check raises AssertionError."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Final

import msgspec

from arena.games.base import CHANCE, NOBODY
from arena.games.luck import Luck, derive_key
from arena.games.registry import GAMES, make_rules
from arena.results import RulesSpec
from tests.games.games import Game, Ply, play
from tests.games.titles import TITLES

LEAK_PLIES: Final = 8
"""Plies of each game at which hidden information is dealt anew."""
WORLD_PLIES: Final = 250
"""Plies of a game at which a test of its own draws worlds for every seat: all of a short game."""
SEEN_PLIES: Final = 100
"""Plies of each game at which everything is written, read and counted."""


def check_flow(game: Game) -> None:
    """States join up, and there is an outcome exactly when nobody is to act."""
    rules = game.rules
    assert game.plies[0].before == rules.initial_state()
    assert all(first.after == second.before for first, second in pairwise(game.plies))
    for state in game.states:
        assert (rules.outcome(state) is None) == (rules.to_act(state) != NOBODY)
    outcome = rules.outcome(game.plies[-1].after)
    assert outcome is not None
    assert len(outcome.scores) == len(outcome.places) == rules.info.seats
    assert sorted(outcome.places)[0] == 1
    assert outcome.ruling in ("", *GAMES[rules.info.name].endings)


def check_legal_actions(game: Game) -> None:
    """Non-empty, without duplicates, the same at every call, of the published types."""
    for ply in game.plies:
        if ply.actor == CHANCE:
            assert game.rules.is_chance_possible(ply.before, ply.action)
            continue
        legal = list(game.rules.legal_actions(ply.before))
        assert legal
        assert len(set(legal)) == len(legal)
        assert legal == list(game.rules.legal_actions(ply.before))
        assert isinstance(ply.action, GAMES[game.rules.info.name].action_types)
        assert not game.rules.is_chance_possible(ply.before, ply.action)


def check_action_json(game: Game) -> None:
    """Every legal and every chance action survives JSON."""
    rules = game.rules
    for ply in _sample(game, "actions"):
        possible = (ply.action,) if ply.actor == CHANCE else rules.legal_actions(ply.before)
        for action in possible:
            assert rules.decode_action(msgspec.json.decode(msgspec.json.encode(action))) == action


def check_determinism(game: Game) -> None:
    """The same seed gives the same game."""
    assert play(game.rules.spec, game.seed).plies == game.plies


def check_replay(game: Game) -> None:
    """The recorded actions alone give the same game, on rules built from the spec's JSON."""
    spec = msgspec.json.decode(msgspec.json.encode(game.rules.spec), type=RulesSpec)
    rules = make_rules(spec)
    state = rules.initial_state()
    for ply in game.plies:
        record = msgspec.json.encode(ply.action)
        state = rules.apply(state, rules.decode_action(msgspec.json.decode(record)))
        assert state == ply.after


def check_states_are_values(game: Game) -> None:
    """States are hashable, and no question asked about one changes it."""
    rules = game.rules
    for ply in _sample(game, "values"):
        fingerprint = hash(ply.before)
        rules.apply(ply.before, ply.action)
        for seat in game.seats:
            rules.observe(ply.before, seat)
        assert hash(ply.before) == fingerprint


def check_view_json(game: Game) -> None:
    """Observations and events survive JSON as the published types."""
    family = GAMES[game.rules.info.name]
    for ply in _sample(game, "views"):
        for seat in game.seats:
            view = game.rules.observe(ply.after, seat)
            assert _through_json(view, family.observation_type) == view
            event = game.rules.describe(ply.before, ply.action, ply.after)[seat]
            if event is not None:
                assert isinstance(event, family.event_types)
                assert _through_json(event, type(event)) == event


def check_title(game: Game) -> None:
    """Nothing appears or vanishes, and what else the title promises of every state."""
    for ply in (*_sample(game, "states"), game.plies[-1]):
        TITLES[game.rules.info.name].check_state(game.rules, ply.after)


def check_public(game: Game) -> None:
    """What a spectator may see is what every seat sees."""
    names = game.rules.info.public
    for ply in (*_sample(game, "public"), game.plies[-1]):
        views = [game.rules.observe(ply.after, seat) for seat in game.seats]
        for name in names:
            values = [getattr(view, name) for view in views]
            assert all(value == values[0] for value in values), name
    assert not {"seat", "hand"} & set(names)


def check_no_leaks(game: Game) -> None:
    """What a seat receives does not change when all that it cannot know is dealt anew."""
    rules = game.rules
    redeal = TITLES[rules.info.name].redeal
    for seat in game.seats:
        for index in _some_plies(game, f"leak:{seat}"):
            ply = game.plies[index]
            other = redeal(rules, ply, seat, Luck(derive_key("redeal", game.seed, index, seat)))
            assert rules.observe(other.before, seat) == rules.observe(ply.before, seat)
            assert rules.observe(other.after, seat) == rules.observe(ply.after, seat)
            assert rules.to_act(other.after) == rules.to_act(ply.after)
            assert rules.describe(*other[1:])[seat] == rules.describe(*ply[1:])[seat]
            if ply.actor == seat:
                assert rules.legal_actions(other.before) == rules.legal_actions(ply.before)


def check_determinize(game: Game) -> None:
    """A guessed state looks the same to the seat that guesses, and can be played on."""
    check_worlds(game, LEAK_PLIES)


def check_worlds(game: Game, plies: int) -> None:
    """The same, by seat at so many of its plies: each world drawn gives back the observation."""
    rules = game.rules
    for seat in game.seats:
        for index in _some_plies(game, f"guess:{seat}", plies):
            state = game.plies[index].after
            view = rules.observe(state, seat)
            guess = rules.determinize(view, Luck(derive_key("guess", game.seed, index, seat)))
            assert rules.observe(guess, seat) == view
            assert rules.to_act(guess) == rules.to_act(state)
            TITLES[rules.info.name].check_state(rules, guess)
            if rules.to_act(state) == seat:
                assert rules.legal_actions(guess) == rules.legal_actions(state)


ONCE_IN_A_WHILE: Final[tuple[Callable[[Game], None], ...]] = (
    check_determinism,
    check_replay,
    check_determinize,
)
"""Checks that cost as much as playing the game again."""
CHECKS: Final[tuple[Callable[[Game], None], ...]] = (
    check_flow,
    check_legal_actions,
    check_action_json,
    check_determinism,
    check_replay,
    check_states_are_values,
    check_view_json,
    check_title,
    check_public,
    check_no_leaks,
    check_determinize,
)


def _some_plies(game: Game, stream: str, count: int = LEAK_PLIES) -> tuple[int, ...]:
    """The plies at which a check looks: random ones, different in every game."""
    luck = Luck(derive_key("plies", game.seed))
    return luck.shuffle(stream, 0, range(len(game.plies)))[:count]


def _sample(game: Game, stream: str) -> list[Ply]:
    """All plies of a short game, some of a long one."""
    return [game.plies[index] for index in _some_plies(game, stream, SEEN_PLIES)]


def _through_json(value: msgspec.Struct, kind: type[msgspec.Struct]) -> msgspec.Struct:
    return msgspec.json.decode(msgspec.json.encode(value), type=kind)
