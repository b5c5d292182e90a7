"""Plan a match of several candidates, without a tournament file or with the settings of one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from arena.config.matches import (
    DEALS,
    Contestant,
    check_contestant,
    check_overrides,
    chosen,
    commit_at,
    contestant,
    failure,
    folder_of,
    game_of,
    lineup_of,
    quick,
)
from arena.config.tournament import Tournament, load_tournament
from arena.documents.problems import printable, quote
from arena.entrants.entrants import Entrant
from arena.entrants.revisions import split
from arena.results import Then
from arena.schedule.keys import Lineup, Schedule
from arena.schedule.kinds.fixed import MatchKind
from arena.schedule.schedule import Discipline

MOST: Final = 64
"""Largest number of candidates; every two of them meet in each round."""


class FamilyTerms(NamedTuple):
    """A checked match of several candidates, perhaps with a baseline, ready to be played."""

    tournament: Tournament
    """Tournament whose entrants are the candidates in their order, then the baseline if any."""
    commits: tuple[str, ...]
    """Commits of the entrants, in hex; empty for entrants that are in no revision."""
    given: tuple[str, ...]
    """Candidates and baseline as they were requested."""


def family_terms(
    candidates: Sequence[str],
    baseline: str | None,
    games: Sequence[str],
    *,
    file: Path | None = None,
    lineup: Lineup | None = None,
    seed: str | None = None,
    overrides: Sequence[str] = (),
) -> FamilyTerms:
    """Plan matches of every two candidates, or of each candidate against the baseline.

    The bots and games are written as for ``match_terms``; ``@REV`` alone refers to the first
    candidate's folder. Raises ConfigError, also if a bot is given twice.
    """
    check_overrides(overrides, of_file=file is not None)
    given = (*candidates, *([] if baseline is None else [baseline]))
    _check_texts(candidates, baseline)
    if file is not None:
        tournament, commits = _of_file(file, given, games, seed, overrides)
    elif not games:
        raise failure("command line", "found no game", "-g GAME, or --file FILE with games")
    else:
        asked = _contestants(given)
        tournament = quick(asked, [game_of(text) for text in games], seed, overrides)
        commits = tuple(map(commit_at, tournament.entrants))
    names = tuple(entrant.name for entrant in tournament.entrants)
    played = tuple(_planned(each, names, baseline, lineup) for each in tournament.disciplines)
    changed = msgspec.structs.replace(
        tournament,
        disciplines=played,
        ratings=None,
        breaker=msgspec.structs.replace(tournament.breaker, then=Then.IGNORE),
    )
    return FamilyTerms(changed, commits, given)


def _check_texts(candidates: Sequence[str], baseline: str | None) -> None:
    if len(candidates) > MOST:
        raise failure("command line", f"found {len(candidates)} candidates", f"at most {MOST}")
    for index, text in enumerate(candidates):
        where = printable(text)
        if text == baseline:
            raise failure(where, "found the baseline among the candidates", "other bots")
        if text in candidates[:index]:
            raise failure(where, f"found {quote(printable(text))} a second time", "each bot once")


def _contestants(given: Sequence[str]) -> list[Contestant]:
    folder, _ = split(given[0])
    return [contestant(text, folder if index else "") for index, text in enumerate(given)]


def _of_file(
    file: Path,
    given: Sequence[str],
    games: Sequence[str],
    seed: str | None,
    overrides: Sequence[str],
) -> tuple[Tournament, tuple[str, ...]]:
    """Return entrants and commits for the games, clock, limits and isolation of a file."""
    settings = list(overrides)
    if seed is not None:
        settings.append(f"seed={msgspec.json.encode(seed).decode()}")
    tournament = load_tournament(file, settings)
    disciplines = tuple(chosen(tournament, games))
    known = {entrant.name: entrant for entrant in tournament.entrants}
    for text in given:
        check_contestant(text, file, known)
    folder = folder_of(known[given[0]]) if given[0] in known else split(given[0])[0]
    strangers = {
        text: contestant(text, folder if index else "")
        for index, text in enumerate(given)
        if text not in known
    }
    found: dict[str, Entrant] = {text: known[text] for text in given if text in known}
    commits = {text: entrant.commit for text, entrant in found.items()}
    if strangers:  # checked against the games of the file; a single one is doubled for the check
        asked = list(strangers.values())
        level = [f"isolation.level={tournament.isolation.value}"]
        rules = list(dict.fromkeys((each.rules.name, each.rules.seats) for each in disciplines))
        played = quick(asked if len(asked) > 1 else asked * 2, rules, None, level)
        found |= dict(zip(strangers, played.entrants, strict=False))
        commits |= {text: commit_at(found[text]) for text in strangers}
    entrants = _apart([found[text] for text in given])
    return (
        msgspec.structs.replace(tournament, entrants=tuple(entrants), disciplines=disciplines),
        tuple(commits[text] for text in given),
    )


def _apart(entrants: Sequence[Entrant]) -> list[Entrant]:
    """Return ``entrants`` with distinct names; a bot of the file and another may share a name."""
    taken: set[str] = set()
    apart = []
    for entrant in entrants:
        name, number = entrant.name, 1
        while name.lower() in taken:
            number += 1
            name = f"{entrant.name[:56]}-{number}"
        taken.add(name.lower())
        apart.append(msgspec.structs.replace(entrant, name=name))
    return apart


def _planned(
    discipline: Discipline, names: tuple[str, ...], baseline: str | None, lineup: Lineup | None
) -> Discipline:
    schedule = Schedule(deals=DEALS)
    if discipline.rules.seats > 1:
        *candidates, last = names
        pairings = () if baseline is None else tuple((name, last) for name in candidates)
        schedule = Schedule(
            kind=MatchKind.name,
            deals=DEALS,
            seatings=discipline.schedule.seatings,
            lineup=lineup_of(discipline.rules, lineup),
            focus=tuple(candidates) if lineup is Lineup.ALONE else (),
            pairings=pairings,
        )
    return msgspec.structs.replace(discipline, entrants=names, schedule=schedule)
