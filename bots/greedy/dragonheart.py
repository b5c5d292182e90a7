"""Dragonheart: gains most now, plus what is then in store for it, less what is for the other."""

from collections import Counter

FIGURE = 3
ROWS = {"dwarf": 4, "huntress": 3, "knight": 2, "ship": 3}
COLLECTS = {
    "dwarf": ["dwarf"],
    "fire_dragon": ["treasure"],
    "huntress": ["fire_dragon"],
    "knight": ["sorceress", "troll"],
    "ship": ["quay"],
    "sorceress": ["treasure", "petrified"],
    "troll": ["sorceress"],
}
HOLDS = 0.5  # a guess: how likely the other seat holds one more card of a kind
HOPE = 0.8  # a guess: how much of what is in store for us the other seat will leave


def kind_of(card):
    return card.split(":")[0]


def worth(board, space, seat, figure):
    """What a seat gains on the other by collecting a space, which may be none."""
    cards = board[space] if space else []
    swing = 0 if figure == seat else FIGURE if figure is None else 2 * FIGURE
    return sum(int(card[-1]) for card in cards) + (swing if cards and space == "petrified" else 0)


def in_store(board, seat, figure, holds):
    """Points a seat may expect from its best play, where holds(kind, n) says how likely it is
    that the seat holds n cards of a kind."""
    offers = []
    for kind, spaces in COLLECTS.items():
        missing = max(1, ROWS.get(kind, 0) - len(board[kind]))
        gain = max(worth(board, space, seat, figure) for space in spaces)
        offers.append((gain, holds(kind, missing)))
    expected, left = 0, 1
    for gain, chance in sorted(offers, reverse=True):
        expected += left * chance * gain
        left *= 1 - chance
    return expected


def result(view, action):
    """Kind, board and hand after the action's cards were played, and what may be collected."""
    board, hand = view["board"], Counter(map(kind_of, view["hand"]))
    if action["type"] == "take":
        return view["choice"], board, hand, [action["space"]]
    kind = kind_of(action["cards"][0])
    hand[kind] -= len(action["cards"])
    board = {**board, kind: board[kind] + action["cards"]}
    full = len(board[kind]) >= ROWS.get(kind, 0)
    return kind, board, hand, COLLECTS.get(kind, [None]) if full else [None]


def value(view, action):
    """How good the action is, in points."""
    seat, figure = view["seat"], view["figure"]
    kind, board, hand, spaces = result(view, action)
    values = []
    for space in spaces:
        total = worth(board, space, seat, figure)
        if view.get("final_turn") != view["turn"]:
            owner = seat if space == "petrified" and board[space] else figure
            gone = (space, kind if len(board[kind]) == ROWS.get(kind) else None)
            after = {name: [] if name in gone else cards for name, cards in board.items()}
            total += HOPE * in_store(after, seat, owner, lambda kind, n: hand[kind] >= n)
            total -= in_store(after, 1 - seat, owner, lambda kind, n: HOLDS**n)
        values.append(total)
    return max(values)


def choose(message):
    """The index of the best legal action."""
    view, legal = message["observation"], message["legal"]
    return max(range(len(legal)), key=lambda index: value(view, legal[index]))
