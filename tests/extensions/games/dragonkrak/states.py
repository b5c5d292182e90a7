"""Dragonkrak for the tests: positions by hand, conservation, and dealing hidden cards anew.

In positions a card is written ``d7`` for ``druids:07`` and ``h`` for a hero, on an army ``h5`` for
a hero that took the value 5.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import Any

from msgspec.structs import replace

from arena.extensions.games.dragonkrak.rules import actions, piles
from arena.extensions.games.dragonkrak.rules.cards import (
    BELOW,
    COLOUR_OF,
    COLOURED,
    COLOURS,
    DECK,
    FULL,
    HERO,
    INDEX,
    SOLO_TOKENS,
    SPACES,
    STEP,
    TOKENS,
    TOWER,
    TROOPS,
    Card,
    Cards,
    Dragon,
    Token,
)
from arena.extensions.games.dragonkrak.rules.rules import DragonkrakRules
from arena.extensions.games.dragonkrak.rules.setup import heroes_of_each
from arena.extensions.games.dragonkrak.rules.state import (
    EMPTY_PILE,
    Phase,
    Pile,
    Side,
    State,
    TurnProgress,
    grade_of,
)
from arena.games.base import Rules, Transition
from arena.games.luck import Luck
from arena.games.registry import make_rules, resolve
from arena.values.results import Seat
from tests.games.games import PlayedGame

_MAKE: dict[str, Any] = {kind.__struct_config__.tag: kind for kind in actions.ACTION_TYPES}
_COLOUR = {colour[0]: colour for colour in COLOURS}
SETUP = (Phase.MUSTER, Phase.DEAL, Phase.TOKENS, Phase.STARTER)


def dragonkrak(seats: int = 2, **options: str | bool) -> DragonkrakRules:
    rules = make_rules(resolve("dragonkrak", seats, options, {}))
    assert isinstance(rules, DragonkrakRules)
    return rules


NEAREST = dragonkrak()
DECLARED = dragonkrak(hero_value="declared")
FREE_VOLUNTEERS = dragonkrak(volunteers_counts=False)
SOLO = dragonkrak(1)
TWO_DRAGONS = dragonkrak(1, variant="two_dragons")


def card(text: str) -> Card:
    """``d7`` is ``druids:07``; ``h`` and ``h5`` are heroes."""
    return HERO if text[0] == "h" else f"{_COLOUR[text[0]]}:{int(text[1:]):02}"


def cards(text: str) -> Cards:
    """The cards named in a text, as it orders them."""
    return tuple(map(card, text.split()))


def pile(space: str, text: str, colour: str | None = None) -> Pile:
    """The cards from the bottom up; their colour, unless a counter-order has given another."""
    on = cards(text)
    if not on:
        return EMPTY_PILE
    is_ordered = colour is not None
    troops = [name for name in on if name != HERO]
    if COLOURED[INDEX[space]] and colour is None and troops:
        colour = COLOUR_OF[troops[0]]
    hero = [int(name[1:]) for name in text.split() if name[0] == "h"]
    assert colour is None or colour in COLOURS
    known = next((c for c in COLOURS if c == colour), None)
    return Pile(on, known, hero[0] if hero else None, is_ordered)


def state(
    hand: str = "a1 a5 a9",
    *,
    camp: str = "d1 d2 d3 d4",
    tokens: str = "",
    known: int = 0,
    shown: str = "",
    others: tuple[str, ...] = ("p1 p5 p9",),
    phase: Phase = Phase.TACTICS,
    seat: Seat = 0,
    turn: int = 10,
    red: str = "IV",
    undead: str | None = None,
    undead_by: Seat | None = None,
    imprisoned_by: Seat | None = None,
    space: str | None = None,
    placed: int = 0,
    overflight: Dragon | None = None,
    inserting: str | None = None,
    colours: dict[str, str] | None = None,
    deserters: str = "",
    **board: str,
) -> State:
    """A position by hand in which ``seat`` acts; it need not be reachable.

    Piles by space as keywords, ``colours`` by counter-order; ``others`` are the hands of the
    following seats, whose camps hold three tribes. The last keywords are the progress of the turn.
    """
    assert set(board) <= set(SPACES)
    held: list[Token] = [token for token in sorted(TOKENS) if token in tokens.split()]
    own = Side(
        hand=tuple(sorted(cards(hand))),
        camp=cards(camp),
        known=known,
        shown=tuple(sorted(cards(shown))),
        heroes_shown=0,
        tokens=tuple(dict.fromkeys(held)),
        used=(),
    )
    rest = [Side(cards(text), cards("t1 t2 t3"), 0, (), 0, (), ()) for text in others]
    sides = [own, *rest]
    sides = sides[len(sides) - seat :] + sides[: len(sides) - seat]
    return State(
        phase=phase,
        seat=seat,
        turn=turn,
        sides=tuple(sides),
        piles=tuple(pile(s, board.get(s, ""), (colours or {}).get(s)) for s in SPACES),
        red=INDEX[red],
        undead=None if undead is None else INDEX[undead],
        undead_by=undead_by,
        imprisoned_by=imprisoned_by,
        gone=(),
        deserters=cards(deserters),
        progress=TurnProgress(
            None if space is None else INDEX[space],
            placed,
            overflight,
            None if inserting is None else INDEX[inserting],
        ),
        flying=False,
    )


def solo(hand: str = "a1 a5 a9", **keywords: Any) -> State:
    """A position of one seat."""
    return state(hand, others=(), **keywords)


def short(card: Card) -> str:
    """``druids:07`` as ``d7``."""
    return "h" if card == HERO else f"{card[0]}{int(card.split(':')[1])}"


def shorts(on: Cards) -> str:
    return " ".join(map(short, on))


def move(text: str) -> Any:
    """``place d7 I``, ``place h I 5``, ``epidemic II 2`` and so on: the action in few words."""
    kind, *words = text.split()
    values = [int(word) if word.isdigit() else word for word in words]
    return _MAKE[kind](*(card(v) if re.fullmatch(r"h|[adpt]\d+", str(v)) else v for v in values))


def words(action: Any) -> str:
    """The action as ``move`` takes it."""
    kind = action.__struct_config__.tag
    values = [getattr(action, name) for name in action.__struct_fields__]
    return " ".join([kind, *(short(v) if v in DECK else str(v) for v in values if v is not None)])


def play(rules: DragonkrakRules, position: State, moves: str) -> State:
    """The position after these legal actions."""
    for text in moves.split("; "):
        action = move(text)
        assert action in rules.legal_actions(position), text
        position = rules.apply(position, action)
    return position


def dealt(rules: DragonkrakRules, *openings: str) -> State:
    """Every seat with this opening hand; the last of three has the fourth hero if it can."""
    position: State = rules.apply(rules.initial_state(), actions.Muster(cards("t12 t1 t2 t3")))
    left = [name for name in TROOPS if name not in cards("t12 t1 t2 t3 " + " ".join(openings))]
    shown = [cards(opening).count(HERO) for opening in openings]
    owed = [max(0, 4 // len(openings) - count) for count in shown]
    owed[-1] += 4 - sum(shown) - sum(owed)
    for seat, opening in enumerate(openings):
        size = 48 // len(openings) - 3 - owed[seat]
        own, left = left[:size], left[size:]
        deal = actions.Deal(seat, (*cards(opening), *own, *[HERO] * owed[seat]))
        assert rules.is_chance_possible(position, deal)
        position = rules.apply(position, deal)
    return position


def facts(position: State) -> dict[str, object]:
    """The position in the words that ``state`` takes, its acting seat's cards first."""
    side = position.sides[position.seat]
    board: dict[str, object] = {}
    for space, on in zip(SPACES, position.piles, strict=True):
        board[space] = " ".join(f"h{on.hero}" if name == HERO else short(name) for name in on.cards)
        board[f"{space}_colour"] = on.colour
    by_seat = {
        f"{name}{seat}": shorts(getattr(side, name))
        for seat, side in enumerate(position.sides)
        for name in ("hand", "camp", "shown")
    }
    return (
        board
        | by_seat
        | {
            "hand": shorts(side.hand),
            "camp": shorts(side.camp),
            "known": side.known,
            "tokens": " ".join(side.tokens),
            "phase": position.phase,
            "seat": position.seat,
            "turn": position.turn,
            "red": SPACES[position.red],
            "undead": None if position.undead is None else SPACES[position.undead],
            "undead_by": position.undead_by,
            "imprisoned_by": position.imprisoned_by,
            "gone": shorts(position.gone),
            "deserters": shorts(position.deserters),
            "space": None if position.progress.space is None else SPACES[position.progress.space],
            "placed": position.progress.placed,
            "overflight": position.progress.overflight,
        }
    )


def check_state(rules: Rules[Any, Any], position: State) -> None:
    """Every card and token is somewhere, each pile is in order, and knowledge is of what is so."""
    _check_cards(position)
    _check_tokens(position)
    _check_piles(position)
    assert position.red != position.undead
    for side in position.sides:
        assert list(side.hand) == sorted(side.hand)
        assert not Counter(side.shown) - Counter(side.hand)
        assert 0 <= side.known <= len(side.camp)
        assert len(side.hand) <= 4
    if position.phase is Phase.TACTICS:
        assert position.sides[position.seat].hand or position.progress.placed
        assert rules.legal_actions(position)


def _check_cards(position: State) -> None:
    held = [name for side in position.sides for name in side.hand + side.camp]
    on_table = [name for on in position.piles for name in on.cards]
    everything = Counter([*held, *on_table, *position.gone, *position.deserters])
    assert not everything - Counter(DECK)
    if position.phase not in SETUP[:2]:
        assert everything == Counter(DECK)
    for side in position.sides:
        if len(position.sides) != 3 and side.camp:
            hidden = Counter(side.hand) - Counter(side.shown)
            hidden += Counter(side.camp[: len(side.camp) - side.known])
            assert hidden[HERO] + side.heroes_shown == heroes_of_each(len(position.sides))


def _check_tokens(position: State) -> None:
    seats = len(position.sides)
    tokens = Counter(token for side in position.sides for token in side.tokens + side.used)
    assert tokens <= Counter(SOLO_TOKENS if seats == 1 else TOKENS)
    if position.phase not in SETUP[:3]:
        sizes = {len(side.tokens + side.used) for side in position.sides}
        assert sizes == {{1: 5, 2: 3, 3: 2, 4: 2}[seats]}
    if seats == 2 and position.turn:
        assert all("undead_dragon" in side.tokens + side.used for side in position.sides)


def _check_piles(position: State) -> None:
    for space, on in enumerate(position.piles):
        assert len(on.cards) < FULL
        assert on.cards.count(HERO) == (on.hero is not None)
        assert on.cards or on == EMPTY_PILE
        troops = [name for name in on.cards if name != HERO]
        own = COLOUR_OF[troops[0]] if COLOURED[space] and troops else None
        assert on.colour == own or on.ordered
        if space == TOWER:
            assert not on.hero
            continue
        steps = [BELOW[space], *piles.values(on)]
        assert all((after - before) * STEP[space] > 0 for before, after in pairwise(steps))
        assert (on.hero or 0) <= 12


def redeal(rules: Rules[Any, Any], ply: Transition, seat: Seat, luck: Luck) -> Transition:
    """The same ply with the cards and tokens that ``seat`` has not seen by its end dealt anew.

    Troops move between all hidden places; heroes only between the hand and the camp of a seat.
    """
    before: State = ply.before
    sides = list(before.sides)
    fixed = [_fixed(ply, other, seat) for other in range(len(sides))]
    zones = [_hidden(side, other == seat, fixed[other]) for other, side in enumerate(sides)]
    if isinstance(ply.action, actions.Deal):
        zones.append(list(ply.action.cards[3:]))
    seen = ply.after.sides[seat]
    movable = [
        zone for n, zone in enumerate(zones) if n != seat or "reinforcements" not in seen.used
    ]
    _swap_troops(movable, _undealt(before, ply.action), luck)
    for number, zone in enumerate(zones):
        if not _takes_known_card(ply, number, seat):
            zone[:] = luck.shuffle(f"zone:{number}", 0, zone)
    tokens = _tokens(ply, seat, luck)
    for other, side in enumerate(sides):
        sides[other] = replace(
            _with_hidden(side, other == seat, fixed[other], zones[other]), tokens=tokens[other]
        )
    changed = replace(before, sides=tuple(sides))
    action = _same_action(ply, changed, zones[-1], tokens, seat, luck)
    return Transition(ply.actor, changed, action, rules.apply(changed, action))


def _fixed(ply: Transition, other: Seat, seat: Seat) -> Cards:
    """Of the other's hidden cards those that the seat gets to know."""
    side: Side = ply.before.sides[other]
    if other == seat:
        drawn = len(side.camp) - len(ply.after.sides[seat].camp)
        return (
            side.camp[: max(0, drawn)] if isinstance(ply.action, actions.End | actions.Fly) else ()
        )
    if ply.actor == other and isinstance(
        ply.action, actions.Place | actions.Remove | actions.Exchange | actions.Volunteers
    ):
        return () if ply.action.card in side.shown else (ply.action.card,)
    return ()


def _hidden(side: Side, is_own: bool, fixed: Cards) -> list[Card]:
    """What the seat cannot place, hand first."""
    camp = list(side.camp[: len(side.camp) - side.known])
    if is_own:
        return camp[len(fixed) :]
    return sorted((Counter(side.hand) - Counter(side.shown) - Counter(fixed)).elements()) + camp


def _with_hidden(side: Side, is_own: bool, fixed: Cards, zone: list[Card]) -> Side:
    bottom = side.camp[len(side.camp) - side.known :]
    if is_own:
        known = fixed[: len(side.camp) - side.known]
        return replace(side, camp=(*known, *zone, *bottom))
    in_hand = len(side.hand) - len(side.shown) - len(fixed)
    hand = tuple(sorted((*side.shown, *fixed, *zone[:in_hand])))
    return replace(side, hand=hand, camp=(*zone[in_hand:], *bottom))


def _undealt(before: State, action: Any) -> list[Card]:
    """Troops that are still in the deck after the ply."""
    if before.phase is not Phase.DEAL:
        return []
    dealt = {name for on in before.piles for name in on.cards}
    dealt |= {name for side in before.sides for name in side.hand + side.camp}
    return [name for name in TROOPS if name not in dealt | set(action.cards)]


def _swap_troops(zones: list[list[Card]], undealt: list[Card], luck: Luck) -> None:
    """Every troop in the zones becomes another one of them or of the deck."""
    pool = [name for zone in zones for name in zone if name != HERO] + undealt
    order = iter(luck.shuffle("troops", 0, pool))
    for zone in zones:
        zone[:] = [name if name == HERO else next(order) for name in zone]


def _takes_known_card(ply: Transition, other: Seat, seat: Seat) -> bool:
    """Then no hero may lie above: of equal cards the uppermost is taken (DK-51)."""
    if not isinstance(ply.action, actions.Recruit) or ply.actor != other or other == seat:
        return False
    return bool(ply.after.sides[other].known < ply.before.sides[other].known)


def _tokens(ply: Transition, seat: Seat, luck: Luck) -> list[tuple[Token, ...]]:
    """Other hands of tokens by seat; what is played in this ply stays."""
    sides = ply.before.sides
    if len(sides) == 1:
        return [side.tokens for side in sides]
    pool = Counter(TOKENS) - Counter(ply.after.sides[seat].tokens)
    for side in ply.after.sides:
        pool -= Counter(side.used)
    if len(sides) == 2:
        del pool["undead_dragon"]
    order = list(luck.shuffle("tokens", 0, sorted(pool.elements())))
    dealt: list[tuple[Token, ...]] = []
    for other, side in enumerate(sides):
        if other == seat or not side.tokens:
            dealt.append(side.tokens)
            continue
        stays = Counter(ply.after.sides[other].used) - Counter(side.used)
        if len(sides) == 2 and "undead_dragon" in side.tokens:
            stays["undead_dragon"] = 1
        free = len(side.tokens) - stays.total()
        dealt.append(tuple(sorted([*stays.elements(), *order[:free]])))
        order = order[free:]
    return [*dealt, tuple(order)]


def _same_action(
    ply: Transition,
    changed: State,
    zone: list[Card],
    tokens: list[tuple[Token, ...]],
    seat: Seat,
    luck: Luck,
) -> Any:
    """The action, but for what the seat cannot see of it."""
    action = ply.action
    if isinstance(action, actions.Deal):
        return actions.Deal(action.seat, (*action.cards[:3], *zone))
    if isinstance(action, actions.Tokens) and action.seat != seat:
        own: tuple[Token, ...] = ("undead_dragon",) if len(changed.sides) == 2 else ()
        return actions.Tokens(action.seat, tuple(sorted(own + tokens[-1][:2])))
    if isinstance(action, actions.Recruit) and ply.actor != seat:
        if _takes_known_card(ply, ply.actor, seat):
            return action
        side = changed.sides[ply.actor]
        hidden = side.camp[: len(side.camp) - side.known]
        return actions.Recruit(hidden[luck.below("recruit", 0, len(hidden))])
    return action


def ending(game: PlayedGame) -> str:
    """With one seat the grade; with several whether somebody won."""
    last: State = game.plies[-1].after
    if len(last.sides) == 1:
        return f"grade {grade_of(len(last.deserters)).number}"
    return "no cards left" if any(not s.hand + s.camp for s in last.sides) else "turn limit"


def starter(game: PlayedGame) -> Seat:
    """The seat that had turn 1."""
    first: State = next(position for position in game.states if position.turn == 1)
    return first.seat
