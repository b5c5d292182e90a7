"""Runs played without processes: every discipline of arena's own games, some with faults."""

from __future__ import annotations

from collections.abc import Callable
from itertools import repeat
from pathlib import Path
from typing import Any, Final

import msgspec

from arena.games.luck import Luck, derive_key
from arena.games.registry import make_rules, rules_spec
from arena.referee.play import play_game
from arena.runs.store import Store
from arena.schedule.keys import Discipline, Schedule
from arena.values.results import BreakerPolicy, GameDone, GameSpec
from tests.games.games import OWN
from tests.referee.scripted import FakeTime, Scripted, seated, terms
from tests.runs.manifests import ENTRANT, identity_of, manifest_of

BOTS: Final = ("anna", "berta", "carla", "doris")
ONE: Final = ("dragonheart", 2)
SIZES: Final = (("dragonkrak", 4), ("dragonkrak", 1), ONE)
LONG: Final = (("dragonkrak", 3), ("dragonrealm", 2))
"""Whose games take most of a second each."""
SEED: Final = "5eed" * 16
SALT: Final = "5a17" * 16
NEVER: Final = BreakerPolicy(faults=1.0)
"""Nobody is withdrawn."""
BOT_SEEDS: Final = range(886_655_440, 886_655_444)


def disciplines(*sizes: tuple[str, int], deals: int, bots: tuple[str, ...]) -> list[Discipline]:
    specs = [(f"{name}-{seats}", rules_spec(name, seats)) for name, seats in sizes]
    return [
        Discipline(
            name, spec, bots, Schedule(deals=deals, max_pairings=1 if size in LONG else None)
        )
        for size, (name, spec) in zip(sizes, specs, strict=True)
    ]


def answer(name: str, game: str) -> Callable[[Any], Any]:
    """A legal action by chance with a remark; doris fails in every third game."""
    luck, numbers = Luck(derive_key(name, game)), iter(range(10_000))
    fails = name == "doris" and luck.below("fails", 0, 3) == 0

    def choose(asked: Any) -> Any:
        number = next(numbers)
        if fails and number == 2:
            return b"nonsense\n"
        choice = luck.below("choice", number, len(asked["legal"]))
        value: Any = "good" if (name, number) == ("carla", 1) else number / 4
        info = {"eval": value, "nodes": 10 * number} if number else "a remark, no object"
        return msgspec.json.encode(
            {"type": "action", "id": asked["id"], "action": choice, "info": info}
        )

    return choose


def finished(spec: GameSpec, rules: Any) -> GameDone:
    time = FakeTime()
    players = [Scripted(repeat(answer(name, spec.game_id))) for name in spec.entrants]
    for player in players:
        player.time = time
    conditions = terms(len(players))._replace(bot_seeds=tuple(BOT_SEEDS[: len(players)]))
    seats = [seated(player) for player in players]
    luck = Luck(derive_key("deal", spec.deal))
    game = play_game(rules, seats, spec, luck, conditions, now=time)
    silent = ("",) * len(players)
    return GameDone(game.result, game.record, silent, game.evidence, spent=game.spent)


def run_of(
    folder: Path,
    *sizes: tuple[str, int],
    deals: int = 1,
    left: int = 0,
    commitment: str = "c" * 64,
    name: str = "cup",
    bots: tuple[str, ...] = BOTS,
    breaker: BreakerPolicy = NEVER,
) -> Path:
    """A run of these sizes; the last ``left`` games are still to be played."""
    folder.mkdir(parents=True)
    found = disciplines(*(sizes or SIZES), deals=deals, bots=bots)
    identity = identity_of(
        *found,
        breaker=breaker,
        entrants={each: msgspec.structs.replace(ENTRANT, digest=each * 4) for each in bots},
    )
    manifest = msgspec.structs.replace(manifest_of(identity, commitment), name=name)
    (folder / "run.json").write_bytes(msgspec.json.encode(manifest))
    (folder / "seed.json").write_text(f'{{"seed": "{SEED}", "salt": "{SALT}"}}')
    (folder / "seed.json").chmod(0o600)
    schedule, rules = manifest.schedule(), {each.name: make_rules(each.rules) for each in found}
    with Store(folder) as store:
        for number in reversed(range(schedule.games - left)):
            spec = schedule.game_at(number)
            store.add(finished(spec, rules[spec.discipline]))
    return folder


assert {name for name, _ in (*SIZES, *LONG)} == {*OWN}
