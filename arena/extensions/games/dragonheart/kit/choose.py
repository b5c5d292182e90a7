"""How the bot plays Dragonheart. `arena rules dragonheart` explains the game."""

from kit.dragonheart import Action, Card, Observation, Play
from kit.loop import Game, best

ROWS = {"dwarf": 4, "huntress": 3, "knight": 2, "ship": 3}  # cards in a full row
COLLECTS = {
    "dwarf": ["dwarf"],
    "fire_dragon": ["treasure"],
    "huntress": ["fire_dragon"],
    "knight": ["sorceress", "troll"],
    "ship": ["quay"],
    "sorceress": ["treasure", "petrified"],
    "troll": ["sorceress"],
}


def choose(observation: Observation, legal: list[Action], game: Game) -> int:
    """Return the index of the action that collects most now, else of the cheapest one."""
    # 1. Three points go with the dragon figure: see observation.figure, and the petrified.
    # 2. Look at what a play leaves for the other seat, and count that against it.
    # 3. What both seats have played is in observation.played: which cards may still come?
    return best(legal, lambda action: worth(observation, action))


def worth(observation: Observation, action: Action) -> float:
    """Return the value of an action; only comparisons of values mean something."""
    board = observation.board
    if not isinstance(action, Play):
        return points(board.at(action.space))
    kind, count = action.cards[0].kind, len(action.cards)
    is_full = len(board.at(kind)) + count >= ROWS.get(kind, 0)
    spaces = COLLECTS.get(kind, []) if is_full else []
    gains = [points(board.at(space)) for space in spaces]
    return 100 * max(gains, default=0) - 10 * count - points(action.cards)


def points(cards: list[Card]) -> int:
    return sum(card.value for card in cards)
