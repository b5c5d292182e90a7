"""What a tournament amounts to, in lines for people."""

from __future__ import annotations

import os
from collections.abc import Iterator

from arena.cli.terminal.console import out, say
from arena.config.resolved import resolved_yaml
from arena.config.tournament import Tournament
from arena.schedule.schedule import Discipline, Schedule
from arena.schedule.seeds import Seeds
from arena.text.numbers import count


def sizes(head: str, tournament: Tournament, schedule: Schedule, workers: str) -> Iterator[str]:
    """What is played, in one line; several disciplines are listed below it."""
    several = len(tournament.disciplines) > 1
    total = f"{len(tournament.disciplines)} disciplines, {schedule.games} games"
    parts = [_size(discipline, schedule) for discipline in tournament.disciplines]
    yield f"{head}  {total if several else parts[0]}, {workers}"
    if several:
        yield from (f"  {part}" for part in parts)


def _size(discipline: Discipline, schedule: Schedule) -> str:
    """``dragonheart-2, 3 entrants, 3 pairings × 50 deals × 2 seatings = 300 games``."""
    name, deals = discipline.name, count(discipline.schedule.deals, "deal")
    entrants, games = count(len(discipline.entrants), "entrant"), schedule.games_of(name)
    if discipline.rules.seats == 1:
        return f"{name}, {entrants} × {deals} = {count(games, 'game')}"
    return (
        f"{name}, {entrants}, {count(schedule.pairings(name), 'pairing')} × {deals} × "
        f"{count(schedule.seatings(name), 'seating')} = {count(games, 'game')}"
    )


def show_plan(tournament: Tournament) -> None:
    """``--dry-run``: the resolved file on standard output, what it amounts to beside it."""
    # Which seed does not matter for counting.
    schedule = Schedule(tournament.disciplines, Seeds.of(tournament.seed or ""))
    out(resolved_yaml(tournament).rstrip("\n"))
    workers = count(tournament.execution.workers or cores(), "worker")
    for line in sizes("would play", tournament, schedule, f"{workers}; nothing was started"):
        say(line)


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
