"""How the bot plays Dragonkrak. `arena rules dragonkrak` explains the game."""

from kit.dragonkrak import Action, End, Fly, Observation, Place, Remove
from kit.loop import Game, best

# What the first card of a pile follows. To the watchtower any will do; the number is a guess.
BOTTOM = {"I": 0, "II": 13, "III": 0, "IV": 13, "tower": 13}


def choose(observation: Observation, legal: list[Action], game: Game) -> int:
    """Return the index of a card that skips few values, else of the end of the turn."""
    # 1. A card that leads on to others of the hand is worth more than it skips; a hero is rare.
    # 2. Tokens are worth nothing here: say in worth() when one helps you or stops the others.
    # 3. Alone (game.start.seats is 1) nobody hurries you: do not skip many values.
    return best(legal, lambda action: worth(observation, action))


def worth(observation: Observation, action: Action) -> float:
    """Return the value of an action; only comparisons of values mean something."""
    match action:
        case Place():
            value = action.value or action.card.value  # a hero takes one
            return 100 - abs(value - top(observation, action.space))
        case Fly():  # to where the others have most room to place cards
            return abs(13 - BOTTOM[action.army] - top(observation, action.army))
        case End():
            return 96
        case Remove():
            return -1
    return 0


def top(observation: Observation, space: str) -> int:
    """Return the value that the next card has to follow."""
    pile = observation.board.at(space)
    if not pile.cards:
        return BOTTOM[space]
    return pile.cards[-1].value or pile.hero  # a hero on top has no value but this
