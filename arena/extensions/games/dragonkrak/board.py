"""Dragonkrak in words and as a board of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from wcwidth import wcswidth

from arena.extensions.games.dragonkrak.choices import (
    AIM,
    AIM_ALONE,
    COLOURED,
    RISING,
    TERMS,
    choice,
    hint,
    in_words,
    named,
    place_of,
    token_name,
)
from arena.extensions.games.dragonkrak.rules.cards import (
    ARMIES,
    BELOW,
    COLOURS,
    FULL,
    HERO,
    SPACES,
    VALUES,
)
from arena.extensions.games.dragonkrak.rules.state import GRADES, grade_of
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

_ARROWS: Final = {
    space: ("↑" if space in RISING else "↓") if space in ARMIES else " " for space in SPACES
}
"""Arrow for each space: up if values rise from the bottom up, down if they fall."""
_PHASES: Final = {
    "muster": "the armies are opened",
    "deal": "cards are dealt",
    "tokens": "tokens are dealt",
    "starter": "the starter is drawn",
    "tactics": "{} to place cards",
    "recruit": "{} to recruit",
    "flight": "{} to move the red dragon",
    "over": "the game has ended",
}
_WIDTH: Final = 79
_MARK_WIDTH: Final = 7
_CARDS_WIDTH: Final = 64
"""Columns for the cards of a pile; five of them fit."""


def sentence(event: Json, table: TableInfo) -> str:
    """Describe an event in words."""
    if event["type"] == "muster":
        return f"the armies open with {', '.join(in_words([card]) for card in event['cards'])}"
    actor = table.names[event["seat"]]
    return "; ".join([f"{actor} {_deed(event)}", *_consequences(event, table)])


def _deed(event: Json) -> str:
    """Describe what the seat of the event did or got."""
    match event["type"]:
        case "deal":
            return f"shows {in_words(event['cards'])}"
        case "tokens":
            return f"gets {named(event['tokens'])}" if "tokens" in event else "gets tokens"
        case "starter":
            return "begins"
        case "place":
            return f"places {_card(event)} on {place_of(event['space'])}"
        case "remove":
            removed = f"removes {in_words(event['removed'])} from {place_of(event['space'])}"
            return f"{removed} and places {_card(event)}"
        case "exchange":
            return f"exchanges the hero on {place_of(event['space'])} for {_card(event)}"
        case "end":
            return "places no more cards"
        case "fly":
            return f"moves the red dragon to {place_of(event['red'])}"
        case "recruit":
            return f"recruits {_card(event) if 'card' in event else 'a card'}"
        case token:
            return f"plays {token_name(token)}{_effect(event)}"


def _card(event: Json) -> str:
    """Return the card of the event in words, with the value of a hero."""
    value = f" as {event['value']}" if "value" in event else ""
    return in_words([event["card"]]) + value


def _effect(event: Json) -> str:
    """Describe the effect of the token."""
    match event["type"]:
        case "counter_order":
            return f": {place_of(event['space'])} now wants {event['colour'].capitalize()}"
        case "epidemic":
            return f": {in_words(event['removed'])} on {place_of(event['space'])} leave the game"
        case "imprisoned":
            return ": the watchtower is closed"
        case "overflight":
            return f": the {event['dragon']} dragon does not block"
        case "reinforcements":
            return f": the camp holds {in_words(event['cards'])}" if "cards" in event else ""
        case "undead_dragon":
            return f" on {place_of(event['space'])}"
        case _:
            return f": {_card(event)} joins {place_of(event['space'])}"


def _consequences(event: Json, table: TableInfo) -> Iterator[str]:
    if "cleared" in event:
        yield "the full pile leaves the game"
    if event["type"] == "end" and "red" in event:
        yield f"the red dragon goes to {place_of(event['red'])}"
    if "undead" in event:
        yield f"the undead dragon goes to {place_of(event['undead'])}"
    drew = event.get("drew", 0)
    if drew:
        cards = event.get("drawn")
        yield f"draws {in_words(cards) if cards else count(drew, 'card')}"
    if event.get("undead_leaves"):
        yield "the undead dragon leaves"
    if event.get("tower_opens"):
        yield "the watchtower opens"
    if event.get("repeated") == 1:
        yield "the same position for the second time"
    if event.get("over"):
        yield _end(event, table)


def _end(event: Json, table: TableInfo) -> str:
    if "grade" in event:
        return f"the game has ended: grade {event['grade']}, {GRADES[event['grade'] - 1].words}"
    if event.get("repeated", 0) > 1:
        return "the same position for the third time: the game has ended"
    if event["type"] == "fly":
        return "the game is broken off"
    return f"{table.names[event['seat']]} has no cards left and wins"


def scores(observation: Json) -> tuple[int, ...]:
    """Return the cards left by seat; with one seat its deserters."""
    if len(observation["hand_sizes"]) == 1:
        return (len(observation.get("deserters", ())),)
    sizes = zip(observation["hand_sizes"], observation["camp_sizes"], strict=True)
    return tuple(hand + camp for hand, camp in sizes)


def lines(observations: Observations, table: TableInfo) -> list[str]:
    """Return two or three lines for each seat, then the piles, then the state of the game."""
    public = anyone(observations)
    shown: list[str] = []
    for seat in range(len(table.names)):
        shown += _seat_lines(seat, public, observations.get(seat), table)
    shown += [
        f" {space:<5}{_ARROWS[space]} {_mark(public, space):<{_MARK_WIDTH}}{_pile(pile)}".rstrip()
        for space, pile in public["board"].items()
    ]
    return [*shown, _status(public), _lost(public)]


def compact(observation: Json, table: TableInfo) -> list[str]:
    """Return the game state, a summary of each seat, the observer's hand and tokens, the piles."""
    seats = [f"{name}: {_sizes(observation, seat)}" for seat, name in enumerate(table.names)]
    return [
        f"{_status(observation, table)} | {_lost(observation)}",
        " | ".join(seats),
        *_held(observation),
        " | ".join(_filled(observation)),
    ]


def _held(own: Json) -> list[str]:
    """Return the line of the observer's hand and tokens; empty for a spectator."""
    if "hand" not in own:
        return []
    tokens = _own_tokens(own, own["seat"])
    return [f"hand: {in_words(own['hand']) or 'empty'} | tokens: {tokens}"]


def _seat_lines(seat: int, public: Json, own: Json, table: TableInfo) -> list[str]:
    """Return the lines of a seat; ``own`` is its observation, or None if it is hidden."""
    acts = seat == public["player"] and public["phase"] != "over"
    first = f"{'>' if acts else ' '} seat {seat}  {table.names[seat]}  {_sizes(public, seat)}"
    if own is None:
        known = in_words(public["shown"][seat])
        hand = count(public["hand_sizes"][seat], "card") + (f", {known} known" if known else "")
        tokens = _other_tokens(public, seat)
    else:
        hand, tokens = in_words(own["hand"]) or "empty", _own_tokens(own, seat)
    beside = f"{first} | tokens {tokens}"
    if len(table.names) > 2 and wcswidth(beside) <= _WIDTH:  # so that four seats fit 24 lines
        return [beside, f"  hand    {hand}"]
    return [first, f"  hand    {hand}", f"  tokens  {tokens}"]


def _sizes(observation: Json, seat: int) -> str:
    hand, camp = observation["hand_sizes"][seat], observation["camp_sizes"][seat]
    known = len(observation["bottoms"][seat])
    note = f" ({known} known)" if known else ""
    return f"{count(hand + camp, 'card')}: hand {hand}, camp {camp}{note}"


def _own_tokens(own: Json, seat: int) -> str:
    return _tokens_and_used(named(own["tokens"]), own["used"][seat])


def _other_tokens(public: Json, seat: int) -> str:
    left = public["token_counts"][seat]
    return _tokens_and_used(count(left, "token") if left else "", public["used"][seat])


def _tokens_and_used(held: str, used: Sequence[str]) -> str:
    played = f"used {named(used)}" if used else ""
    return "; ".join(filter(None, [held, played])) or "none"


def _mark(public: Json, space: str) -> str:
    """Return the word for what closes the space to cards, or ""."""
    if space == "tower":
        return "closed" if "imprisoned_by" in public else ""
    if space == public["red"]:
        return "red"
    return "undead" if space == public.get("undead") else ""


def _pile(pile: Json) -> str:
    """Return the cards from the bottom up, with the colour if a counter-order has changed it."""
    cards = in_words(pile["cards"], pile.get("hero")) or "-"
    if pile.get("ordered"):
        cards += f" (now {pile['colour'].capitalize()})"
    return cards if len(cards) <= _CARDS_WIDTH else "…" + cards[1 - _CARDS_WIDTH :]


def _filled(observation: Json) -> Iterator[str]:
    for space, pile in observation["board"].items():
        mark = _mark(observation, space)
        name = f"{space} {_ARROWS[space]}".rstrip() + (f" ({mark})" if mark else "")
        yield f"{name}: {_pile(pile)}"


def _status(observation: Json, table: TableInfo | None = None) -> str:
    """Return the status line; it names seats with a ``table`` and numbers them without one."""
    player, turn = observation["player"], observation["turn"]
    phase = _PHASES[observation["phase"]].format(named_seat(player, table))
    parts = [f"turn {turn}: {phase}" if turn else phase]
    if "space" in observation and observation["phase"] != "over":
        parts.append(f"on {place_of(observation['space'])}")
    if "overflight" in observation:
        parts.append(f"{observation['overflight']} dragon overflown")
    return " | ".join(parts)


def _lost(observation: Json) -> str:
    """Return how many cards are out of play; with one seat also the grade."""
    gone = f"{count(len(observation.get('gone', ())), 'card')} gone"
    if len(observation["hand_sizes"]) > 1:
        return gone
    deserters = len(observation.get("deserters", ()))
    if observation["phase"] != "over":
        return f"{gone} | {count(deserters, 'deserter')}"
    grade = grade_of(deserters)
    return f"{gone} | {count(deserters, 'deserter')}: grade {grade.number}, {grade.words}"


DRAWING: Final = Drawing(
    styles=("show/board.css",),
    scripts=tuple(f"show/{name}.js" for name in ("armies", "lanes", "seats", "symbols", "board")),
    facts={
        "armies": ARMIES,
        "values": list(VALUES),
        "full": FULL,
        "falling": [army for army in ARMIES if army not in RISING],
        "coloured": COLOURED,
        "below": dict(zip(ARMIES, BELOW, strict=True)),
        "colours": COLOURS,
        "hero": HERO,
        "grades": [(grade.deserters, grade.words) for grade in GRADES],
    },
)
BOARD: Final = BoardDisplay(
    sentence,
    scores,
    lines,
    compact,
    choice,
    fewest_lead=True,
    aim=AIM,
    aim_alone=AIM_ALONE,
    terms=TERMS,
    hint=hint,
    drawing=DRAWING,
)
