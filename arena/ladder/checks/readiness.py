"""Builds the bots of a ladder, and finds those that cannot be built on this machine now.

These versions passed the check of admission with the same files. So a failure here is a fault of
the machine: a missing program, another compiler, a cache that cannot be written.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from arena.config.ladder import Ladder, Member
from arena.config.tournament import Tournament
from arena.documents.problems import ConfigError, Problems
from arena.entrants.folders import Bounds, FolderError
from arena.entrants.manifest import load_bot, missing_programs
from arena.ladder.store import digest_of
from arena.runs.disk import StoreError
from arena.tournament.jobs import PoolError
from arena.tournament.local.players import built
from arena.tournament.prepare import with_bots

_UNBUILT: Final = "it can be built no longer"

Unready: TypeAlias = Callable[[str, Sequence[str]], object]
"""Called with the name of a bot and the reason. The reason is empty for an exception that building
the bot has raised and that is being handled."""


def planned(ladder: Ladder, members: Sequence[Member], unready: Unready) -> Tournament:
    """Return what a ladder plays with these bots. Raises ConfigError.

    Before that, ``unready`` is called with each bot for which the machine lacks a program.
    """
    try:
        return ladder.tournament(members)
    except ConfigError:
        for each in members:
            if said := _lacking(ladder, each):
                unready(each.name, said)
        raise


def _lacking(ladder: Ladder, member: Member) -> Sequence[str]:
    """Return the programs that a bot needs and the machine lacks.

    Returns nothing if the bot's files have changed, as these may need other programs.
    """
    try:
        ladder.tournament([member])
    except ConfigError:
        with contextlib.suppress(ConfigError, FolderError):
            bot = load_bot(member.folder)
            if digest_of(member.folder) == member.folder.name:
                return _texts(missing_programs(bot, built=False))
    return ()


def _texts(problems: Problems) -> Sequence[str]:
    try:
        problems.raise_if_any()
    except ConfigError as error:
        return [*dict.fromkeys(each.found for each in error.problems)]
    return ()


def with_all_bots(
    tournament: Tournament, anchors: int, bounds: Bounds, unready: Unready
) -> Tournament:
    """Return a tournament with its bots built, of which the first are anchors.

    ``bounds`` limit what a build of the others may leave. ``unready`` is called with each of the
    others that cannot be built. Raises what building raised: ConfigError, StoreError, PoolError, or
    for a bug any exception.
    """
    try:
        return with_bots(tournament, bounds=bounds, unbounded=anchors)
    except (StoreError, PoolError):
        raise
    except Exception:
        readable = tournament.readable
        built(tournament.entrants[:anchors], readable)
        for each in tournament.entrants[anchors:]:
            try:
                built([each], readable, bounds=bounds)
            except ConfigError as error:
                lines = [line for each in error.problems for line in each.found.splitlines()]
                unready(each.name, [_UNBUILT, *lines])
            except Exception:
                unready(each.name, ())
        raise
