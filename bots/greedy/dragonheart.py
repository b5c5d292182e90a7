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
LIKELY = [0.5**cards for cards in range(5)]  # a guess: the other seat holds so many of a kind
HOPE = 0.8  # a guess: how much of what is in store for us the other seat will leave


def kind_of(card):
    return card.split(":")[0]


def points_of(cards):
    return sum([int(card[-1]) for card in cards])


def swing(points, seat, figure):
    """What a seat gains on the other by the figure, which comes with the petrified cards."""
    if figure == seat or not points["petrified"]:
        return 0
    return FIGURE if figure is None else 2 * FIGURE


def in_store(points, sizes, swing, hand=None):
    """Points that a seat may expect from its best play; by guesses if its hand is not known."""
    offers = [
        (points["dwarf"], 4 - sizes["dwarf"], "dwarf"),
        (points["treasure"], 1, "fire_dragon"),
        (points["fire_dragon"], 3 - sizes["huntress"], "huntress"),
        (max(points["sorceress"], points["troll"]), 2 - sizes["knight"], "knight"),
        (points["quay"], 3 - sizes["ship"], "ship"),
        (max(points["treasure"], points["petrified"] + swing), 1, "sorceress"),
        (points["sorceress"], 1, "troll"),
    ]
    if hand is not None:
        return max([gain for gain, cards, kind in offers if hand[kind] >= (cards or 1)], default=0)
    expected, left = 0, 1
    for gain, cards, _ in sorted(offers, reverse=True):
        likely = LIKELY[cards or 1]
        expected += left * likely * gain
        left *= 1 - likely
    return expected


def value(view, points, sizes, hand, action):
    """How good the action is, in points."""
    seat, figure = view["seat"], view["figure"]
    if action["type"] == "take":
        kind, spaces = view["choice"], [action["space"]]
    else:
        kind, cards = kind_of(action["cards"][0]), action["cards"]
        points = points | {kind: points[kind] + points_of(cards)}
        sizes = sizes | {kind: sizes[kind] + len(cards)}
        hand = hand | {kind: hand[kind] - len(cards)}
        spaces = COLLECTS.get(kind, [None]) if sizes[kind] >= ROWS.get(kind, 0) else [None]
    values = []
    for space in spaces:
        owner, total = figure, points[space]
        if space == "petrified" and total:
            owner, total = seat, total + swing(points, seat, figure)
        if view.get("final_turn") != view["turn"]:
            empty = {space: 0, kind: 0} if sizes[kind] == ROWS.get(kind) else {space: 0}
            left, laid = points | empty, sizes | empty
            total += HOPE * in_store(left, laid, swing(left, seat, owner), hand)
            total -= in_store(left, laid, swing(left, 1 - seat, owner))
        values.append(total)
    return max(values)


def choose(message):
    """The index of the best legal action."""
    view, legal = message["observation"], message["legal"]
    points = {space: points_of(cards) for space, cards in view["board"].items()} | {None: 0}
    sizes = {space: len(cards) for space, cards in view["board"].items()}
    hand = {**dict.fromkeys(sizes, 0), **Counter(map(kind_of, view["hand"]))}
    worth = [value(view, points, sizes, hand, action) for action in legal]
    return worth.index(max(worth))
