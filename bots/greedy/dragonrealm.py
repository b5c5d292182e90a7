"""Dragonrealm: explores where the chance times the gain is best, else rests for better cards."""

from collections import Counter

FACES = (1, 2, 2, 3, 3, 4)  # of the printed dice
WAYS = ("sneak", "search", "storm")
MOST = 6
STONE = 0.5  # a guess: what a Dragonstone is worth in coins
TEMPO = 0.45  # a guess: what a Rest brings, in coins
CARD = 0.14  # a guess: what a card in hand is worth, in coins
CALLED = 2  # at most so many adventurers at the Academy are planned with
SENT = 0.35  # a guess: what an adventurer at the Academy is worth, in coins


def add_a_die(totals):
    """The ways to throw each total with one die more."""
    more = Counter()
    for total, ways in totals.items():
        for face in FACES:
            more[total + face] += ways
    return more


TOTALS = [Counter({0: 1})]
for _ in range(MOST):
    TOTALS.append(add_a_die(TOTALS[-1]))


def chance(dice, needed):
    """How likely so many dice throw at least the total needed."""
    ways = sum(ways for total, ways in TOTALS[dice].items() if total >= needed)
    return ways / len(FACES) ** dice


def number(card):
    return int(card[-2:])


def suit(card):
    return card[:-3]


def longest(hand, way):
    """How many cards of the hand can be played in this way, six at most."""
    if way == "storm":
        best = max(Counter(map(suit, hand)).values(), default=0)
    elif way == "search":
        best = max(Counter(map(number, hand)).values(), default=0)
    else:
        numbers, best = set(map(number, hand)), 0
        for first in numbers:
            length = 1
            while first + length in numbers:
                length += 1
            best = max(best, length)
    return min(best, MOST)


def pay(place, seat, mine, goblins):
    """Coins and stones for a seat with so many adventurers if the location were scored now."""
    counts = [n for other, n in enumerate(place["adventurers"]) if other != seat and n]
    counts += [goblins] * (goblins > 0)
    first, second = place["reward"]
    if not mine:
        return 0
    ahead = sum(n > mine for n in counts)
    level = sum(n == mine for n in counts)
    if ahead == 0 and level == 0:
        return first + (0 if counts else second) + STONE * place["stones"]
    if ahead == 0:
        return (first + second) // (level + 1)
    leaders = counts.count(max(counts))
    if leaders == 1 and ahead == 1:
        return second // (level + 1)
    return 1


def gain(place, seat, adding):
    """What placing adventurers is worth: more, the nearer the location is to completion."""
    mine = place["adventurers"][seat]
    filled = sum(place["adventurers"]) + place["goblins"]
    before = pay(place, seat, mine, place["goblins"])
    after = pay(place, seat, mine + adding, place["goblins"])
    nearness = min(1, (filled + adding) / place["spaces"])
    worth = 1 / place["spaces"] * (place["reward"][0] + STONE * place["stones"]) * adding
    return nearness * (after - before) * 0.6 + worth * 0.8


def bonus_for(view, place, way):
    """What own enhancements and adventurers at the Academy can add to a roll for this way."""
    bonus = sum(
        card["effect"].get("add", 0)
        for card in view["enhancements"]
        if not card["one_time"] and card["effect"].get("action") == way
    )
    if "enhancement_deck" in view or place["special"] == "no_academy":
        return bonus
    return bonus + min(view["sides"][view["seat"]]["camp"], CALLED)


def worth(view, place, way, dice, bonus):
    """What an Explore with so many cards is worth, in coins."""
    side = view["sides"][view["seat"]]
    adding = min(side["supply"], 2 if way in place["gold"] else 1)
    likely = chance(dice, place[way] - bonus)
    good = gain(place, view["seat"], adding) - CARD * (dice - 1)
    bad = SENT if side["supply"] and place["special"] == "none" else 0
    return likely * good + (1 - likely) * bad


def best_dice(view, place, way, cards):
    """How many of the cards at hand to play, and what that is worth."""
    bonus = bonus_for(view, place, way)
    options = [(worth(view, place, way, dice, bonus), dice) for dice in range(1, cards + 1)]
    return max(options, default=(0, 0))


def promise(hand):
    """How good a hand is: long runs and sets, of which the longest counts most."""
    lengths = sorted(longest(hand, way) for way in WAYS)
    suits, numbers = Counter(map(suit, hand)), Counter(map(number, hand))
    pairs = sum(n * n for n in suits.values()) + sum(n * n for n in numbers.values())
    near = sum(value + 1 in numbers for value in numbers)
    return 3 * lengths[2] + 2 * lengths[1] + lengths[0] + 0.1 * (pairs + near) + 0.2 * len(hand)


def without(hand, cards):
    return [card for card in hand if card not in cards]


def merit(card):
    """What an enhancement is worth, in coins."""
    effect = card["effect"]
    add = effect.get("add", 0)
    return (
        effect.get("coins", 0)
        + effect.get("dragonstones", 0)
        + (0.4 * add if card["one_time"] else 1.6 * add)
        + 2.5 * effect.get("reroll_dice", 0)
        + 1.5 * effect.get("draw_extra", 0)
        + effect.get("draw", 0)
    )


def place_of(view, name):
    return next(place for place in view["row"] if place["id"] == name)


def rest_value(view, source):
    """What a card from this source is worth; a full hand gains little."""
    hand = view["hand"]
    room = 1 if len(hand) < 8 else 0.3
    if source == "deck":
        return room * TEMPO
    return room * TEMPO * (0.6 + 0.15 * (promise([*hand, source]) - promise(hand)))


def turn_value(view, action):
    hand = view["hand"]
    if action["type"] in ("rest", "draw"):
        return rest_value(view, action["source"])
    if action["type"] == "explore":
        place, way = place_of(view, action["location"]), action["way"]
        return best_dice(view, place, way, longest(hand, way))[0]
    if action["type"] == "buy":
        left = without(hand, [action.get("card")])
        return 2 if action["level"] == 2 else 1 + 0.01 * promise(left)
    return 0.5 if action["type"] == "use" else 0


def cards_value(view, action):
    """Lasting enhancements first, one-time ones where they decide, then the best cards."""
    attempt, hand = view["attempt"], view["hand"]
    place, way = place_of(view, attempt["location"]), attempt["way"]
    needed, most = attempt["needed"] - attempt["bonus"], longest(hand, way)
    if action["type"] == "use":
        card = next(c for c in view["enhancements"] if c["id"] == action["enhancement"])
        add = card["effect"].get("add", 0)
        if not card["one_time"]:
            return 100
        helps = chance(most, needed - add) - chance(most, needed)
        return 100 if helps > 0.4 else -100
    bonus = max(attempt["bonus"], bonus_for(view, place, way))
    dice = len(action["cards"])
    return worth(view, place, way, dice, bonus) + 0.001 * promise(without(hand, action["cards"]))


def reroll_value(view, action):
    """Throw the lowest die again if the roll has failed."""
    attempt = view["attempt"]
    if sum(attempt["dice"]) + attempt["bonus"] >= attempt["needed"]:
        return -len(action["dice"])
    return sum(2.5 - face for face in action["dice"])


def academy_value(view, action):
    """As few as succeed; none if all are too few."""
    attempt, count = view["attempt"], action["adventurers"]
    missing = attempt["needed"] - attempt["bonus"] - sum(attempt["dice"])
    return 10 - count if count >= missing else -count


def value(view, action):
    """How good the action is; only comparisons within one decision mean something."""
    kind = action["type"]
    if kind == "keep":
        return sum(merit(c) for c in view["offered"] if c["id"] in action["enhancements"])
    if kind == "discard":
        return promise(without(view["hand"], [action["card"]]))
    if kind == "pass":
        return promise(without(view["hand"], action["cards"]))
    if kind == "place":
        return action["adventurers"]
    if kind == "reroll":
        return reroll_value(view, action)
    if kind == "academy":
        return academy_value(view, action)
    return (cards_value if view["phase"] == "cards" else turn_value)(view, action)


def choose(message):
    """The index of the best legal action, of equal ones the first."""
    view, legal = message["observation"], message["legal"]
    return max(range(len(legal)), key=lambda index: value(view, legal[index]))
