"""Checks of what must hold in every game of any rules.

Each check takes a played game and returns how many comparisons it made. Zero means that the game
gave it nothing to test. A check raises ContractError with the ply, what was found and what was
expected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any, Final, TypeAlias

import msgspec

from arena.extensions.authors.contract.play import ContractError, PlayedGame, board, play
from arena.games.base import (
    CHANCE,
    NOBODY,
    InvalidActionError,
    Json,
    Rules,
    RulesInfo,
    Transition,
    action_texts,
    wrong_outcome,
)
from arena.games.game import Game
from arena.games.guarded_rules import Border, GuardedRules
from arena.games.installed import GameError
from arena.games.luck import Luck, derive_key
from arena.games.positions import is_start_position, positioned
from arena.games.registry import GAMES
from arena.values.results import Outcome, RulesSpec, Seat

LEAK_PLIES: Final = 8
"""Plies of each game at which hidden information is dealt again, by seat, and odd JSON is sent."""
SEEN_PLIES: Final = 100
"""Plies of each game at which everything is written, read and counted."""
_ODD: Final[tuple[Json, ...]] = (None, True, -1, 10**18, 0.5, "x", [], [[]], {})

CheckFunction: TypeAlias = Callable[[PlayedGame, Game], int]


def flow(played: PlayedGame, game: Game) -> int:
    """Check that states join up, and that there is an outcome exactly when nobody is to act."""
    rules = played.rules
    _same(0, "the first state", played.plies[0].before, rules.initial_state())
    for number, (first, second) in enumerate(pairwise(played.plies), 1):
        _same(number, "the state after the ply before", second.before, first.after)
    for number, state in enumerate(played.states):
        is_over = rules.to_act(state) == NOBODY
        if (rules.outcome(state) is not None) != is_over:
            expected = "an outcome" if is_over else "none before the end"
            raise ContractError(f"ply {number}: outcome: expected {expected}")
    return len(played.plies)


def outcome(played: PlayedGame, game: Game) -> int:
    """Check that the scores and places at the end are those that ``info`` allows."""
    info, found = played.rules.info, played.rules.outcome(played.plies[-1].after)
    problem = "none" if found is None else _outcome_problem(found, info, game.endings)
    if problem:
        raise ContractError(f"ply {len(played.plies)}: outcome: found {problem}")
    return 1


def _outcome_problem(found: Outcome, info: RulesInfo, endings: Mapping[str, str]) -> str:
    if wrong := wrong_outcome(found, info.seats):
        return f"{found!r}, expected {wrong}"
    scores, places = found.scores, found.places
    if found.ruling not in ("", *endings):
        return f"ruling {found.ruling!r}, expected one of Game.endings"
    partners = range(info.teams, info.seats) if info.teams else ()
    for seat in partners:
        own, other = (scores[seat], places[seat]), (scores[seat - info.teams], places[seat - 2])
        if own != other:
            return f"scores {scores} and places {places}, expected the same of partners"
    sign = -1 if info.less_is_better else 1
    if any(sign * score < sign * info.worst_score for score in scores):
        return f"scores {scores}, expected none worse than {info.worst_score} (info.worst_score)"
    return ""


def legal_actions(played: PlayedGame, game: Game) -> int:
    """Check that legal actions are of the published types, each once, the same at every call."""
    rules = played.rules
    for number, ply in enumerate(played.plies):
        possible = rules.is_chance_possible(ply.before, ply.action)
        if not (isinstance(ply.action, game.action_types) or is_start_position(ply.action)):
            what = type(ply.action).__name__
            raise ContractError(f"ply {number}: found a {what}, expected one of Game.action_types")
        if ply.actor == CHANCE:
            if not possible:
                raise ContractError(f"ply {number}: is_chance_possible: denies what chance drew")
            continue
        if possible:
            raise ContractError(f"ply {number}: is_chance_possible: allows an action of a seat")
        legal = list(rules.legal_actions(ply.before))
        if len({*legal}) < len(legal):
            raise ContractError(f"ply {number}: legal_actions: found an action twice")
        _same(number, "legal_actions asked again", list(rules.legal_actions(ply.before)), legal)
    return len(played.plies)


def action_json(played: PlayedGame, game: Game) -> int:
    """Check that every legal action and every chance action survives JSON.

    Of other JSON ``decode_action`` makes an action or raises InvalidActionError: anything else
    would make a game void through the rules that a bot spoilt.
    """
    rules, tested = played.rules, 0
    for number, ply in _sample(played, "actions"):
        possible = (ply.action,) if ply.actor == CHANCE else rules.legal_actions(ply.before)
        for action in possible:
            data = msgspec.json.decode(msgspec.json.encode(action))
            _same(number, "decode_action of an action's JSON", rules.decode_action(data), action)
            tested += 1
    for number in _some(played, "odd", LEAK_PLIES):
        for odd in _odd(msgspec.json.decode(msgspec.json.encode(played.plies[number].action))):
            try:
                rules.decode_action(odd)
            except InvalidActionError:
                pass
            except Exception as error:
                found = f"raised {type(error).__name__}, expected InvalidActionError"
                what = f"decode_action of {_short(odd)}"
                raise ContractError(f"ply {number}: {what}: {found}") from error
    return tested


def _odd(data: Json) -> Iterator[Json]:
    """Yield JSON as a careless bot might send it instead of ``data``."""
    yield from (*_ODD, {"type": "x"})
    for key in data if isinstance(data, dict) else ():
        yield {name: value for name, value in data.items() if name != key}
        yield from ({**data, key: value} for value in _ODD)


def determinism(played: PlayedGame, game: Game) -> int:
    """Check that the same seed gives the same game and views, on rules built again."""
    rules = _rebuilt(played.rules, game)
    again = play(rules, played.seed)
    for number, (first, second) in enumerate(zip(played.plies, again.plies, strict=False)):
        _same(number, "the same game played again", second, first)
    _same(len(again.plies), "the length of the same game", len(again.plies), len(played.plies))
    for number, ply in _sample(played, "again"):
        events = rules.describe(ply.before, ply.action, ply.after)
        own = played.rules.describe(ply.before, ply.action, ply.after)
        _same(number, "describe asked again", [*events], [*own])
        for seat in played.seats:
            view, same = rules.observe(ply.after, seat), played.rules.observe(ply.after, seat)
            _same(number, f"observe of seat {seat} asked again", view, same)
    return len(again.plies)


def replay(played: PlayedGame, game: Game) -> int:
    """Check that the recorded actions alone give the same game, on rules built again."""
    rules = _rebuilt(played.rules, game)
    state = rules.initial_state()
    for number, ply in enumerate(played.plies):
        action = rules.decode_action(msgspec.json.decode(msgspec.json.encode(ply.action)))
        state = rules.apply(state, action)
        _same(number, "the state of the replay", state, ply.after)
    return len(played.plies)


def states_are_values(played: PlayedGame, game: Game) -> int:
    """Check that states are hashable, and that no question about a state changes it."""
    rules, tested = played.rules, 0
    for number, ply in _sample(played, "values"):
        fingerprint = hash(ply.before)
        rules.apply(ply.before, ply.action)
        for seat in played.seats:
            rules.observe(ply.before, seat)
        if hash(ply.before) != fingerprint:
            raise ContractError(f"ply {number}: apply or observe changed the state it was given")
        tested += 1
    return tested


def view_json(played: PlayedGame, game: Game) -> int:
    """Check that observations and events survive JSON as the published types."""
    tested = 0
    for number, ply in _sample(played, "views"):
        events = played.rules.describe(ply.before, ply.action, ply.after)
        if len(events) != len(played.seats):
            found = f"found {len(events)} events, expected {len(played.seats)}, by seat"
            raise ContractError(f"ply {number}: describe: {found}")
        for seat in played.seats:
            view = played.rules.observe(ply.after, seat)
            what = f"the observation of seat {seat} after JSON"
            _same(number, what, _through_json(view, game.observation_type), view)
            event = events[seat]
            if event is not None:
                if not isinstance(event, game.event_types):
                    found = type(event).__name__
                    raise ContractError(
                        f"ply {number}: describe: found a {found}, expected one of Game.event_types"
                    )
                what = f"the event of seat {seat} after JSON"
                _same(number, what, _through_json(event, type(event)), event)
            tested += 1
    return tested


def types(played: PlayedGame, game: Game) -> int:
    """Check that arena accepts, at its border, all that the rules return in a game."""
    rules = GuardedRules(Border(game, GAMES.source(game.name) or game.package), game, played.rules)
    luck = Luck(derive_key("deal", played.seed))
    for number, ply in enumerate(played.plies):
        if is_start_position(ply.action):
            continue
        try:
            if rules.to_act(ply.before) == CHANCE:
                rules.chance(ply.before, luck)
            else:
                action_texts(rules, ply.before, rules.legal_actions(ply.before))
            rules.is_chance_possible(ply.before, ply.action)
            after = rules.apply(ply.before, ply.action)
            rules.describe(ply.before, ply.action, after)
            rules.outcome(after)
            for seat in played.seats:
                rules.observe(after, seat)
        except GameError as error:
            raise ContractError(f"ply {number}: {error}") from error
    return len(played.plies)


def whole_states(played: PlayedGame, game: Game) -> int:
    """Check states by the package's own ``Game.check_state``."""
    if game.check_state is None:
        return 0
    shown = [*_sample(played, "states"), (len(played.plies) - 1, played.plies[-1])]
    for number, ply in shown:
        try:
            game.check_state(played.rules, ply.after)
        except AssertionError as error:
            raise ContractError(f"ply {number}: check_state: {error}") from error
    return len(shown)


def public(played: PlayedGame, game: Game) -> int:
    """Check that what ``info.public`` names is equal in the observations of all seats."""
    rules, names, tested = played.rules, played.rules.info.public, 0
    shown = [*_sample(played, "public"), (len(played.plies) - 1, played.plies[-1])]
    for number, ply in shown:
        views = [rules.observe(ply.after, seat) for seat in played.seats]
        for name in names:
            if not all(hasattr(view, name) for view in views):
                expected = "a field of the observation"
                raise ContractError(f"info.public: found {name!r}, expected {expected}")
            first, *others = [getattr(view, name) for view in views]
            for seat, value in enumerate(others, 1):
                _same(number, f"{name} of seat {seat}, which is public,", value, first)
                tested += 1
    return tested


def leaks(played: PlayedGame, game: Game) -> int:
    """Check that a seat receives the same when all that it cannot know is dealt again.

    Returns in how many comparisons the hidden information was another one.
    """
    redeal = game.redeal
    if redeal is None:
        return check_worlds(played, game, LEAK_PLIES)
    rules, tested = played.rules, 0
    for seat in played.seats:
        for number in _some(played, f"leak:{seat}", LEAK_PLIES):
            ply = played.plies[number]
            other = redeal(rules, ply, seat, _luck("redeal", played, number, seat))
            tested += other != ply
            for what, moment, own in (
                ("before", other.before, ply.before),
                ("after", other.after, ply.after),
            ):
                seen = rules.observe(moment, seat)
                _unchanged(number, seat, f"observe {what}", seen, rules.observe(own, seat))
            _unchanged(number, seat, "to_act", rules.to_act(other.after), rules.to_act(ply.after))
            event = rules.describe(*other[1:])[seat]
            _unchanged(number, seat, "describe", event, rules.describe(*ply[1:])[seat])
            if ply.actor == seat:
                legal = [*rules.legal_actions(other.before)]
                own_legal = [*rules.legal_actions(ply.before)]
                _unchanged(number, seat, "legal_actions", legal, own_legal)
    return tested


def worlds(played: PlayedGame, game: Game) -> int:
    """Check that a state drawn by ``determinize`` looks the same to the seat that drew it."""
    check_worlds(played, game, LEAK_PLIES)
    return len(played.seats) if played.rules.info.can_determinize else 0


def check_worlds(played: PlayedGame, game: Game, plies: int) -> int:
    """Do as ``worlds`` at ``plies`` plies for each seat; return how many worlds were others."""
    rules, others = played.rules, 0
    for seat in played.seats if rules.info.can_determinize else ():
        for number in _some(played, f"guess:{seat}", plies):
            state = played.plies[number].after
            view = rules.observe(state, seat)
            guess = rules.determinize(view, _luck("guess", played, number, seat))
            others += guess != state
            _unchanged(number, seat, "observe of a drawn world", rules.observe(guess, seat), view)
            _unchanged(
                number, seat, "to_act of a drawn world", rules.to_act(guess), rules.to_act(state)
            )
            if game.check_state is not None:
                game.check_state(rules, guess)
            if rules.to_act(state) == seat:
                legal = [*rules.legal_actions(guess)]
                own = [*rules.legal_actions(state)]
                _unchanged(number, seat, "legal_actions of a drawn world", legal, own)
    return others


ONCE_IN_A_WHILE: Final[tuple[CheckFunction, ...]] = (determinism, replay, worlds)
"""Checks that cost as much as playing the game again."""
CHECKS: Final[tuple[CheckFunction, ...]] = (
    flow,
    outcome,
    legal_actions,
    action_json,
    determinism,
    replay,
    states_are_values,
    types,
    view_json,
    whole_states,
    public,
    leaks,
    worlds,
    board,
)
_NO_WORLDS: Final = "its rules do not determinize (info.can_determinize)"
NOTHING_TO_TEST: Final = {
    "action_json": "no action was taken",
    "whole_states": "the game brings no check_state",
    "public": "info.public names no field, or there is one seat",
    "leaks": "every world drawn was the true one: nothing seems to be hidden",
    "worlds": _NO_WORLDS,
    "board": "the game brings no board",
}
"""Why a check may have nothing to test, by its name."""


def limit_of(check: str, game: Game) -> str:
    """Return what ``check`` cannot find in a game for want of something, or ""."""
    if check == "leaks" and game.redeal is None:
        return "without redeal: finds no leak by describe, nor by fields that determinize reads"
    return ""


def nothing_to_test(check: str, rules: Rules[Any, Any], game: Game) -> str:
    """Return why ``check`` had nothing to test at these rules."""
    if check == "leaks" and game.redeal is None and not rules.info.can_determinize:
        return f"the game brings no redeal, and {_NO_WORLDS}"
    return NOTHING_TO_TEST.get(check, "there was nothing to compare")


def _rebuilt(rules: Rules[Any, Any], game: Game) -> Rules[Any, Any]:
    """Return rules built from the JSON of the spec of ``rules``."""
    spec = msgspec.json.decode(msgspec.json.encode(rules.spec), type=RulesSpec)
    again = game.rules(spec.seats, spec.options, spec.data)
    return positioned(again, spec.positions, game.book) if spec.positions else again


def _luck(stream: str, played: PlayedGame, number: int, seat: Seat) -> Luck:
    return Luck(derive_key(stream, played.seed, number, seat))


def _some(played: PlayedGame, stream: str, count: int) -> tuple[int, ...]:
    """Return numbers of random plies at which a check looks, different in every game."""
    luck = Luck(derive_key("plies", played.seed))
    return luck.shuffle(stream, 0, range(len(played.plies)))[:count]


def _sample(played: PlayedGame, stream: str) -> Iterator[tuple[int, Transition]]:
    """Yield all plies of a short game, some of a long one, with their numbers."""
    for number in _some(played, stream, SEEN_PLIES):
        yield number, played.plies[number]


def _through_json(value: Any, kind: type[msgspec.Struct]) -> msgspec.Struct:
    return msgspec.json.decode(msgspec.json.encode(value), type=kind)


def _same(number: int, what: str, found: object, expected: object) -> None:
    if found != expected:
        raise ContractError(
            f"ply {number}: {what}: found {_short(found)}, expected {_short(expected)}"
        )


def _unchanged(number: int, seat: Seat, what: str, found: object, expected: object) -> None:
    if found != expected:
        raise ContractError(
            f"ply {number}, seat {seat}: {what} depends on what the seat cannot know: "
            f"found {_short(found)} and {_short(expected)}"
        )


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:199]}…"
