"""How the bot plays Dragonrealm. `arena rules dragonrealm` explains the game."""

from kit.dragonrealm import Academy, Action, Explore, Observation, Place, Play, Reroll
from kit.loop import Game, best


def choose(observation: Observation, legal: list[Action], game: Game) -> int:
    """The index of the action to play: explores where the dice should do, else rests."""
    # 1. Dice show 1 to 4: how likely is it that they reach what is needed?
    # 2. A location pays when it is full: see its adventurers, spaces and reward.
    # 3. Enhancements are worth nothing here: say in worth() which to keep and when to use them.
    return best(legal, lambda action: worth(observation, action))


def worth(observation: Observation, action: Action) -> float:
    """How good an action is; only comparisons mean something. To rest is worth 0."""
    match action:
        case Explore():
            place = next(each for each in observation.row if each.id == action.location)
            needed = {"sneak": place.sneak, "search": place.search, "storm": place.storm}
            return 5 * longest(observation, action.way) - 2 * needed[action.way] - 2
        case Play():
            return len(action.cards)
        case Place():
            return action.adventurers
        case Reroll():  # the dice that show less than is to be expected
            return sum(5 - 2 * face for face in action.dice)
        case Academy():
            return -action.adventurers
    return 0


def longest(observation: Observation, way: str) -> int:
    """How many cards of the hand can be played together in this way, and so how many dice."""
    hand, values = observation.hand, {card.value for card in observation.hand}
    sets = {"storm": [card.suit for card in hand], "search": [card.value for card in hand]}
    if way == "sneak":
        return max(next(n for n in range(1, 14) if first + n not in values) for first in values)
    return max(map(sets[way].count, sets[way]))
