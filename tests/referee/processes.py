"""Real bots of the folder ``tests/bots`` at the toy table."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from arena.games.luck import Luck
from arena.hosting.process import BotProcess
from arena.hosting.sandbox.isolation import Launch
from arena.referee.channel import PipeChannel
from arena.referee.compiled import channel_to
from arena.referee.play import GameConditions, play_game
from arena.referee.session import BotSession, Offence, handshake
from arena.values.results import GameDone, Limits, TimeControl
from tests.toy import ToyRules, toy_spec

BOTS = Path(__file__).parent.parent / "bots"
HOSTILE = {
    "hostile/life.py": "exits_at_over prints_a_banner stays_after_bye",
    "hostile/order.py": "answers_twice",
    "hostile/pipes.py": "closes_all closes_stdout floods_blank_lines floods_lines grows_its_pipes"
    " shrinks_its_pipes writes_300_kb_to_stderr",
}
"""Which of the hostile bots sit at the toy table, too."""
AMPLE = 60.0
"""Seconds that are never used up."""


def program(bot: str) -> tuple[str, str]:
    """The file in ``BOTS`` and its argument."""
    file = next((file for file, bots in HOSTILE.items() if bot in bots.split()), "toys.py")
    return file, bot


def launch(bot: str) -> Launch:
    return Launch((sys.executable, "-S", *program(bot)), str(BOTS))


def as_folder(folder: Path, name: str, bot: str = "") -> str:
    """A bot folder, which others may read; by default named like it."""
    home = shutil.copytree(BOTS, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    command = ", ".join(("python3", *program(bot or name)))
    (home / "bot.yaml").write_text(f"bot: 1\nname: {name}\ncommand: [{command}]\n")
    return name


@contextmanager
def started(
    bot: str, limits: Limits | None = None, *, pondering: bool = True
) -> Iterator[PipeChannel]:
    limits = limits or Limits()
    process = BotProcess(launch(bot))
    channel = channel_to(process, limits.reply, limits.stderr, pondering)
    try:
        yield channel
    finally:
        channel.close()


def seated(
    channel: PipeChannel, control: TimeControl, limits: Limits | None = None
) -> BotSession | Offence:
    player = handshake(channel, control, limits or Limits())
    return player._replace(stderr=channel.stderr()) if isinstance(player, Offence) else player


def play(
    *channels: PipeChannel, move: float = AMPLE, startup: float = AMPLE, note: str = ""
) -> GameDone:
    """A game on these channels by seat; ``note`` makes the first message longer."""
    control = TimeControl(move=move, startup=startup)
    # the last seat first: a short start-up time is meant for seat 0 alone
    patient = TimeControl(move=move, startup=AMPLE)
    others = [seated(channel, patient) for channel in channels[1:]]
    return play_on([seated(channels[0], control), *others], control, note)


def play_on(
    players: Sequence[BotSession | Offence], control: TimeControl | None = None, note: str = ""
) -> GameDone:
    """A game of bots that have said they are ready."""
    seats = len(players)
    control = control or TimeControl(move=AMPLE)
    options = ({"note": note},) * seats
    terms = GameConditions(control, "opaque", tuple(range(seats)), options, None)
    return play_game(ToyRules(seats), players, toy_spec(seats), Luck(b"deal"), terms)
