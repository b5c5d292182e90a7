"""Dragonrealm for the tests: positions by hand, conservation, and dealing hidden cards anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

import msgspec
from msgspec.structs import astuple, replace

from arena.extensions.games.dragonrealm.rules.actions import Keep, Pass, Shuffle
from arena.extensions.games.dragonrealm.rules.cards import ADVENTURERS, GOBLINS, Cards, is_event
from arena.extensions.games.dragonrealm.rules.incidents import Drew, Placed
from arena.extensions.games.dragonrealm.rules.rules import DragonrealmRules
from arena.extensions.games.dragonrealm.rules.state import Attempt, RowLocation, Side, State
from arena.games.base import Rules, Transition
from arena.games.luck import Luck
from arena.games.registry import make_rules, resolve
from arena.values.results import Seat
from tests.games.games import PlayedGame, default_data


def dragonrealm(seats: int = 2, **options: object) -> DragonrealmRules:
    """The rules with the stand-in cards."""
    rules = make_rules(resolve("dragonrealm", seats, options, default_data("dragonrealm")))
    assert isinstance(rules, DragonrealmRules)
    return rules


TWO = dragonrealm(2)
THREE = dragonrealm(3)
FOUR = dragonrealm(4)
ALLEY = dragonrealm(2, side="alley")
NUMBERS: Final = TWO.box.numbers


def cards(text: str) -> Cards:
    """The cards named in a text such as ``b7 d12``: the first letter of a suit and a number."""
    suits = {card[0]: card[:-2] for card in NUMBERS}
    return tuple(
        word if ":" in word else f"{suits[word[0]]}{int(word[1:]):02d}" for word in text.split()
    )


def by_seat(text: str, seats: int) -> list[str]:
    """``"b1 | c1"`` are the words of seats 0 and 1; later seats have none."""
    parts = [part.strip() for part in text.split("|")]
    return parts + [""] * (seats - len(parts))


def joined(parts: Iterable[str]) -> str:
    """Words by seat as ``by_seat`` reads them."""
    return " | ".join(parts).rstrip(" |").lstrip()


def row_of(text: str, seats: int) -> tuple[RowLocation, ...]:
    """``"witch_cabin 2 1 g3, snake_pit"``: adventurers of seats 0 and 1, three goblins."""
    row = []
    for name, *pieces in (part.split() for part in text.split(", ") if part):
        goblins = sum(int(piece[1:]) for piece in pieces if piece[0] == "g")
        numbers = [int(piece) for piece in pieces if piece[0] != "g"]
        row.append(RowLocation(name, (*numbers, *[0] * (seats - len(numbers))), goblins))
    return tuple(row)


def row_text(row: Iterable[RowLocation]) -> str:
    """Locations as ``row_of`` reads them."""
    texts = []
    for place in row:
        numbers = " ".join([place.location, *map(str, place.adventurers)])
        while numbers.endswith(" 0"):
            numbers = numbers.removesuffix(" 0")
        texts.append(f"{numbers} g{place.goblins}" if place.goblins else numbers)
    return ", ".join(texts)


def state(
    rules: DragonrealmRules = TWO,
    *,
    hands: str = "",
    row: str = "snake_pit, witch_cabin, fire_swamp",
    deck: str = "e1 e2 e3 e4 e5 e6",
    discards: str = "",
    face_up: str = "c11 c12",
    locations: str = "magic_castle dragon_rock",
    todo: str = "turn",
    seat: Seat = 0,
    turn: int = 10,
    camp: tuple[int, ...] = (),
    coins: tuple[int, ...] = (),
    won: str = "",
    enhancements: str = "",
    on_sale: str = "",
    attempt: Attempt | None = None,
    supply: tuple[int | None, ...] = (),
) -> State:
    """A position by hand; it need not be reachable.

    ``by_seat`` reads ``hands``, ``won`` and ``enhancements``; ``lucky_socks*`` lies face up.
    What is not given is empty; the supplies hold what is nowhere else. ``on_sale`` are the
    enhancements that nobody has.
    """
    seats = rules.info.seats
    places = row_of(row, seats)
    sides = []
    for s in range(seats):
        at_camp = camp[s] if s < len(camp) else 0
        left = ADVENTURERS - at_camp - sum(p.adventurers[s] for p in places)
        given = supply[s] if s < len(supply) else None
        names = sorted(by_seat(enhancements, seats)[s].split())
        sides.append(
            Side(
                hand=tuple(sorted(cards(by_seat(hands, seats)[s]))),
                supply=left if given is None else given,
                camp=at_camp,
                coins=coins[s] if s < len(coins) else 0,
                won=tuple(by_seat(won, seats)[s].split()),
                enhancements=tuple(name.rstrip("*") for name in names),
                shown=tuple(name.rstrip("*") for name in names if name[-1] == "*"),
            )
        )
    return State(
        todo=tuple(todo.split()),
        seat=seat,
        turn=turn,
        sides=tuple(sides),
        row=places,
        locations=tuple(locations.split()),
        unclaimed=(),
        deck=cards(deck),
        discards=cards(discards),
        face_up=cards(face_up),
        goblins=GOBLINS - sum(p.goblins for p in places),
        removed=(),
        enhancements=tuple(on_sale.split()),
        rejected=((),) * seats,
        spent=(),
        attempt=attempt,
        passes=((),) * seats,
        held=((),) * seats,
        shuffles=0,
        enhancement_shuffles=0,
    )


def trying(
    way: Any, played: str = "", dice: tuple[int, ...] = (), *, used: str = "", **more: Any
) -> State:
    """An Explore of the first location: its cards are due, or its dice, or another throw."""
    todo = "end resolve academy reroll" + " dice" * (not dice) if played else "end cards"
    attempt = Attempt(0, way, tuple(sorted(cards(played))), tuple(used.split()), dice)
    return state(**{"todo": todo, "hands": played, "attempt": attempt} | more)


def short(cards: Iterable[str | None]) -> str:
    """Cards as ``cards`` reads them."""
    return " ".join(
        "-" if card is None else card if is_event(card) else f"{card[0]}{int(card[-2:])}"
        for card in cards
    )


def words(action: Any) -> str:
    """``rest c11`` or ``use lucky_socks``; of an Explore its location and way, and its cards."""
    values: list[Any] = [action.__struct_config__.tag]
    for name in action.__struct_fields__:
        value = getattr(action, name)
        values += value if isinstance(value, tuple) else [value]
    said = [short([value]) if value in NUMBERS else str(value) for value in values]
    said = [word for word in said if word not in ("explore", "play", "deck", "None")]
    return " ".join(said)


def facts(position: State) -> dict[str, object]:
    """The position under the names that ``state`` takes, and some more."""
    sides = position.sides
    return {
        "hands": joined(short(side.hand) for side in sides),
        "row": row_text(position.row),
        "deck": short(position.deck),
        "discards": short(position.discards),
        "face_up": short(position.face_up),
        "locations": " ".join(position.locations),
        "unclaimed": " ".join(position.unclaimed),
        "task": position.todo[-1],
        "seat": position.seat,
        "turn": position.turn,
        "camp": tuple(side.camp for side in sides),
        "supply": tuple(side.supply for side in sides),
        "coins": tuple(side.coins for side in sides),
        "won": joined(" ".join(side.won) for side in sides),
        "enhancements": joined(
            " ".join(name + "*" * (name in side.shown) for name in side.enhancements)
            for side in sides
        ),
        "on_sale": " ".join(position.enhancements),
        "spent": " ".join(position.spent),
        "goblins": position.goblins,
        "attempt": position.attempt,
        "ruling": position.ruling,
    }


def check_state(rules: Rules[Any, Any], position: State) -> None:
    """Every card and piece is somewhere, once; what seats know is true."""
    assert isinstance(rules, DragonrealmRules)
    box = rules.box
    hands = [side.hand for side in position.sides]
    if position.face_up:
        everywhere = Counter(position.deck + position.discards + position.removed)
        everywhere.update(card for card in position.face_up if card is not None)
        everywhere.update(card for hand in hands for card in hand)
        assert everywhere == Counter(box.numbers + box.events)
    assert all(list(hand) == sorted(hand) for hand in hands)
    for seat, side in enumerate(position.sides):
        placed = sum(p.adventurers[seat] for p in position.row)
        assert side.supply + side.camp + placed == ADVENTURERS
        assert min(side.supply, side.camp, side.coins) >= 0
        assert set(side.shown) <= set(side.enhancements)
        for card, whereabouts in position.held[seat]:
            assert seat not in whereabouts
            assert any(card in hands[other] for other in whereabouts)
    assert position.goblins + sum(p.goblins for p in position.row) == GOBLINS
    _check_locations(rules, position)
    _check_enhancements(rules, position)


def _check_locations(rules: DragonrealmRules, position: State) -> None:
    names = [p.location for p in position.row] + [*position.locations, *position.unclaimed]
    names += [name for side in position.sides for name in side.won]
    if position.row or position.todo == ("over",):
        levels = sorted(rules.box.locations[name].level for name in names)
        assert levels == sorted(rules.box.levels)
    assert len(set(names)) == len(names)
    for p in position.row:  # DR-09
        assert sum(p.adventurers) + p.goblins < rules.box.locations[p.location].spaces
        assert p.goblins == 0 or not rules.box.is_dragon(p.location)


def _check_enhancements(rules: DragonrealmRules, position: State) -> None:
    if "enhancements" in position.todo:
        return
    names = [*position.enhancements, *position.spent]
    for seat, side in enumerate(position.sides):
        choosing = f"keep:{seat}" in position.todo
        rejects = any(task.startswith("keep:") for task in position.todo)
        names += side.offered if choosing or rejects else side.enhancements
    assert sorted(names) == sorted(rules.box.enhancements)


def redeal(rules: Rules[Any, Any], ply: Transition, seat: Seat, luck: Luck) -> Transition:
    """The same ply with all that ``seat`` has not seen by its end dealt anew.

    Whatever is named in what the seat receives stays; everything else changes its name: number
    cards among themselves, enhancements among those of their level, locations likewise. The deck
    below the cards drawn in this ply gets another order.
    """
    assert isinstance(rules, DragonrealmRules)
    event = rules.describe(ply.before, ply.action, ply.after)[seat]
    received = (rules.observe(ply.before, seat), rules.observe(ply.after, seat), event)
    told = msgspec.json.encode(received).decode()
    names = _renamed(rules, told, luck)
    before: State = _rename(ply.before, names)
    action = _rename_action(ply.action, names)
    before, action = _reorder(before, action, ply, luck)
    return Transition(ply.actor, before, action, rules.apply(before, action))


def _renamed(rules: DragonrealmRules, told: str, luck: Luck) -> dict[str, str]:
    """A new name for everything that is not told."""
    box = rules.box
    groups = {"numbers": list(box.numbers)}
    for name, level in sorted(box.level.items()):
        groups.setdefault(f"enhancements {level}", []).append(name)
    for name, location in sorted(box.locations.items()):
        groups.setdefault(f"locations {location.level}", []).append(name)
    names: dict[str, str] = {}
    for group, members in groups.items():
        free = [name for name in members if f'"{name}"' not in told]
        names.update(zip(free, luck.shuffle(group, 0, free), strict=True))
    return names


def _rename(value: Any, names: dict[str, str]) -> Any:
    """Names replaced everywhere in a state; hands and the like stay sorted."""
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, tuple):
        return tuple(_rename(item, names) for item in value)
    if not isinstance(value, msgspec.Struct):
        return value
    renamed = type(value)(*_rename(astuple(value), names))
    if isinstance(renamed, Side):
        return replace(
            renamed,
            hand=tuple(sorted(renamed.hand)),
            offered=tuple(sorted(renamed.offered)),
            enhancements=tuple(sorted(renamed.enhancements)),
        )
    if isinstance(renamed, State):
        return replace(
            renamed,
            held=tuple(tuple(sorted(known)) for known in renamed.held),
            passes=tuple(tuple(sorted(chosen)) for chosen in renamed.passes),
        )
    return renamed


def _rename_action(action: Any, names: dict[str, str]) -> Any:
    """The action with its names replaced; sorted where it was sorted."""
    data = msgspec.to_builtins(action)
    for field, value in data.items():
        if isinstance(value, list | tuple):
            renamed = [_rename(item, names) for item in value]
            data[field] = sorted(renamed) if isinstance(action, Keep | Pass) else renamed
    return msgspec.convert(data, type(action))


def _reorder(before: State, action: Any, ply: Transition, luck: Luck) -> tuple[State, Any]:
    """Another order of what lies in the deck after this ply."""
    below = len(ply.after.deck)
    if isinstance(action, Shuffle):
        seen = {"adventurers": below, "enhancements": 0, "locations": 0}[action.deck]
        keep = len(action.cards) - seen
        rest = luck.shuffle("deck", 0, action.cards[keep:])
        return before, Shuffle(action.deck, action.cards[:keep] + rest)
    keep = len(before.deck) - below
    deck = before.deck[:keep] + luck.shuffle("deck", 0, before.deck[keep:])
    return replace(before, deck=deck), action


def ending(game: PlayedGame) -> str:
    """Whether the Dragon was completed, the position was dead, or the turns ran out."""
    last: State = game.plies[-1].after
    event = game.rules.describe(*game.plies[-1][1:])[0]
    happened = [type(incident) for incident in event.then]
    by_dragon = Placed in happened and Drew not in happened  # DR-29
    assert by_dragon == (not last.ruling)
    return {"": "dragon", "DR-46": "turns", "DR-50": "dead"}[last.ruling]


def starter(game: PlayedGame) -> Seat:
    """The seat that had turn 1."""
    first: State = next(position for position in game.states if position.turn == 1)
    return first.seat
