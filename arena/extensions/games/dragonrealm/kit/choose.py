"""How the bot plays Dragonrealm. `arena rules dragonrealm` explains the game."""

from kit.dragonrealm import Action, Explore, Observation, Play
from kit.loop import Game, best


def choose(observation: Observation, legal: list[Action], game: Game) -> int:
    """Return the index of an Explore where the dice should suffice, else of a Rest."""
    # 1. To sneak takes cards of consecutive values: dice() does not find them yet.
    # 2. A location pays when it is full: see its adventurers, spaces and reward.
    # 3. Enhancements are worth nothing here: say in worth() which to keep, when to use them.
    return best(legal, lambda action: worth(observation, action))


def worth(observation: Observation, action: Action) -> float:
    """Return the value of an action; only comparisons of values mean something. A Rest has 0."""
    match action:
        case Explore(way=way):
            place = next(each for each in observation.row if each.id == action.location)
            needed = {"sneak": place.sneak, "search": place.search, "storm": place.storm}[way]
            return 5 * dice(observation, way) - 2 * needed - 2  # a die shows two and a half
        case Play():
            return len(action.cards)
    return 0


def dice(observation: Observation, way: str) -> int:
    """Return how many cards of the hand can be played together in this way, one die for each."""
    if way == "storm":
        alike = [card.suit for card in observation.hand]
    else:
        alike = [card.value for card in observation.hand]
    return max(map(alike.count, alike)) if way != "sneak" else 1
