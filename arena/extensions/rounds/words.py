"""Messages during a tournament by rounds: decisions, results and pairings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import UNSET

from arena.extensions.rounds.pairing.heats import round_of
from arena.runs.field import Field, Following
from arena.schedule.keys import Schedule
from arena.schedule.kinds.registry import kind_of
from arena.schedule.pairings import Pairing
from arena.values.numbers import count
from arena.values.results import Decided, player_of
from arena.values.titles import called

_LISTED: Final = 12
"""Largest number of pairings listed; of a larger round only the number is printed."""
_BY: Final = {
    "points": "",
    "test": " by the test",
    "sudden_death": " in sudden death",
    "unbeaten": " as the unbeaten bot",
    "deals": " by deals",
    "seed": " as the better seed",
    "forfeit": " by forfeit",
}
_FINALS: Final = frozenset({"final", "second final"})


def round_lines(
    field: Field,
    follows: Following,
    pairings: Mapping[str, Sequence[Pairing]],
    resting: tuple[str, str, str],
) -> Iterator[str]:
    """Yield the lines on the newest round of a run; ``resting``: see ``RunKind``."""
    discipline = field.rounds[0][0]
    decided = () if follows.decided is UNSET else follows.decided
    if len(decided) <= _LISTED:
        yield from (_outcome(each, field) for each in decided)
    elif decided:
        yield f"{count(len(decided), 'tie')} decided"
    if not pairings:
        yield from _winner(field)
        return
    number, parts = follows.stage or 0, discipline.schedule.parts
    before = [each for each in field.follows[:-1] if each is not None]
    own = [each for each in before if (each.stage or 0) == number]
    if not own and len(parts) > 1:
        yield f"stage {number + 1} of {len(parts)}: {parts[number].kind.replace('_', ' ')}"
    met = next(iter(pairings.values()))
    text = _pairings(parts[number], follows, own, met)
    byes = ""
    if follows.byes:
        have = resting[len(follows.byes) > 1]
        byes = f"; {', '.join(map(called, follows.byes))} {have}"
    yield text if len(met) > _LISTED else f"{text}{byes}"


def _winner(field: Field) -> Iterator[str]:
    """Yield the winner of the last stage if it is a knockout; a third-place match may end later."""
    told = [each for each in field.follows if each is not None]
    last = max(each.stage or 0 for each in told)
    ends = [
        _newest(each.order[0], field)
        for own in told
        if (own.stage or 0) == last and own.decided is not UNSET
        for each in own.decided
        if each.tie in _FINALS and each.order
    ]
    if ends:
        yield f"{called(ends[-1])} wins"


def _pairings(
    plan: Schedule, follows: Following, own: Sequence[Following], met: Sequence[Pairing]
) -> str:
    """Return a line on the pairings of a round; ``own``: the earlier rounds of its stage."""
    head = f"round {follows.over + 1}"
    if follows.ties is UNSET or (kind_of(plan).ranks and len(met) > _LISTED):
        earlier = follows.over - len(own)
        return _listed(head if plan.rounds is None else f"{head} of {earlier + plan.rounds}", met)
    groups: dict[str, list[Pairing]] = {}
    for name, pairing in zip(follows.ties, met, strict=False):
        groups.setdefault(round_of(name), []).append(pairing)
    last = own[-1].ties if own and not kind_of(plan).ranks else UNSET
    again = " continues" if last is not UNSET and follows.ties[0] in last else ""
    if follows.deals is not UNSET:
        again = " continues in sudden death"
    told = "; ".join(_listed(f"{name}{again}", each) for name, each in groups.items())
    return f"{head}, {told}"


def _listed(head: str, met: Sequence[Pairing]) -> str:
    if len(met) > _LISTED:
        return f"{head}: {count(len(met), 'pairing')}"
    return f"{head}: {', '.join(' v '.join(map(called, pairing)) for pairing in met)}"


def _newest(player: str, field: Field) -> str:
    """Return the name of the player's last version, which the tables show."""
    return [name for name in field.identities if player_of(name) == player][-1]


def _outcome(decided: Decided, field: Field) -> str:
    order = [called(_newest(player, field)) for player in decided.order]
    tie, by = decided.tie, _BY.get(decided.by, "")
    if not order:
        return f"{tie}: nobody is left"
    if len(order) == 2:
        return f"{tie}: {order[0]} beats {order[1]}{by}"
    places = ", ".join(f"{place}. {name}" for place, name in enumerate(order, 1))
    return f"{tie}: {places}{by}"
