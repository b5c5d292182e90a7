"""The rules of Dragonheart for two seats, and random states that agree with an observation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec.structs import replace

from arena.extensions.games.dragonheart.rules import actions, view
from arena.extensions.games.dragonheart.rules.actions import (
    NO_CARDS,
    TAKES,
    AnyAction,
    Play,
    Shuffle,
    Starter,
    Steal,
    Take,
)
from arena.extensions.games.dragonheart.rules.cards import (
    CHOICES,
    EDITIONS,
    FIGURE_POINTS,
    HAND_LIMIT,
    KINDS,
    ROW_SIZE,
    VALUE_OF,
    Cards,
    read_deck,
)
from arena.extensions.games.dragonheart.rules.state import INITIAL, Phase, Side, State
from arena.extensions.games.dragonheart.rules.turn import apply_play, apply_steal, apply_take
from arena.extensions.games.dragonheart.rules.view import Observation
from arena.games.base import CHANCE, NOBODY, Json, Option, RulesInfo
from arena.games.luck import Luck
from arena.values.results import Outcome, RulesSpec, Seat

OPTIONS: Final = (
    Option(
        name="edition",
        choices=("kosmos", "ffg"),
        default="kosmos",
        help="whose rulebook: title, and how an empty draw pile ends the game",
    ),
    Option(
        name="starter",
        choices=("random", "seat_0"),
        default="random",
        help="who has the first turn",
    ),
)
SEATS: Final = (2,)

_PLAY, _TAKE, _OVER = Phase.PLAY, Phase.TAKE, Phase.OVER


class DragonheartRules:
    """Rules engine of Dragonheart, immutable.

    Takes complete, valid options and the data that ``read_deck`` accepts.
    """

    def __init__(
        self, seats: int, options: Mapping[str, object], data: Mapping[str, object]
    ) -> None:
        name = str(options["edition"])
        self.deck = read_deck(data)
        self.edition = EDITIONS[name]
        self.info = RulesInfo(
            name="dragonheart",
            title=self.edition.title,
            seats=seats,
            max_plies=_max_plies(self.deck.cards),
            score="points",
            worst_score=0,
            public=view.PUBLIC,
            unused=("starter",) if options["starter"] == "seat_0" else (),
        )
        self.spec = RulesSpec("dragonheart", seats, dict(options), msgspec.to_builtins(self.deck))
        self._cards = self.deck.cards
        self._random_starter = options["starter"] == "random"
        self._ends_on_failed_draw = self.edition.ends_on_failed_draw

    def initial_state(self) -> State:
        """Return the state in which nothing is dealt yet."""
        return INITIAL

    def to_act(self, state: State) -> Seat:
        """Return the seat that decides, CHANCE or NOBODY."""
        phase = state.phase
        if phase is _PLAY or phase is _TAKE:
            return state.seat
        return NOBODY if phase is _OVER else CHANCE

    def legal_actions(self, state: State) -> tuple[Play, ...] | tuple[Take, ...]:
        """Return the legal actions by kind in alphabetical order, small plays first (DH-01, DH-02).

        The sequence is never empty.
        """
        if state.choice is not None:
            return TAKES[state.choice]
        group, groups = NO_CARDS, {}
        for card in state.sides[state.seat].hand:
            group = group.following.get(card) or group.follow(card)
            groups[group.kind] = group.plays
        board = state.board
        legal: tuple[Play, ...] = ()
        for kind, plays in groups.items():
            size = ROW_SIZE[kind]
            legal += plays[size - len(board[kind])] if size else plays[-1]
        return legal

    def action_space(self) -> tuple[Play | Take, ...]:
        """Return all plays by kind, small ones first, then all takes."""
        return actions.action_space(self.deck)

    def chance(self, state: State, luck: Luck) -> AnyAction:
        """Draw the chance action that is due.

        Streams: "deck:SEAT", "starter", and "steal:SEAT", counted by the thefts from that seat.
        """
        seat = state.seat
        if state.phase is Phase.DEAL:
            return Shuffle(seat, luck.shuffle(f"deck:{seat}", 0, self._cards))
        if state.phase is Phase.STARTER:
            return Starter(luck.below("starter", 0, self.info.seats))
        loser = 1 - seat
        hand, thefts = state.sides[loser].hand, state.sides[loser].thefts
        return Steal(hand[luck.below(f"steal:{loser}", thefts, len(hand))])

    def apply(self, state: State, action: AnyAction) -> State:
        """Return the next state; defined for every legal action and chance action."""
        failed_draw = self._ends_on_failed_draw
        if isinstance(action, Play):
            return apply_play(state, action, ends_on_failed_draw=failed_draw)
        if isinstance(action, Take):
            return apply_take(state, action, ends_on_failed_draw=failed_draw)
        if isinstance(action, Steal):
            return apply_steal(state, action, ends_on_failed_draw=failed_draw)
        if isinstance(action, Starter):
            return replace(state, phase=_PLAY, seat=action.seat, turn=1)
        return self._deal(state, action)

    def outcome(self, state: State) -> Outcome | None:
        """Return the collected points, plus three for the figure, whose owner also wins a tie.

        Returns None before the end.
        """
        if state.phase is not _OVER:
            return None
        points = [sum(map(VALUE_OF.__getitem__, side.collected)) for side in state.sides]
        if state.figure is not None:
            points[state.figure] += FIGURE_POINTS
        ranks = [(points[seat], state.figure == seat) for seat in (0, 1)]
        if ranks[0] == ranks[1]:
            return Outcome((points[0], points[1]), (1, 1))  # DH-17
        return Outcome((points[0], points[1]), (1, 2) if ranks[0] > ranks[1] else (2, 1))

    observe = staticmethod(view.observe)
    describe = staticmethod(view.describe)

    def decode_action(self, data: Json) -> AnyAction:
        """Return the action that parsed JSON stands for; raise InvalidActionError if none."""
        return actions.decode(data)

    def determinize(self, observation: view.Observation, luck: Luck) -> State:
        """Return a random full state that agrees with everything in ``observation``."""
        return determinize(self._cards, observation, luck)

    def is_chance_possible(self, state: State, action: AnyAction) -> bool:
        """Return whether ``action`` is an outcome of the chance event that is due in ``state``."""
        match action:
            case Shuffle(seat, cards):
                is_due = state.phase is Phase.DEAL and seat == state.seat
                return is_due and sorted(cards) == sorted(self._cards)
            case Starter(seat):
                return state.phase is Phase.STARTER and seat in range(self.info.seats)
            case Steal(card):
                return state.phase is Phase.STEAL and card in state.sides[1 - state.seat].hand
            case _:
                return False

    def _deal(self, state: State, action: Shuffle) -> State:
        """Split a shuffled deck into hand and pile.

        After the second deck the first turn begins, or the choice of the starter is due.
        """
        side = replace(
            state.sides[action.seat],
            hand=tuple(sorted(action.cards[:HAND_LIMIT])),
            pile=action.cards[HAND_LIMIT:],
        )
        if action.seat == 0:
            return replace(state, seat=1, sides=(side, state.sides[1]))
        dealt = replace(state, seat=0, sides=(state.sides[0], side))
        if self._random_starter:
            return replace(dealt, phase=Phase.STARTER)
        return replace(dealt, phase=_PLAY, turn=1)


def _max_plies(deck: Cards) -> int:
    """Return a proven bound on the plies of a game.

    Each turn plays at least one card and no card is played twice, so two decks last for at most 100
    turns of one play each; a seat with a turn always has a card (DH-01) and a legal play (DH-02). A
    choice needs a sorceress or two knights played in its turn's row, a theft needs a sorceress, and
    the game begins with at most three chance events.
    """
    sorceresses = 2 * sum(card.startswith("sorceress:") for card in deck)
    knights = 2 * sum(card.startswith("knight:") for card in deck)
    return 3 + 2 * len(deck) + sorceresses + knights // 2 + sorceresses


_CHOICE: Final = {KINDS[kind]: kind for kind in CHOICES}


def determinize(deck: Cards, view: Observation, luck: Luck) -> State:
    """Return a random state whose observation by ``view.seat`` is ``view``.

    Everything hidden from the seat is dealt uniformly: the order of its own draw pile below a known
    top card, and the other seat's hand and pile. Uses the streams "hidden:0" and "hidden:1" of
    ``luck`` at counter 0, so each sample needs a luck of its own.
    """
    return State(
        phase=view.phase,
        seat=_seat_in_state(view),
        turn=view.turn,
        sides=(_side(deck, view, luck, 0), _side(deck, view, luck, 1)),
        board=msgspec.structs.astuple(view.board),
        ship_sets=view.ship_sets,
        figure=view.figure,
        final_turn=view.final_turn,
        choice=None if view.choice is None else _CHOICE[view.choice],
    )


def _seat_in_state(view: Observation) -> Seat:
    """Return the seat whose turn it is; before the first turn, the seat whose deck is due."""
    if view.player is not None:
        return view.player
    return 1 if view.pile_sizes[0] and not view.pile_sizes[1] else 0


def _side(deck: Cards, view: Observation, luck: Luck, seat: Seat) -> Side:
    own = seat == view.seat
    known_top = () if view.top_card is None or not own else (view.top_card,)
    shown = view.played[seat] + known_top + (view.hand if own else ())
    hidden = tuple((Counter(deck) - Counter(shown)).elements())
    order = luck.shuffle(f"hidden:{seat}", 0, hidden)
    in_hand = 0 if own else view.hand_sizes[seat]
    pile = (known_top + order[in_hand:])[: view.pile_sizes[seat]]
    return Side(
        hand=view.hand if own else tuple(sorted(order[:in_hand])),
        pile=pile,
        collected=view.collected[seat],
        played=view.played[seat],
        returned=pile[0] if seat in view.top_known else None,
        emptied=seat in view.emptied,
        thefts=view.thefts[seat],
    )
