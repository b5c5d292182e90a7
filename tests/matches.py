"""Games between real bot processes, without tournament files and command line."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.games.base import Rules
from arena.games.luck import Luck, derive_key
from arena.games.registry import make_rules, rules_spec
from arena.hosting.process import BotProcess
from arena.hosting.sandbox.isolation import Launch
from arena.referee.compiled import channel_to
from arena.referee.play import GameConditions, play_game
from arena.referee.session import BotSession, Offence, handshake
from arena.values.results import GameDone, GameSpec, Limits, TimeControl

UNLIMITED = TimeControl(move=None, startup=60.0)
"""No game of these tests is decided by the speed of the machine."""


def dragonheart(**options: str) -> Rules[Any, Any]:
    """The rules with their default deck."""
    return make_rules(rules_spec("dragonheart", options=options))


def python_bot(folder: Path, source: str) -> Launch:
    """A bot of one Python file, written to ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "main.py").write_text(source, "utf-8")
    return Launch((sys.executable, "main.py"), str(folder))


@contextmanager
def seated(
    launches: Sequence[Launch], control: TimeControl = UNLIMITED
) -> Iterator[list[BotSession | Offence]]:
    """A running process of each bot, or why there is none; all have ended afterwards."""
    channels = [channel_to(BotProcess(launch), 64 * 1024, 64 * 1024) for launch in launches]
    try:
        players = [handshake(channel, control, Limits()) for channel in channels]
        yield players
        for player in players:
            if isinstance(player, BotSession):
                player.dismiss()
    finally:
        for channel in channels:
            channel.close(0.5)


def play(
    rules: Rules[Any, Any],
    players: Sequence[BotSession | Offence],
    deal: int,
    control: TimeControl = UNLIMITED,
    options: Sequence[Mapping[str, int]] = (),
) -> GameDone:
    """One game; everything random in it depends on ``deal`` alone. ``options``: by seat."""
    entrants = tuple("abcd"[: len(players)])
    spec = GameSpec(f"{deal}:0", f"{deal}", f"{deal}", 0, entrants)
    seeds = tuple(deal * len(players) + seat for seat in range(len(players)))
    terms = GameConditions(
        control, f"{deal:016x}", seeds, options or ({},) * len(players), entrants
    )
    return play_game(rules, players, spec, Luck(derive_key("deal", deal)), terms)
