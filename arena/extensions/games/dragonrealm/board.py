"""Dragonrealm in words and as a board of text.

Locations and enhancements have their ids as names, which bots read too. The printed values of a
location are in each observation.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Final

from arena.extensions.games.dragonrealm.choices import (
    AIM,
    INVENTED,
    TERMS,
    choice,
    hint,
    in_words,
    name_of,
    names_of,
)
from arena.extensions.games.dragonrealm.rules.cards import (
    ALLEY_ADVENTURERS,
    ALLEY_COINS,
    CAMP_STONES,
    WAYS,
)
from arena.games.board import (
    BoardDisplay,
    Drawing,
    Json,
    Observations,
    TableInfo,
    anyone,
    named_seat,
)
from arena.values.numbers import count

_LEVELS: Final = ("Dragon", "I", "II", "III")
_PHASES: Final = {
    "locations": "the locations are shuffled",
    "enhancements": "enhancements are offered",
    "keep": "{} to keep enhancements",
    "goblins": "cards Goblins! are removed",
    "deal": "cards are dealt",
    "starter": "the starter is drawn",
    "turn": "{} to rest or explore",
    "draw": "{} to draw",
    "cards": "{} to play cards",
    "dice": "dice are thrown",
    "reroll": "{} to go on with the roll, or to help it",
    "academy": "{} to call adventurers from the Academy",
    "place": "{} to place adventurers",
    "discard": "{} to discard",
    "limit": "{} to discard down to nine",
    "pass": "{} to pass cards",
    "reshuffle": "the discards are shuffled",
    "reshuffle_enhancements": "the enhancements are shuffled",
    "end": "{} to buy or to end the turn",
    "over": "the game has ended",
}
_WIDTH: Final = 79
_HEADING: Final = "  location            level   full  pays  stones  sneak  search  storm  *ring"


def sentence(event: Json, table: TableInfo) -> str:
    """Describe an event in words."""
    return "; ".join([_action(event, table), *_incidents(event, table)])


def _action(event: Json, table: TableInfo) -> str:
    """Describe the action of the event."""
    actor = "" if event.get("seat") is None else table.names[event["seat"]]
    match event["type"]:
        case "locations":
            return "the locations are shuffled"
        case "offer":
            return _offered(event, actor)
        case "keep":
            kept = event.get("enhancements")
            return f"{actor} keeps {names_of(kept) if kept else 'enhancements face down'}"
        case "remove_goblins":
            return "two cards Goblins! leave the game unseen"
        case "deal":
            return f"{_dealt(event, actor)}; face up: {in_words(event['face_up'])}"
        case "starter":
            return f"{actor} begins"
        case "rest" | "draw" as kind:
            card = event.get("card")
            source = f"takes {in_words([card])}" if card else "draws from the deck"
            return f"{actor} rests and {source}" if kind == "rest" else f"{actor} {source}"
        case "explore":
            return f"{actor} explores {name_of(event['location'])}: {event['way']}"
        case "use":
            return f"{actor} uses {name_of(event['enhancement'])}"
        case "play":
            return f"{actor} plays {in_words(event['cards'])}"
        case "dice":
            return f"{actor} throws {' '.join(map(str, event['dice']))}"
        case "reroll":
            dice = event.get("dice")
            return f"{actor} {_again(dice) if dice else 'leaves the dice'}"
        case "academy":
            called = event["adventurers"]
            who = count(called, "adventurer") if called else "nobody"
            return f"{actor} calls {who} from the Academy"
        case "place":
            return f"{actor} chooses to place {count(event['adventurers'], 'adventurer')}"
        case "discard":
            return f"{actor} discards {in_words([event['card']])}"
        case "pass":
            cards = event.get("cards")
            return f"{actor} chooses to pass {in_words(cards) if cards else 'cards'}"
        case "buy":
            return _bought(event, actor)
        case "reshuffle":
            return "the discards are shuffled into a new deck"
        case "reshuffle_enhancements":
            return "the enhancements are shuffled"
        case _:
            return f"{actor} ends the turn"


def _offered(event: Json, actor: str) -> str:
    """Describe an offer; a spectator sees only that every seat gets one."""
    offered = event.get("enhancements")
    return f"{actor} is offered {names_of(offered)}" if offered else "all are offered enhancements"


def _dealt(event: Json, actor: str) -> str:
    cards = event.get("cards")
    return f"{actor} is dealt {in_words(cards)}" if cards else "all are dealt cards"


def _again(dice: Sequence[int]) -> str:
    return f"throws {' '.join(map(str, dice))} again"


def _bought(event: Json, actor: str) -> str:
    got = event.get("enhancement")
    what = name_of(got) if got else f"an enhancement of level {event['level']}"
    price = in_words([event["card"]]) if event.get("card") else "2 coins"
    skipped = event.get("skipped", 0)
    back = f"; {count(skipped, 'other card')} {'goes' if skipped == 1 else 'go'} back"
    return f"{actor} buys {what} for {price} and 2 adventurers" + (back if skipped else "")


def _incidents(event: Json, table: TableInfo) -> Iterator[str]:
    for incident in event.get("then", ()):
        yield _incident(incident, table)


def _incident(incident: Json, table: TableInfo) -> str:
    """Describe an incident in the course of an action."""
    names = table.names
    actor = "" if incident.get("seat") is None else names[incident["seat"]]
    match incident["type"]:
        case "kept":
            pairs = zip(names, incident["counts"], strict=True)
            return "all have chosen: " + ", ".join(f"{name} {count}" for name, count in pairs)
        case "drew":
            card = incident.get("card")
            return f"{actor} draws {in_words([card]) if card else 'a card'}"
        case "face_up":
            return f"{in_words([incident['card']])} is face up"
        case "goblins":
            place = incident.get("location")
            where = f"a goblin comes to {name_of(place)}" if place else "no goblin comes"
            return f"{in_words([incident['card']])}: {where}"
        case "rockslide":
            return f"{in_words([incident['card']])}: all pass cards"
        case "waiting":
            return f"{in_words([incident['card']])} waits"
        case "passed":
            shown, number = incident.get("cards"), count(incident["count"], "card")
            return (
                f"{actor} passes {in_words(shown) if shown else number} to {names[incident['to']]}"
            )
        case "success":
            return f"{incident['total']} of {incident['needed']}: success"
        case "placed":
            placed = count(incident["adventurers"], "adventurer")
            return f"{placed} to {name_of(incident['location'])}"
        case "failure":
            sent = ", an adventurer is sent away" if incident["camp"] else ""
            return f"{incident['total']} of {incident['needed']}: failure{sent}"
        case "goblins_left":
            left = count(incident["goblins"], "goblin")
            return f"{left} gone from {name_of(incident['location'])}"
        case "discarded":
            return f"{actor} discards {in_words(incident['cards'])}"
        case "spent":
            return f"{names_of(incident['enhancements'])} spent"
        case "scored":
            return _scored(incident, names)
        case "revealed":
            return f"{name_of(incident['location'])} comes into the row"
        case _:
            by = f" by {incident['ruling']}" if "ruling" in incident else ""
            return f"the game has ended{by}: " + ", ".join(
                f"{name} {count(coins, 'coin')} and {count(stones, 'stone')}"
                for name, coins, stones in zip(
                    names, incident["coins"], incident["stones"], strict=True
                )
            )


def _scored(incident: Json, names: Sequence[str]) -> str:
    paid = [
        f"{name} {count(coins, 'coin')}"
        for name, coins in zip(names, incident["coins"], strict=True)
        if coins
    ]
    winner = incident.get("winner")
    card = "nobody takes it" if winner is None else f"{names[winner]} takes it"
    return f"{name_of(incident['location'])} scored: " + ", ".join([*paid, card])


def scores(observation: Json) -> tuple[int, ...]:
    """Return the coins by seat; those for enhancements and the bonus are added at the end."""
    result = observation.get("result")
    if result:
        return tuple(result["coins"])
    return tuple(side["coins"] for side in observation["sides"])


def lines(observations: Observations, table: TableInfo) -> list[str]:
    """Return each seat with hand and enhancements, then the row, the decks and the game state."""
    public = anyone(observations)
    shown: list[str] = []
    for seat in range(len(table.names)):
        shown += _seat_lines(seat, public, observations.get(seat), table)
    if public["row"]:
        shown.append(_HEADING)
    for place in public["row"]:
        shown += _place_lines(place, table)
    shown.append(_decks(public))
    if "attempt" in public:
        shown += _wrapped(_attempt(public["attempt"]))
    shown.append(_status(public))
    return shown


def compact(observation: Json, table: TableInfo) -> list[str]:
    """Return the game state, a summary of each seat, the observer's hand, the row and the decks."""
    seats = [
        f"{table.names[seat]}: {count(coins, 'coin')}, {_pieces(observation['sides'][seat])}"
        for seat, coins in enumerate(scores(observation))
    ]
    attempt = [_attempt(observation["attempt"])] if "attempt" in observation else []
    return [
        _status(observation, table),
        " | ".join(seats),
        *_hand(observation),
        "row: " + (" | ".join(_place(place, table) for place in observation["row"]) or "empty"),
        *attempt,
        _decks(observation).strip(),
    ]


def _hand(own: Json) -> list[str]:
    """Return the line of the observer's hand; empty for a spectator."""
    return [f"hand: {in_words(own['hand']) or 'empty'}"] if "hand" in own else []


def _seat_lines(seat: int, public: Json, own: Json, table: TableInfo) -> list[str]:
    """Return the lines of a seat; ``own`` is its observation, or None if it is hidden."""
    side = public["sides"][seat]
    acts = seat == public["player"] and public["phase"] != "over"
    first = f"{'>' if acts else ' '} seat {seat}  {table.names[seat]}  "
    first += f"{count(scores(public)[seat], 'coin')}, {_pieces(side)}"
    hidden = f"{count(side['cards'], 'card')} that this view does not show"
    hand = hidden if own is None else in_words(own["hand"]) or "empty"
    shown = [first, *_wrapped(f"hand    {hand}")]
    cards = _enhancements(seat, side, public, own)
    return shown + (_wrapped(f"cards   {cards}") if cards else [])


def _pieces(side: Json) -> str:
    won = len(side["won"])
    return f"won {won}, supply {side['supply']}, camp {side['camp']}, hand {side['cards']}"


def _enhancements(seat: int, side: Json, public: Json, own: Json) -> str:
    """Return the enhancements that lie face up, then what is known of the others."""
    if "result" in public:
        return names_of(public["result"]["enhancements"][seat])
    if own is None:
        down = ", ".join(f"level {level}" for level in side["face_down"])
    else:
        mine = [card["id"] for card in own["enhancements"]]
        down = names_of([name for name in mine if name not in side["shown"]])
    shown = [names_of(side["shown"])] if side["shown"] else []
    return " | ".join([*shown, f"face down {down}"] if down else shown)


def _place_lines(place: Json, table: TableInfo) -> list[str]:
    full = f"{_filled(place)}/{place['spaces']}"
    pays = "/".join(map(str, place["reward"]))
    line = f"  {name_of(place['id'])[:19]:<20}{_LEVELS[place['level']]:<8}{full:<6}{pays:<6}"
    line += f"{place['stones']:<8}"
    for way, width in zip(WAYS, (7, 8, 0), strict=True):
        line += f"{place[way]}{'*' if way in place['gold'] else ''}".ljust(width)
    pieces = _pieces_on(place, table)
    special = place["special"].replace("_", " ")
    notes = [pieces] if pieces else []
    notes += [f"({special})"] if special != "none" else []
    return [line.rstrip(), *(_wrapped("  " + " ".join(notes)) if notes else [])]


def _filled(place: Json) -> int:
    filled: int = sum(place["adventurers"]) + place["goblins"]
    return filled


def _pieces_on(place: Json, table: TableInfo) -> str:
    pairs = [*zip(table.names, place["adventurers"], strict=True), ("goblins", place["goblins"])]
    return ", ".join(f"{name} {count}" for name, count in pairs if count)


def _place(place: Json, table: TableInfo) -> str:
    pieces = _pieces_on(place, table)
    dragon = "" if place["level"] else " (Dragon)"
    full = f"{name_of(place['id'])}{dragon} {_filled(place)}/{place['spaces']}"
    return f"{full} ({pieces})" if pieces else full


def _attempt(attempt: Json) -> str:
    parts = [f"{name_of(attempt['location'])}: {attempt['way']} needs {attempt['needed']}"]
    if attempt.get("cards"):
        parts.append(in_words(attempt["cards"]))
    if attempt.get("dice"):
        parts.append(f"dice {' '.join(map(str, attempt['dice']))}")
    bonus = attempt["bonus"] + attempt.get("academy", 0)
    if bonus:
        parts.append(f"+{bonus}")
    return " | ".join(parts)


def _decks(observation: Json) -> str:
    up = in_words([card for card in observation["face_up"] if card]) or "none"
    levels = " ".join(_LEVELS[level] for level in observation["next_levels"]) or "none"
    discards = len(observation["discards"])
    deck = f"deck {observation['deck_size']}, discards {discards}"
    return f"  {deck} | face up {up} | next {levels}"


def _status(observation: Json, table: TableInfo | None = None) -> str:
    """Return the status line; it names seats with a ``table`` and numbers them without one."""
    name, turn = named_seat(observation["actor"], table), observation["turn"]
    phase = _PHASES[observation["phase"]].format(name)
    parts = [f"turn {turn}: {phase}" if turn else phase]
    return " | ".join([*parts, f"goblins {observation['goblins']}"])


def _wrapped(text: str) -> list[str]:
    """Return ``text`` as indented lines that fit the width."""
    return textwrap.wrap(
        text, _WIDTH, initial_indent="  ", subsequent_indent=" " * 10, break_on_hyphens=False
    )


DRAWING: Final = Drawing(
    styles=("show/board.css",),
    scripts=tuple(
        f"show/{name}.js" for name in ("action", "pieces", "row", "seats", "words", "board")
    ),
    facts={
        "ways": WAYS,
        "levels": _LEVELS,
        "invented": INVENTED,
        "camp_stones": CAMP_STONES,
        "price": {"adventurers": ALLEY_ADVENTURERS, "coins": ALLEY_COINS},
    },
)
BOARD: Final = BoardDisplay(
    sentence, scores, lines, compact, choice, aim=AIM, terms=TERMS, hint=hint, drawing=DRAWING
)
