"""Dragonkrak: lays the longest run of cards, with small steps; tokens against the others or when
nothing else fits. Alone it waits for small steps."""

ARMIES = ("I", "II", "III", "IV")
RISING = ("I", "III")
COLOURED = ("III", "IV")
FULL = 6
RUN = 8  # against others: how many values a longer run may skip
RUN_ALONE = 2  # alone it is better to lose no values than to hurry


def number(card):
    return int(card.split(":")[1])


def colour(card):
    return card.split(":")[0]


def top(army, pile):
    """The value that the next card has to follow."""
    if not pile["cards"]:
        return 0 if army in RISING else 13
    card = pile["cards"][-1]
    return pile["hero"] if card == "hero" else number(card)


def step(army, pile, value):
    """How far the value is from the next one; negative if it does not fit."""
    ahead = value - top(army, pile)
    return (ahead if army in RISING else -ahead) - 1


def run(army, pile, hand):
    """How many of the cards can be laid on the army in one turn."""
    troops = [card for card in hand if card != "hero" and step(army, pile, number(card)) >= 0]
    hero = "hero" in hand and "hero" not in pile["cards"]
    if army not in COLOURED:
        return len(set(map(number, troops))) + hero
    wanted = pile.get("colour")
    colours = [colour(card) for card in troops]
    if wanted:
        return colours.count(wanted) + hero
    return max(map(colours.count, colours), default=0) + hero


def room(view, army):
    """How many different cards the army could still take."""
    pile = view["board"][army]
    values = 12 - top(army, pile) if army in RISING else top(army, pile) - 1
    return values if pile.get("colour") else 4 * values


def open_armies(view):
    over = view.get("overflight")
    red = None if over == "red" else view["red"]
    undead = None if over == "undead" else view.get("undead")
    return [army for army in ARMIES if army not in (red, undead)]


def is_alone(view):
    return len(view["hand_sizes"]) == 1


def laying(view, action):
    """The worth of placing a card."""
    space, pile = action["space"], view["board"][action["space"]]
    fills = 6 if len(pile["cards"]) == FULL - 1 else 0
    if space == "tower":
        return fills + 6
    value = action.get("value") or number(action["card"])
    cost = step(space, pile, value) + (2 if action["card"] == "hero" else 0)
    return fills + (RUN_ALONE if is_alone(view) else RUN) * run(space, pile, view["hand"]) - cost


def way_out(view, action):
    """The worth of a token when no card fits: whether it lets one be laid."""
    kind, board, hand = action["type"], view["board"], view["hand"]
    if kind == "overflight":
        army = view["red"] if action["dragon"] == "red" else view["undead"]
        return 24 if run(army, board[army], hand) else 0
    if kind == "counter_order" and action["space"] in open_armies(view):
        pile = {**board[action["space"]], "colour": action["colour"]}
        return 22 if run(action["space"], pile, hand) else 0
    if kind == "epidemic" and action["army"] in open_armies(view):
        return 21 if action["count"] == len(board[action["army"]]["cards"]) else 0
    return {"exchange": 25, "reinforcements": 23}.get(kind, 0)


def harm(view, action):
    """The worth of moving a dragon or closing the watchtower against the others."""
    if action["type"] == "fly":
        return room(view, action["army"])
    if action["type"] == "undead_dragon":
        return 100 + room(view, action["army"])
    return 100 if action["type"] == "imprisoned" else 0


def worth(view, legal, action):
    kind, hand = action["type"], view["hand"]
    if view["phase"] == "flight":
        return harm(view, action)
    if kind == "recruit":
        more = [*hand, action["card"]]
        return max(run(army, view["board"][army], more) for army in open_armies(view))
    if kind == "place":
        return 100 + laying(view, action)
    if kind == "volunteers":
        return 100 + RUN * (1 + run(action["army"], view["board"][action["army"]], hand))
    if kind == "end":
        return 100 + RUN_ALONE if is_alone(view) else 50  # alone: unless a card skips none
    if kind == "remove":
        return 10
    is_stuck = not any(other["type"] in ("place", "end") for other in legal)
    return way_out(view, action) if is_stuck else 0


def choose(message):
    """The index of the best legal action; of equal ones the first."""
    view, legal = message["observation"], message["legal"]
    return max(range(len(legal)), key=lambda index: worth(view, legal, legal[index]))
