"""Check who plays each game of a tournament file and on which schedule: its disciplines.

Bots that play only some of the games are reported, with entrants for each game. A setting that
needs more entrants than are listed is not an error, because others may still enter; arena reports
it before play.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Final, Literal, NamedTuple

import msgspec

from arena.entrants.entrants import Entry, check_table
from arena.entrants.manifest import MANIFEST_FILE, plays
from arena.games.registry import make_rules
from arena.runs.config.games import ListedGame
from arena.runs.config.keys import TournamentFile
from arena.runs.config.ranking import ranked
from arena.schedule.keys import Discipline, Lineup, Schedule
from arena.schedule.kinds.fixed import MatchKind
from arena.schedule.kinds.kind import KINDS, Flaw, strangers
from arena.schedule.kinds.registry import count, fewest, foreign_keys, grows, kind_of
from arena.schedule.pairings import MAX_PAIRINGS
from arena.values import numbers
from arena.values.document import flow
from arena.values.problems import Document, KeyPath, Problems, quote
from arena.values.results import Adjudicate, RatedBy, RulesSpec

_KEYS: Final = Schedule.__struct_fields__


def disciplines(
    games: Iterable[ListedGame],
    raw: TournamentFile,
    entries: Sequence[Entry],
    document: Document,
    problems: Problems,
    *,
    has_begun: bool,
) -> list[Discipline]:
    """Return the disciplines of ``games``; report those that cannot be played.

    ``entries`` are all entrants. ``has_begun``: too few of them are left to play, not mistaken.
    """
    games = list(games)
    if _is_told(games, raw, entries, document, problems):
        return []
    fields = [_Field(game, raw, entries, document, problems) for game in games]
    played = [each.discipline(has_begun=has_begun) for each in fields]
    _check_idle(played, entries, problems)
    _check_alike(games, played, document, problems)
    return played if raw.ranking is None else ranked(raw, played, problems)


def _is_told(
    games: Sequence[ListedGame],
    raw: TournamentFile,
    entries: Sequence[Entry],
    document: Document,
    problems: Problems,
) -> bool:
    """Report bots that play only some of ``games``, with a suggestion; return whether any do."""
    schedules = [raw.schedule, *(game.file.schedule for game in games)]
    if problems.found() or any(each.stages or not kind_of(each).splits for each in schedules):
        return False  # other kinds name entrants, which might not play a game
    lists = [who_plays(game.rules, game.file.entrants, entries) for game in games]
    return offer(lists, entries, document, problems)


def _check_alike(
    games: Sequence[ListedGame],
    played: Sequence[Discipline],
    document: Document,
    problems: Problems,
) -> None:
    """Report games that differ in seats, schedule or entrants where rounds pair all together."""
    if problems.found() or len(played) == 1 or not any(grows(each.schedule) for each in played):
        return
    first = played[0]
    for game, each in zip(games[1:], played[1:], strict=True):
        here = (*game.path, "schedule")
        path = here if document.holds(here) else game.path
        if each.rules.seats != first.rules.seats:
            found = f"found {each.rules.seats} seats in rounds of {first.rules.seats}"
            problems.add(path, found, expected="games of as many seats, which are paired together")
        elif (each.schedule, each.entrants) != (first.schedule, first.entrants):
            what = "schedule" if each.schedule != first.schedule else "list of entrants"
            found = f"found another {what} than in {first.name}"
            problems.add(path, found, expected="the same: rounds pair all games together")


def _check_idle(played: Iterable[Discipline], entries: Iterable[Entry], problems: Problems) -> None:
    """Report entrants that play in no discipline."""
    if problems.found():  # a list may contain a refused value
        return
    playing: set[str] = set()
    for discipline in played:
        listed = discipline.schedule.pairings
        playing |= {name for pairing in listed for name in pairing} or set(discipline.entrants)
    for entry in entries:
        if entry.entrant.name not in playing:
            found = f"entrant {quote(entry.entrant.name)} plays no game"
            problems.add(entry.path, found, hint="no entrants or pairings of a game name it")


class _Field:
    """The entrants and the schedule of one game."""

    def __init__(
        self,
        game: ListedGame,
        raw: TournamentFile,
        entries: Sequence[Entry],
        document: Document,
        problems: Problems,
    ) -> None:
        self._game = game
        self._raw = raw
        self._entries = entries
        self._document = document
        self._problems = problems
        self._seats = game.rules.seats

    def discipline(self, *, has_begun: bool) -> Discipline:
        """Return the discipline; report settings with which it cannot be played."""
        names = self._playing()
        schedule = self._schedule()
        if self._problems.clean("entrants") and self._problems.clean(*self._game.path, "entrants"):
            self._check_size(names, schedule, 0 if has_begun else fewest(self._seats, schedule))
            self._check_kind(names, schedule, has_begun=has_begun)
        written = self._game.file.adjudicate
        adjudicate: Adjudicate | msgspec.UnsetType = msgspec.UNSET
        if written is not None:  # as run.json is read: whole numbers become floats
            adjudicate = msgspec.convert(msgspec.to_builtins(written), Adjudicate)
        return Discipline(
            self._game.name,
            self._game.rules,
            tuple(names),
            schedule,
            adjudicate,
            self._rated_by(schedule) or msgspec.UNSET,
        )

    def _rated_by(self, schedule: Schedule) -> RatedBy | None:
        """Return what the table shows; None for places."""
        file, path = self._game.file, (*self._game.path, "by")
        by = file.by
        if by is None and make_rules(self._game.rules).info.is_cooperative:
            by = RatedBy.SCORE
        if by in (None, RatedBy.PLACES) or not self._problems.clean(*path):
            return None
        found = f"found {by}"
        if file.by is None:
            found = f"found {self._game.rules.name}, whose seats share the result"
        if self._seats == 1:
            self._problems.add(path, found, hint="alone, bots are rated by their scores anyway")
        elif grows(schedule):
            hint = f"{schedule.kind} goes by places, as by: places does"
            self._problems.add(path, found, expected="a kind without rounds", hint=hint)
        elif file.adjudicate is not None:
            hint = "games that end by agreement have no scores"
            self._problems.add(path, f"{found} with adjudicate", hint=hint)
        return by

    def _playing(self) -> list[str]:
        """Return the names of those who play; report unknown ones, and too few for a table."""
        path = (*self._game.path, "entrants")
        by_name = {entry.entrant.name: entry for entry in self._entries}
        asked = self._game.file.entrants
        if asked == "able":
            return list(dict.fromkeys(who_plays(self._game.rules, asked, self._entries).names))
        if self._problems.clean(*path) and self._problems.clean("entrants"):
            for flaw in strangers(path, asked, by_name):
                self._tell(flaw, flaw.path, by_name)
        playing = [by_name[name] for name in asked if name in by_name] if asked else self._entries
        check_table(playing, self._game.rules.name, self._seats, self._problems)
        return list(dict.fromkeys(entry.entrant.name for entry in playing))

    def _schedule(self) -> Schedule:
        """Return the tournament's schedule with the game's own keys applied."""
        own = {
            key: getattr(self._game.file.schedule, key)
            for key in _KEYS
            if self._document.holds((*self._game.path, "schedule", key))
        }
        if self._seats == 1:
            self._check_solo_keys(own)
            return Schedule(deals=own.get("deals", self._raw.schedule.deals))
        schedule = msgspec.structs.replace(self._raw.schedule, **own)
        if make_rules(self._game.rules).info.teams:
            return self._of_teams(schedule)
        if self._document.holds(self._where("kind")):
            return schedule
        for kind in KINDS.values():
            if kind.implied_by and self._document.holds(self._where(kind.implied_by)):
                return msgspec.structs.replace(schedule, kind=kind.name)
        return schedule

    def _of_teams(self, schedule: Schedule) -> Schedule:
        """Return the schedule of a game of teams: matches in which an entrant plays a team."""
        where = self._where("kind")
        if self._document.holds(where) and schedule.kind != MatchKind.name:
            hint = f"{self._game.rules.name} is a game of teams, and an entrant plays one of them"
            found = f"found {quote(schedule.kind)}"
            self._problems.add(where, found, expected=quote(MatchKind.name), hint=hint)
        lineup = schedule.lineup if schedule.lineup is Lineup.ALONE else Lineup.TEAMS
        return msgspec.structs.replace(schedule, kind=MatchKind.name, lineup=lineup)

    def _check_solo_keys(self, own: Iterable[str]) -> None:
        """Report keys of the game that need several seats; the tournament may have them."""
        where = (*self._game.path, "schedule")
        single = self._document.holds(("game",))
        for key in _KEYS:
            path = (*where, key) if key in own else ("schedule", key)
            written_here = key in own or (single and self._document.holds(path))
            if key != "deals" and written_here and self._problems.clean(*path):
                hint = "everybody plays the same deals there"
                self._problems.add(path, f"found {key} at a table of one seat", hint=hint)

    def _where(self, key: str) -> KeyPath:
        """Return the path where a key of the schedule was written."""
        own = (*self._game.path, "schedule", key)
        return own if self._document.holds(own) else ("schedule", key)

    def _tell(self, flaw: Flaw, path: KeyPath, known: Collection[str] = ()) -> None:
        """Report a flaw of the value at ``path``; ``known``: the names that may be meant."""
        hint = self._problems.similar(flaw.stranger, known) if flaw.stranger else flaw.hint
        self._problems.add(path, flaw.found, expected=flaw.expected, hint=hint)

    def _check_size(self, names: Sequence[str], schedule: Schedule, least: int) -> None:
        """Check that there are at least ``least`` entrants and not too many pairings."""
        if len(names) < least:
            found = f"found {len(names)} entrant{'s'[: len(names) != 1]}"
            hint = f"{self._game.name} has {self._seats} seats" if self._seats > 2 else ""
            asked = (*self._game.path, "entrants")
            path = asked if self._document.holds(asked) else ("entrants",)
            if self._problems.clean(*path):
                self._problems.add(path, found, expected=f"at least {least}", hint=hint)
        planned = count(len(names), self._seats, schedule)
        if planned > MAX_PAIRINGS and self._problems.clean(*self._where("max_pairings")):
            found = f"found {planned:,} pairings in {self._game.name}"
            hint = "max_pairings: N plays a balanced choice of N"
            expected = f"at most {MAX_PAIRINGS:,}"
            self._problems.add(self._where("max_pairings"), found, expected=expected, hint=hint)

    def _check_kind(self, names: Sequence[str], schedule: Schedule, *, has_begun: bool) -> None:
        """Check that the keys of the schedule go together and name entrants."""
        known = dict.fromkeys(names)  # a list would be searched for every name
        if not self._problems.clean(*self._where("kind")):
            return
        found = [*foreign_keys(schedule), *self._flaws(known, schedule)]
        for flaw in [each for each in found if self._is_read(each)]:
            if flaw.is_size and has_begun:
                continue
            key, *below = flaw.path
            self._tell(flaw, (*self._where(str(key)), *below), known)

    def _flaws(self, known: Collection[str], schedule: Schedule) -> Iterator[Flaw]:
        """Return the flaws of ``schedule``, without stages after one that could not be read."""
        stages, place = schedule.stages, self._where("stages")
        clean = (self._problems.clean(*place, number) for number in range(len(stages)))
        read = [stage for stage, _ in zip(stages, takewhile(bool, clean), strict=False)]
        readable = msgspec.structs.replace(schedule, stages=tuple(read))
        return kind_of(schedule).flaws(readable, known, self._seats)

    def _is_read(self, flaw: Flaw) -> bool:
        """Return whether all keys from which ``flaw`` follows could be read."""
        key, *below = flaw.path
        stage = below[:1] if key == "stages" else []
        paths = [(*self._where(str(key)), *stage), *map(self._where, flaw.needs)]
        return all(self._problems.clean(*path) for path in paths)


def excess(disciplines: Iterable[Discipline]) -> list[str]:
    """Return a sentence for each setting that needs more entrants, without repetitions.

    Games that are paired together have the same sentences.
    """
    return list(dict.fromkeys(text for each in disciplines for text in _of(each)))


def _of(discipline: Discipline) -> Iterator[str]:
    plan, seats, names = discipline.schedule, discipline.rules.seats, discipline.entrants
    if seats == 1:
        return
    if plan.max_pairings is not None:
        total = count(len(names), seats, msgspec.structs.replace(plan, max_pairings=None))
        if plan.max_pairings > total:
            yield (
                f"max_pairings: found {plan.max_pairings}, and {discipline.name} has only "
                f"{numbers.count(total, 'pairing')}: all are played"
            )
    yield from kind_of(plan).excess(plan, names, seats)


_NAMED: Final = 5
"""Number of bots that are named; the others are counted."""


class Playing(NamedTuple):
    """The entrants of a game, and how many it needs."""

    names: tuple[str, ...]
    is_asked: bool
    """True if the file lists them; otherwise they are all entrants that can play."""
    least: int
    """Least number of entrants of the game."""


def who_plays(
    rules: RulesSpec, asked: tuple[str, ...] | Literal["able"], entries: Sequence[Entry]
) -> Playing:
    """Return the entrants of a game.

    ``asked``: names from the file, ``able`` for all that can play it, empty for all entrants.
    """
    able = tuple(
        each.entrant.name
        for each in entries
        if each.bot is None or plays(each.bot.manifest, rules.name, rules.seats)
    )
    names = able if asked == "able" else asked or able
    return Playing(names, bool(asked), 1 if rules.seats == 1 else max(2, rules.seats))


def offer(
    lists: Sequence[Playing], entries: Sequence[Entry], document: Document, problems: Problems
) -> bool:
    """Report bots that play only some of the games, and show ``games`` with suitable entrants.

    ``lists``: entrants of each of the games. Nothing is reported if there is no such bot, if a bot
    plays no game, or if a game would have too few entrants. Return whether a problem was reported.
    """
    written = document.value.get("games") if isinstance(document.value, dict) else None
    names = [each.entrant.name for each in entries]
    everybody = {name for each in lists for name in each.names}
    is_enough = all(len(each.names) >= each.least for each in lists)
    lacking = [name for name in names if any(name not in e.names and not e.is_asked for e in lists)]
    if not isinstance(written, list) or not (lacking and is_enough and everybody >= {*names}):
        return False
    lines = ["games:"]
    for entry, playing in zip(written, lists, strict=True):
        if not playing.is_asked and len(playing.names) < len(names):
            game = entry if isinstance(entry, dict) else {"rules": entry}
            entry = {**game, "entrants": list(playing.names)}
        lines.append(f"  - {flow(entry)}")
    one = len(lacking) == 1
    which = "entrant that by its" if one else "entrants that by their"
    found = f"found {len(lacking)} {which} {MANIFEST_FILE} {'does' if one else 'do'} not play all"
    expected = "\n".join(["entrants for each game, such as", *lines, ""])
    problems.add(("games",), f"{found}: {_listed(lacking)}", expected=expected)
    return True


def _listed(names: Sequence[str]) -> str:
    shown = [quote(name) for name in names[:_NAMED]]
    more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED else []
    return numbers.listed([*shown, *more])
