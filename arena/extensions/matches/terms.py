"""Plan a match of bots, without a tournament file or with the settings of one."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from arena import extensions
from arena.entrants.entrants import Entrant, EntrantKind, numbered
from arena.entrants.names import is_builtin, is_engine, split
from arena.extensions.matches.options import PlaySettings
from arena.games.registry import GAMES, make_rules
from arena.runs.config.keys import Names
from arena.runs.config.tournament import (
    Tournament,
    command_line_tournament,
    game_of,
    load_tournament,
    quick_entry,
)
from arena.schedule.keys import Discipline, Lineup, Schedule
from arena.schedule.kinds.fixed import MatchKind
from arena.values.problems import (
    KeyPath,
    Mark,
    Plain,
    did_you_mean,
    either,
    failure,
    quote,
    shown_path,
)
from arena.values.results import RulesSpec, Then

DEALS: Final = 1_000_000
"""Number of planned deals in each discipline of a match.

No match needs all of them. A match ends with a verdict or when the allowed games are used up, and
can continue when more games are allowed.
"""


class Contestant(NamedTuple):
    """A bot as given on the command line, with the equivalent entry of a tournament file."""

    text: str
    """Text on the command line."""
    entry: dict[str, Plain]
    """Equivalent entry of a tournament file."""


class Terms(NamedTuple):
    """A checked match of two or more bots, ready to be played."""

    tournament: Tournament
    """Tournament whose entrants are the candidates in their order, then the baseline if any."""
    commits: tuple[str, ...]
    """Commits of the entrants, in hex; empty for entrants that are in no revision."""
    given: tuple[str, ...]
    """Candidates and baseline as they were requested."""


def match_terms(
    bots: Sequence[str],
    settings: PlaySettings,
    lineup: Lineup | None = None,
    *,
    baseline: str | None = None,
    then: Then = Then.STOP,
) -> Terms:
    """Plan unrated matches of every two bots in one or several games.

    ``bots`` are folders, folders at a revision (``bots/mine@v1``; ``@v1`` alone: of the first bot's
    folder), commands, or with a file names of its entrants. ``baseline``: the last of them, if all
    others meet it alone. ``then``: what follows from many faults. Raises ConfigError.
    """
    tournament, commits = _bots_and_games(bots, settings)
    breaker = msgspec.structs.replace(tournament.breaker, then=then)
    tournament = msgspec.structs.replace(tournament, ratings=None, breaker=breaker)
    return Terms(_planned(tournament, baseline, lineup), commits, tuple(bots))


def _bots_and_games(
    given: Sequence[str], settings: PlaySettings
) -> tuple[Tournament, tuple[str, ...]]:
    """Return the requested bots and games under the settings of a file, if any, and the commits.

    ``@REV`` alone refers to the folder of the first bot. Raises ConfigError.
    """
    _check_overrides(settings.settings, of_file=settings.file is not None)
    if settings.file is not None:
        return _of_file(settings.file, given, settings)
    if not settings.games:
        raise failure("command line", "found no game", "-g GAME, or --file FILE with games")
    folder, _ = split(given[0])
    asked = [contestant(text, folder if index else "") for index, text in enumerate(given)]
    games = [game_of(text) for text in settings.games]
    tournament = default_tournament(asked, games, settings.seed, settings.settings)
    return tournament, tuple(map(commit_at, tournament.entrants))


def _check_overrides(overrides: Sequence[str], *, of_file: bool) -> None:
    """Refuse settings that a match decides itself, as they would be ignored or contradict it.

    ``of_file``: whether they change a tournament file, which names the entrants and games.
    """
    for override in overrides:
        name = override.partition("=")[0]
        keys = name.split(".")
        where = f"--set {override}"
        if "schedule" in keys or keys[0] == "ratings":
            raise failure(where, f"found {quote(name)}", hint="a match has its own")
        if keys[0] == "seed":
            raise failure(where, "found the seed", "--seed")
        if not of_file and (keys[0] == "entrants" or name in ("game", "games")):
            raise failure(where, f"found {quote(name)}", "what is played as arguments and -g")


def contestant(text: str, folder: str) -> Contestant:
    """Return the bot that ``text`` requests.

    ``folder`` is used if ``text`` is only a revision, such as ``@v1``.
    """
    path, revision = (text, None) if is_engine(text) else split(text)
    is_alone = revision is not None and not path
    return Contestant(text, {"bot": f"{folder}@{revision}"} if is_alone else quick_entry(text))


def commit_at(entrant: Entrant) -> str:
    """Return the commit that an entrant was taken from or equals, in hex; empty if none."""
    if entrant.kind is not EntrantKind.BOT or entrant.builtin or entrant.engine:
        return ""
    place = extensions.places("sources").get("commit")
    found: str = entrant.commit or (extensions.load(place)(entrant.folder) if place else "")
    return found


def folder_of(entrant: Entrant) -> str:
    """Return the folder that contains an entrant, regardless of the revision."""
    return entrant.revision.rpartition("@")[0] or entrant.given


def default_tournament(
    contestants: Sequence[Contestant],
    games: Sequence[tuple[str, int | None]],
    seed: str | None,
    overrides: Sequence[str],
) -> Tournament:
    """Return a checked tournament of the bots in these games, with default settings.

    Raises ConfigError.
    """
    here = Path.cwd()
    value: dict[str, Plain] = {
        "arena": 1,
        "entrants": [dict(each.entry) for each in contestants],
        "names": Names.HIDDEN.value,
        "breaker": {"then": Then.STOP.value},
    }
    marks: dict[KeyPath, Mark] = {(): Mark("command line", here)}
    for index, each in enumerate(contestants):
        for key in each.entry:
            marks["entrants", index, key] = Mark(each.text, here)
    if seed is not None:
        value["seed"] = seed
        marks["seed",] = Mark(f"--seed {seed}", here)
    files: list[Plain] = []
    for index, (rules, seats) in enumerate(games):
        path: KeyPath = ("games", index) if len(games) > 1 else ("game",)
        marks[path] = Mark(f"-g {rules}", here)
        files.append(_game_file(rules, seats))
    value |= {"games": files} if len(games) > 1 else {"game": files[0]}
    return command_line_tournament(value, marks, default_name="match", overrides=overrides)


def _game_file(rules: str, seats: int | None) -> dict[str, Plain]:
    game: dict[str, Plain] = {"rules": rules}
    if seats is not None:
        game["seats"] = seats
    game["schedule"] = {"deals": DEALS}
    if seats != 1:
        game["schedule"] = {"deals": DEALS, "kind": MatchKind.name}
    return game


def _of_file(
    file: Path, given: Sequence[str], asked: PlaySettings
) -> tuple[Tournament, tuple[str, ...]]:
    """Return entrants and commits for the games, clock, limits and isolation of a file."""
    settings = list(asked.settings)
    if asked.seed is not None:
        settings.append(f"seed={msgspec.json.encode(asked.seed).decode()}")
    tournament = load_tournament(file, settings)
    if tournament.learning is not None:
        expected = "a file without it: a match has no rounds after which bots could have learnt"
        raise failure(shown_path(file), "found learning", expected)
    disciplines = tuple(chosen(tournament, asked.games))
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
        others = list(strangers.values())
        level = [f"isolation.level={tournament.isolation.value}"]
        rules = list(dict.fromkeys((each.rules.name, each.rules.seats) for each in disciplines))
        played = default_tournament(others if len(others) > 1 else others * 2, rules, None, level)
        found |= dict(zip(strangers, played.entrants, strict=False))
        commits |= {text: commit_at(found[text]) for text in strangers}
    names = numbered([found[text].name for text in given])
    entrants = tuple(
        msgspec.structs.replace(found[text], name=name)
        for text, name in zip(given, names, strict=True)
    )
    tournament = msgspec.structs.replace(tournament, entrants=entrants, disciplines=disciplines)
    return tournament, tuple(commits[text] for text in given)


def chosen(tournament: Tournament, games: Sequence[str]) -> Iterator[Discipline]:
    """Yield the requested games of the file, each once."""
    known = {discipline.name: discipline for discipline in tournament.disciplines}
    taken: set[str] = set()
    for text in games or known:
        rules, seats = game_of(text)
        wanted = [
            each
            for each in tournament.disciplines
            if each.name == text or _is_of(each.rules, rules, seats)
        ]
        where, found = f"-g {text}", f"found {quote(text)}"
        if not wanted:
            names = either([quote(name) for name in known])
            raise failure(where, found, names, did_you_mean(text, known))
        name = wanted[0].name
        if name in taken:
            raise failure(where, f"{found}, which is the game {quote(name)} a second time")
        taken.add(name)
        yield wanted[0]


def _is_of(spec: RulesSpec, name: str, seats: int | None) -> bool:
    """Return whether rules have this name and size; ``seats``: None for the usual size."""
    return spec.name == name and spec.seats == (seats or GAMES[name].default_seats)


def check_contestant(text: str, file: Path, known: Collection[str]) -> None:
    """Raise ConfigError if ``text`` neither names an entrant of ``file`` nor looks like a bot.

    ``known``: names of the entrants.
    """
    if text in known or split(text)[1] is not None or os.path.exists(text) or " " in text:
        return
    if is_builtin(text) or is_engine(text):
        return
    names = either([quote(name) for name in known])
    expected = f"a bot, or an entrant of {shown_path(file)}: {names}"
    raise failure(text, f"found {quote(text)}", expected, did_you_mean(text, known))


def _planned(tournament: Tournament, baseline: str | None, lineup: Lineup | None) -> Tournament:
    """Return the tournament with matches of every two entrants, or of each with the baseline.

    ``baseline``: the last entrant as it was requested, or None: then every two entrants meet.
    """
    names = tuple(entrant.name for entrant in tournament.entrants)
    *candidates, last = names
    disciplines = []
    for each in tournament.disciplines:
        schedule = Schedule(deals=DEALS)
        if each.rules.seats > 1:
            schedule = Schedule(
                kind=MatchKind.name,
                deals=DEALS,
                seatings=each.schedule.seatings,
                lineup=lineup_of(each.rules, lineup),
                focus=tuple(candidates) if lineup is Lineup.ALONE else (),
                pairings=() if baseline is None else tuple((name, last) for name in candidates),
            )
        disciplines.append(msgspec.structs.replace(each, entrants=names, schedule=schedule))
    return msgspec.structs.replace(tournament, disciplines=tuple(disciplines))


def lineup_of(rules: RulesSpec, asked: Lineup | None) -> Lineup | None:
    """Return the lineup of a match: that of teams if the rules have teams.

    Raises ConfigError for a game whose seats share the result, and if ``asked`` is alone at a game
    of teams.
    """
    info = make_rules(rules).info
    if info.is_cooperative:
        found = f"found {rules.name}, whose seats share the result"
        raise failure("-g", found, hint="arena run rates bots by their mean scores")
    if not info.teams:
        return asked
    if asked is Lineup.ALONE:
        found = f"found alone, but {rules.name} is a game of teams"
        raise failure("--lineup", found, hint="one entrant plays a whole team")
    return Lineup.TEAMS


def lineup_text(discipline: Discipline) -> str:
    """Return the line-up in words: ``2 v 2``."""
    seats, schedule = discipline.rules.seats, discipline.schedule
    if seats == 1:
        return "alone"
    if schedule.lineup is Lineup.TEAMS:
        return f"teams of {seats // 2}"
    if schedule.lineup is Lineup.ALONE:
        return f"1 v {seats - 1}"
    if seats % 2:
        return f"{seats // 2} v {seats - seats // 2} and {seats - seats // 2} v {seats // 2}"
    return f"{seats // 2} v {seats // 2}"
