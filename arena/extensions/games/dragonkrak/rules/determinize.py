"""Random full states that agree with an observation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from arena.extensions.games.dragonkrak.rules.cards import (
    DECK,
    HERO,
    HEROES,
    INDEX,
    TOKENS,
    Cards,
    Token,
)
from arena.extensions.games.dragonkrak.rules.setup import camp_size, heroes_of_each
from arena.extensions.games.dragonkrak.rules.state import Phase, Side, State, TurnProgress
from arena.extensions.games.dragonkrak.rules.view import Observation
from arena.games.luck import Luck
from arena.values.results import Seat


def determinize(view: Observation, luck: Luck) -> State:
    """Return a random state whose observation by ``view.seat`` is ``view``.

    Everything hidden from the seat is dealt uniformly among all that agrees with the deal of the
    heroes and of the tokens. Earlier positions are left empty, because no observation holds them
    (DK-55). Uses the streams "hidden:stray", "hidden:troops", "hidden:SEAT" and "hidden:tokens" of
    ``luck`` at counter 0, so each sample needs a luck of its own.
    """
    board = view.board
    shown = (board.first, board.second, board.third, board.fourth, board.tower)
    return State(
        phase=view.phase,
        seat=_seat_in_state(view),
        turn=view.turn,
        sides=_sides(view, luck),
        piles=shown,
        red=INDEX[view.red],
        undead=None if view.undead is None else INDEX[view.undead],
        undead_by=view.undead_by,
        imprisoned_by=view.imprisoned_by,
        gone=view.gone,
        deserters=view.deserters,
        progress=TurnProgress(
            space=None if view.space is None else INDEX[view.space],
            placed=view.placed,
            overflight=view.overflight,
            inserting=None if view.inserting is None else INDEX[view.inserting],
        ),
        flying=view.flying,
        repeated=view.repeated,
    )


def _seat_in_state(view: Observation) -> Seat:
    """Return the seat whose turn it is; before the first turn, the seat to be dealt something."""
    if view.player is not None:
        return view.player
    if view.phase is Phase.DEAL:
        return view.camp_sizes.index(0)
    return view.token_counts.index(0) if view.phase is Phase.TOKENS else 0


def _sides(view: Observation, luck: Luck) -> tuple[Side, ...]:
    hidden = _hidden_cards(view, luck)
    tokens = _tokens(view, luck)
    sides = []
    for seat, cards in enumerate(hidden):
        order = luck.shuffle(f"hidden:{seat}", 0, cards)
        own = seat == view.seat
        in_hand = 0 if own else view.hand_sizes[seat] - len(view.shown[seat])
        hand = view.hand if own else tuple(sorted(view.shown[seat] + order[:in_hand]))
        side = Side(
            hand=hand,
            camp=order[in_hand:] + view.bottoms[seat],
            known=len(view.bottoms[seat]),
            shown=view.shown[seat],
            heroes_shown=view.heroes_shown[seat],
            tokens=tokens[seat],
            used=view.used[seat],
        )
        sides.append(side)
    return tuple(sides)


def _hidden_cards(view: Observation, luck: Luck) -> list[Cards]:
    """Return, by seat, those of its cards that the observer cannot locate."""
    seats, me = len(view.hand_sizes), view.seat
    slots = [_hidden_count(view, seat) for seat in range(seats)]
    unseen = _unseen(view)
    hidden: list[Cards] = [()] * seats
    if view.camp is not None:
        own = Counter(view.camp) - Counter(view.bottoms[me])
        unseen -= own
        hidden[me] = tuple(sorted(own.elements()))
    heroes = _hidden_heroes(view, luck, slots)
    del unseen[HERO]
    troops = luck.shuffle("hidden:troops", 0, sorted(unseen.elements()))
    for seat in range(seats):
        if seat == me and view.camp is not None:
            continue
        count = slots[seat] - heroes[seat]
        hidden[seat] = (HERO,) * heroes[seat] + troops[:count]
        troops = troops[count:]
    return hidden


def _unseen(view: Observation) -> Counter[str]:
    """Return all cards whose location the observer does not know."""
    board = view.board
    piles = (board.first, board.second, board.third, board.fourth, board.tower)
    seen = Counter(view.gone + view.deserters + view.hand)
    for pile in piles:
        seen.update(pile.cards)
    for bottom in view.bottoms:
        seen.update(bottom)
    for seat, cards in enumerate(view.shown):
        if seat != view.seat:
            seen.update(cards)
    return Counter(DECK) - seen


def _hidden_count(view: Observation, seat: Seat) -> int:
    in_camp = view.camp_sizes[seat] - len(view.bottoms[seat])
    in_hand = view.hand_sizes[seat] - len(view.shown[seat])
    return in_camp if seat == view.seat else in_camp + in_hand


def _hidden_heroes(view: Observation, luck: Luck, slots: Sequence[int]) -> list[int]:
    """Return, by seat, the number of heroes among its hidden cards.

    Each seat was dealt the same number. With three seats there was one more in the deck; the chance
    that a seat has it follows from the number of deals that agree with the heroes seen so far.
    """
    seats, me = len(slots), view.seat
    each = heroes_of_each(seats)
    seen = list(view.heroes_shown)
    seen[me] += view.hand.count(HERO) - view.shown[me].count(HERO)
    is_dealing = view.phase in (Phase.MUSTER, Phase.DEAL)
    dealt = [bool(size) or not is_dealing for size in view.camp_sizes]
    hidden = [each - seen[seat] if dealt[seat] else 0 for seat in range(seats)]
    if HEROES % seats == 0:
        return hidden
    if -1 in hidden:  # the extra hero has been seen
        return [max(0, count) for count in hidden]
    weights = [
        (2 * slots[seat] if seen[seat] else slots[seat] - 1) if dealt[seat] else 0
        for seat in range(seats)
    ]
    if view.camp is not None:  # the own camp is known: it surely holds the extra hero or not
        own = view.camp.count(HERO) - view.bottoms[me].count(HERO)
        if own > hidden[me]:
            weights = [int(seat == me) for seat in range(seats)]
        else:
            weights[me] = 0
    undealt = dealt.count(False) * (camp_size(seats) - each)
    pick = luck.below("hidden:stray", 0, sum(weights) + undealt)
    for seat, weight in enumerate(weights):
        if pick < weight:
            hidden[seat] += 1
            break
        pick -= weight
    return hidden


def _tokens(view: Observation, luck: Luck) -> list[tuple[Token, ...]]:
    """Return the tokens by seat; tokens that nobody holds are out of the game."""
    seats, me = len(view.token_counts), view.seat
    if seats == 1:
        return [view.tokens]
    unseen = Counter(TOKENS) - Counter(view.tokens)
    for used in view.used:
        unseen -= Counter(used)
    fixed: list[tuple[Token, ...]] = [()] * seats
    if seats == 2:  # the other seat has an undead dragon unless it has played it
        other = 1 - me
        if view.token_counts[other] and "undead_dragon" not in view.used[other]:
            fixed[other] = ("undead_dragon",)
        del unseen["undead_dragon"]
    left = luck.shuffle("hidden:tokens", 0, sorted(unseen.elements()))
    held: list[tuple[Token, ...]] = []
    for seat in range(seats):
        if seat == me:
            held.append(view.tokens)
            continue
        count = view.token_counts[seat] - len(fixed[seat])
        held.append(tuple(sorted(fixed[seat] + left[:count])))
        left = left[count:]
    return held
