"""Random games of every title for the tests of the viewer; no bot processes."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import msgspec

from arena.games.board import Json
from arena.games.registry import GAMES, make_rules, rules_spec
from arena.referee.records.format import Ply, pack
from arena.referee.records.perspective import plain
from arena.views.game.replay import Replay
from tests.referee.records.games import read
from tests.views.game.replays import record_of, replay_of

NAMES = ("anna", "bob", "cleo", "dora")
TITLES = tuple((name, seats) for name in GAMES for seats in GAMES[name].seats[:2])
"""With numbers of seats: the two smallest tables of each."""


@cache
def random_replay(title: str, seats: int, plies: int | None = None) -> Replay:
    """A game of random choices; of two seats the one to act may crash after ``plies``."""
    names = NAMES[:seats]
    rules = make_rules(rules_spec(title, seats=seats))
    record = record_of(rules, f"{title}-{seats}/{'+'.join(names)}:0:0", names=names, plies=plies)
    header = msgspec.structs.replace(record.header, bot_seeds=tuple(range(7001, 7001 + seats)))
    told = tuple(msgspec.structs.replace(ply, info=_info(ply)) for ply in record.plies)
    measured = msgspec.structs.replace(record.measured, wall_us=60_000_000)
    whole = record._replace(header=header, plies=told, measured=measured)
    return replay_of(rules, read(pack(whole)[0]))


def _info(ply: Ply) -> object:
    """What a talkative bot on seat 0 tells."""
    if ply.seat != 0:
        return None
    return {"eval": math.sin(ply.ply), "nodes": 10 * ply.ply, "p": {"0": 0.75}, "depth": [ply.ply]}


def opened(made: dict[str, Any]) -> dict[str, Any]:
    """What the viewer does first with a document: everything in its place."""
    made = plain(made)
    observers, views = made["observers"], made["views"]
    for name in observers if "spectator" in observers else ():
        if name != "spectator":
            pairs = zip(observers["spectator"]["steps"], observers[name]["steps"], strict=True)
            observers[name]["steps"] = [both(*pair) for pair in pairs]
    for view in views:
        told = enumerate(view["plies"])
        view["plies"] = [_of_view(ply, number, views) for number, ply in told]
        for ply in view["plies"]:
            if ply.get("legal") and isinstance(ply["legal"][0], int):  # in views that share it
                ply["legal"] = [made["words"][number] for number in ply["legal"]]
        if isinstance(view["scores"], int):
            view["scores"] = views[view["scores"]]["scores"]
    return made


def _of_view(told: Json, number: int, views: list[Json]) -> Json:
    """A ply of a view, by what stands for it there."""
    if not isinstance(told, int):
        return told
    ply = views[told if told >= 0 else -1 - told]["plies"][number]
    public = {"seat": ply["seat"], "words": ply["words"], "event": ply["event"]}
    return ply if told >= 0 else public | {"action": None, "think_us": None}


def both(one: Json, other: Json) -> Json:
    """Two patches of different members in one."""
    if one is None or other is None:
        return other if one is None else one
    assert not set(one) & set(other)
    return one | other
