"""How the bot plays Dragonkrak. `arena rules dragonkrak` explains the game."""

from kit.dragonkrak import Action, Fly, Observation, Pile, Place
from kit.loop import Game, best

RISING = ("I", "III")  # the values of the other armies fall


def choose(observation: Observation, legal: list[Action], game: Game) -> int:
    """The index of the action to play: a card that skips few values, else the end of the turn."""
    # 1. A card that leads on to others of the hand is worth more than it skips.
    # 2. Tokens are worth nothing here: say in worth() when one helps you or stops the others.
    # 3. Alone (game.start.seats is 1) nobody hurries you: do not skip many values.
    return best(legal, lambda action: worth(observation, action))


def worth(observation: Observation, action: Action) -> float:
    """How good an action is; only comparisons mean something."""
    board = observation.board
    if isinstance(action, Place):
        is_hero = action.card.colour == "hero"
        if action.space == "tower":
            return 90
        value = action.value if is_hero else action.card.value
        return 100 - abs(value - top(action.space, board.at(action.space))) - 3 * is_hero
    if isinstance(action, Fly):  # where the others have most room to place cards
        return abs(top(action.army, board.at(action.army)) - (13 if action.army in RISING else 0))
    return {"end": 96, "remove": -1}.get(action.type, 0)


def top(army: str, pile: Pile) -> int:
    """The value that the next card has to follow."""
    if not pile.cards:
        return 0 if army in RISING else 13
    return pile.hero if pile.cards[-1].colour == "hero" else pile.cards[-1].value
