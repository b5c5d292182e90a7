"""The standings of a run, computed from its folder, and the files of tables in that folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import (
    Callable,
    Collection,
    Container,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from arena import extensions
from arena.ratings.counting.tally import Tally
from arena.ratings.counting.usage import CostTally
from arena.referee.records.format import AGREED
from arena.runs.config.keys import Names
from arena.runs.disk import write_atomically, writing
from arena.runs.growth.rulings import told
from arena.runs.manifest import Manifest
from arena.runs.reader import StoredGame, StoredRun
from arena.runs.voids import Void
from arena.runs.withdrawals import WithdrawalState
from arena.schedule.keys import Discipline
from arena.schedule.schedule import Schedule
from arena.values.bad_input import printable
from arena.values.numbers import GameCount, count, listed
from arena.values.results import DISCIPLINE_JOINT, OVERALL, VoidCause
from arena.values.titles import called
from arena.views.standings.counted import Counted, is_scored, known_as, out_of
from arena.views.standings.run_view import view_of

if TYPE_CHECKING:
    from arena.ratings.counting.usage import MachineNumbers
    from arena.ratings.elo.rating import RatingFit
    from arena.ratings.elo.scale import Anchor, Model
    from arena.views.standings.tables import Section, Voids, Withdrawn


FORMS = ("txt", "md", "csv", "json")
_REPEATED = 0.1
"""Least share of repeated games that is stated; fewer make intervals at most 5 % too narrow."""
TRF = "trf"
"""Format of the report file of a Swiss run; no form of a table."""


class StandingsTable(NamedTuple):
    """Standings: a section for each discipline, and one for all if there are several."""

    source: str
    """Title of the run, or name of the file of results."""
    sections: tuple[Section, ...]


class SectionData(NamedTuple):
    """A section and the numbers from which its panels are made."""

    section: Section
    tally: Tally
    """Tally of this section alone."""
    ratings: RatingFit | None
    """Ratings of the section; None for mean scores."""
    clean: Tally | None = None
    """Tally without blocks with faults; None if no block or every block has a fault."""
    games: Callable[[], Iterable[StoredGame]] = tuple
    """Function that reads the games that count, in order of arrival; for results of several runs
    or of files it gives none. It raises StoreError."""
    page: str = "full"
    """Page that shows the section: ``full``, ``report`` or ``site``."""


class Combining(Protocol):
    """Function that returns the sections of several runs and files of results together."""

    def __call__(
        self,
        sources: Sequence[tuple[Path, str]],
        model_of: Callable[[Collection[str], Sequence[tuple[str, Anchor]]], Model],
        *,
        joined: bool = False,
        full: bool = False,
        history: Sequence[str] = (),
    ) -> list[SectionData]:
        """Count the games of all ``sources``, each a path and the name that the user gave it.

        ``model_of``: returns the model of the ratings by the names of the bots, and by the anchors
        of the runs, each with the name of its run. ``joined``: count all versions of a bot as one.
        ``full``: also without faults, for a full page. ``history``: bots whose versions are shown
        over time, in the panels of the section. Raises BadInput or StoreError.
        """


def table_of(run: StoredRun, asked: Model | None = None) -> StandingsTable:
    """Compute the standings from the stored games.

    ``asked``: model of the ratings; None: by the settings of the run. Raises StoreError.
    """
    sections = sections_of(run, *read(run), asked)
    return StandingsTable(run.manifest.title, tuple(each.section for each in sections))


def read(
    run: StoredRun,
    excluded: Container[int] = frozenset(),
    look: Callable[[StoredGame], object] | None = None,
    drop: Callable[[StoredGame], object] | None = None,
    *,
    with_costs: bool = False,
) -> tuple[Counted, WithdrawalState, list[Void]]:
    """Count the stored games, without those of withdrawn bots.

    ``excluded``: numbers of games that do not count. ``look``: called with each game, counted or
    not. ``drop``: called after that with each game that is not excluded and does not count. Raises
    StoreError.
    """
    voids = list(run.voids())
    again = {void.game for void in voids}
    counted = first = Counted(run, {}, again, excluded)
    counted.costs = CostTally() if with_costs else None

    def count(game: StoredGame) -> None:
        first.add(game)
        if look is not None:
            look(game)

    verdict = run.withdrawals(counted.add if look is None else count)
    if verdict.withdrawn:
        counted = Counted(run, out_of(run, verdict.withdrawn), again, excluded)
        counted.costs = CostTally() if with_costs else None
        counted.dropped = drop
        _counted(run, counted)
    if drop is not None:
        for game in counted.held():
            drop(game)
    return counted, verdict, voids


def _counted(run: StoredRun, counted: Counted) -> Counted:
    for game in run.games():
        counted.add(game)
    return counted


def parts_of(run: StoredRun, asked: Model | None = None) -> list[SectionData]:
    """Return the sections of the standings with the numbers behind them.

    ``asked``: see ``table_of``. Raises StoreError.
    """
    return full_parts(run, *read(run, with_costs=True), asked=asked)


def full_parts(
    run: StoredRun,
    counted: Counted,
    verdict: WithdrawalState,
    voids: Sequence[Void],
    excluded: Container[int] = frozenset(),
    asked: Model | None = None,
) -> list[SectionData]:
    """Return the sections of games that ``read`` counted, for a full page. Raises StoreError."""
    clean = clean_of(run, counted, verdict, excluded)
    machines = _machines(run, counted, voids, excluded)
    parts = []
    for part in sections_of(run, counted, verdict, voids, asked):
        own = None
        if part.ratings is not None and clean is not None and clean.games.total():
            own = clean.tally
            if part.section.title != OVERALL:
                own = own.only(part.section.title, part.tally.entrants)
        section = part.section
        if counted.costs is not None and section.title in counted.games:
            names = [row.name for row in section.standings.rows]
            section = section._replace(costs=counted.costs.numbers(section.title, names))
        parts.append(part._replace(clean=own, section=section))
    if machines:
        parts[-1] = parts[-1]._replace(section=parts[-1].section._replace(machines=machines))
    return parts


def clean_of(
    run: StoredRun,
    counted: Counted,
    verdict: WithdrawalState,
    excluded: Container[int] = frozenset(),
) -> Counted | None:
    """Return the counts without blocks with faults; None if no block has a fault."""
    if not counted.faulty:
        return None
    out = out_of(run, verdict.withdrawn)
    return _counted(run, Counted(run, out, set(), excluded, counted.faulty))


def _machines(
    run: StoredRun, counted: Counted, voids: Sequence[Void], excluded: Container[int]
) -> tuple[MachineNumbers, ...]:
    """Return the numbers of each machine if there are several; withdrawn bots are included."""
    if len(counted.machines.union(known_as(void.machine) for void in voids)) < 2:
        return ()
    from arena.ratings.counting.usage import MachineTally

    tally = MachineTally()
    for game in run.games():
        if game.number not in excluded:
            tally.add(known_as(game.stored.machine), game.result)
    for void in voids:
        tally.add_void(known_as(void.machine), void.cause)
    return tally.numbers()


def sections_of(
    run: StoredRun,
    counted: Counted,
    verdict: WithdrawalState,
    voids: Sequence[Void],
    asked: Model | None = None,
) -> Iterator[SectionData]:
    """Yield a section for each discipline, and one for all if there are several.

    ``asked``: see ``table_of``. Raises StoreError.
    """
    manifest, schedule = run.manifest, run.schedule
    hides = manifest.identity.names is Names.HIDDEN and not run.is_opened
    made = manifest.field.made
    ruled = [words for _, words in told(made, hides_games=hides)] if made else ()
    stopped = (*_stopped(verdict), *run.notices, *ruled)
    cards: dict[str, None] = {}
    several = len(manifest.disciplines) > 1
    for discipline in manifest.disciplines:
        facts = manifest.games[discipline.name]
        notices: tuple[str, ...] = (facts.data,) if facts.data else ()
        cards |= dict.fromkeys(notices)
        prefix = f"{discipline.name}{DISCIPLINE_JOINT}"
        own = [void for void in voids if void.game.startswith(prefix)]
        losses = losses_of(schedule, discipline.name, discipline.entrants, counted, verdict, own)
        planned = planned_games(schedule, discipline.name, verdict, counted)
        planned -= annulled_games(run, discipline.name, verdict)
        games = counted.count_of(discipline.name, planned)
        progress = _progress(manifest, games)
        notices += tuple(_endings(discipline.name, facts.endings, counted))
        notices += tuple(_repeated(discipline, counted))
        notices += tuple(gone_words(schedule, discipline.entrants, verdict))
        notices += _cut_words(counted.cut_of(discipline.name))
        notices += _refilled(manifest, discipline.name)
        model = _model(manifest, discipline.entrants, verdict, asked)
        notices += _without_anchor(manifest, discipline, verdict, asked)
        notices += progress if several else (*progress, *stopped)
        part = _section(discipline, counted.tally, verdict, model, notices, losses)
        part = part._replace(games=partial(counted.reread, run, discipline.name))
        yield _finished(run, part, verdict, counted, games, is_main=not several)
    if several:
        losses = losses_of(schedule, None, manifest.entrants, counted, verdict, voids)
        planned = planned_games(schedule, None, verdict, counted)
        planned -= annulled_games(run, None, verdict)
        games = counted.count_of(None, planned)
        progress = _progress(manifest, games)
        away = (*gone_words(schedule, manifest.entrants, verdict), *_cut_words(len(counted.cut)))
        anchored = _without_anchor(manifest, None, verdict, asked)
        by_scores = _by_scores(manifest)
        notices = (*cards, *by_scores, *away, *anchored, *progress, *stopped)
        model = _model(manifest, manifest.entrants, verdict, asked)
        part = rated(OVERALL, counted.tally, model, notices, losses)
        part = part._replace(games=partial(counted.reread, run, None))
        yield _finished(run, part, verdict, counted, games, is_main=True)


def _finished(
    run: StoredRun,
    part: SectionData,
    verdict: WithdrawalState,
    counted: Counted,
    games: GameCount,
    *,
    is_main: bool,
) -> SectionData:
    """Return a section with its number of games and places, and if main its headline."""
    view = view_of(run.manifest.kind)
    section = part.section._replace(games=games, titles=run.titles)
    section = view.placed(run, section, part.tally, part.ratings)
    if is_main:
        section = view.main(run, section, part.ratings, counted.played, verdict)
    return part._replace(section=section)


def planned_games(
    schedule: Schedule, discipline: str | None, verdict: WithdrawalState, counted: Counted
) -> int:
    """Return the number of planned games; games of bots that left count only if played."""
    games = schedule.games if discipline is None else schedule.games_of(discipline)
    away = verdict.withdrawn.keys() | schedule.away
    of_left = counted.of_left.total() if discipline is None else counted.of_left[discipline]
    return games - schedule.games_with(away, discipline) + of_left


def annulled_games(run: StoredRun, discipline: str | None, verdict: WithdrawalState) -> int:
    """Return how many of ``planned_games`` were ruled to count for nobody."""
    found = filter(None, map(run.schedule.game, run.manifest.rulings.annulled))
    own = (spec for spec in found if discipline in (None, spec.discipline))
    away = (
        verdict.withdrawn.keys() | run.schedule.away
    )  # their games are planned only if they count
    return sum(away.isdisjoint(spec.entrants) for spec in own)


class Losses(NamedTuple):
    """The last fields of a section, on games that did not count."""

    withdrawn: tuple[Withdrawn, ...]
    annulled: int
    voids: dict[str, Voids]


def losses_of(
    schedule: Schedule,
    discipline: str | None,
    entrants: Sequence[str],
    counted: Counted,
    verdict: WithdrawalState,
    voids: Sequence[Void],
) -> Losses:
    """Return the losses of a discipline, or of all for None.

    ``entrants``: the bots that play it. ``counted``: the games that count. ``voids``: those of the
    run.
    """
    from arena.views.standings.tables import Withdrawn

    withdrawn = tuple(
        Withdrawn(each.name, each.ground, each.reason, each.games, each.faults)
        for each in verdict.withdrawn.values()
        if each.name in entrants
    )
    annulled = schedule.games_with(verdict.withdrawn.keys(), discipline)
    annulled -= counted.of_out.total() if discipline is None else counted.of_out[discipline]
    return Losses(withdrawn, annulled, _voids(counted, verdict, voids))


def _voids(counted: Counted, verdict: WithdrawalState, voids: Sequence[Void]) -> dict[str, Voids]:
    """Return the voids by cause without withdrawn bots; a game counts under its last cause."""
    from arena.views.standings.tables import Voids

    counting = [void for void in voids if verdict.withdrawn.keys().isdisjoint(void.entrants)]
    times = Counter(void.cause for void in counting)
    last = {void.game: void.cause for void in counting}
    again = Counter(cause for game, cause in last.items() if game in counted.played_again)
    waiting = Counter(cause for game, cause in last.items() if game not in counted.played_again)
    return {
        cause.value: Voids(times[cause], again[cause], waiting[cause])
        for cause in VoidCause
        if times[cause]
    }


def gone_words(
    schedule: Schedule, entrants: Sequence[str], verdict: WithdrawalState
) -> Iterator[str]:
    """Yield a notice on the bots that left without being withdrawn."""
    names = [name for name in entrants if name in schedule.left and name not in verdict.withdrawn]
    if names:
        plays = "plays" if len(names) == 1 else "play"
        yield f"{listed([*map(called, names)])} {plays} no more; what was played stands"


def _cut_words(games: int) -> tuple[str, ...]:
    """Return a notice on games that do not count because their blocks stay incomplete."""
    if not games:
        return ()
    do = "does" if games == 1 else "do"
    return (f"{count(games, 'game')} of deals that are not played in all seatings {do} not count",)


def _refilled(manifest: Manifest, discipline: str) -> tuple[str, ...]:
    """Return a notice on tables that were refilled."""
    tables = manifest.field.refilled(discipline)
    if not tables:
        return ()
    were = "was" if tables == 1 else "were"
    return (f"{count(tables, 'table')} {were} filled again in place of those of withdrawn bots",)


def _by_scores(manifest: Manifest) -> tuple[str, ...]:
    """Return a notice on the disciplines that are rated by scores."""
    names = [each.name for each in manifest.disciplines if is_scored(each)]
    if not names:
        return ()
    are = "is" if len(names) == 1 else "are"
    return (f"{listed(names)} {are} rated by scores, and no part of this table",)


def _stopped(verdict: WithdrawalState) -> tuple[str, ...]:
    stopped = verdict.stopped
    return (
        ()
        if stopped is None
        else (f"the run was stopped: {called(stopped.name)}: {stopped.reason}",)
    )


def _without_anchor(
    manifest: Manifest, discipline: Discipline | None, verdict: WithdrawalState, asked: Model | None
) -> tuple[str, ...]:
    ratings = manifest.identity.ratings
    if asked is not None:
        entrants = manifest.entrants if discipline is None else discipline.entrants
        here = [name for name in entrants if name not in verdict.withdrawn]
        return absent(asked, here, "the leader" if _has_means(discipline) else "the mean")
    if ratings is None or ratings.anchor not in verdict.withdrawn:
        return ()
    anchor = ratings.anchor
    if discipline is None:
        return (
            f"{called(anchor)}, the anchor, was withdrawn: the mean is the fixed point instead",
        )
    if anchor not in discipline.entrants:
        return ()
    instead = "the leader" if _has_means(discipline) else "the mean"
    return (f"{called(anchor)}, the anchor, was withdrawn: {instead} is the fixed point instead",)


def _has_means(discipline: Discipline | None) -> bool:
    """Return whether the table of a discipline has means, not Elo."""
    return discipline is not None and (discipline.rules.seats == 1 or is_scored(discipline))


def absent(model: Model, names: Sequence[str], instead: str) -> tuple[str, ...]:
    """Return the notices on anchors that are not in ``names``.

    ``instead``: words for what fixes the scale if no anchor is left.
    """
    gone = [each.name for each in model.anchors if each.name not in names]
    if len(gone) < len(model.anchors):
        return tuple(f"{called(name)}, an anchor, has no games here" for name in gone)
    if not gone:
        return ()
    are = "the anchor, has" if len(gone) == 1 else "the anchors, have"
    names = listed([*map(called, gone)])
    return (f"{names}, {are} no games here: {instead} is the fixed point instead",)


def _section(
    discipline: Discipline,
    tally: Tally,
    verdict: WithdrawalState,
    model: Model,
    notices: tuple[str, ...],
    losses: Losses,
) -> SectionData:
    from arena.ratings.elo.scores import score_standings
    from arena.views.standings.tables import Section

    entrants = [name for name in discipline.entrants if name not in verdict.withdrawn]
    if _has_means(discipline):
        standings = score_standings(tally.solo[discipline.name], anchor=model.first)
        section = Section(discipline.name, standings, notices, *losses)
        return SectionData(section, tally, None)
    one = tally.only(discipline.name, entrants)
    return rated(discipline.name, one, model, notices, losses)


def rated(
    title: str,
    tally: Tally,
    model: Model,
    notices: tuple[str, ...],
    losses: Losses | tuple[()] = (),
) -> SectionData:
    """Return the section of a tally, rated with the anchors that are in the tally."""
    from arena.ratings.counting.arrays import arrays_of
    from arena.ratings.elo.crosstable import pairs_of
    from arena.ratings.elo.fit import fit_model
    from arena.ratings.elo.standings import standings
    from arena.views.standings.tables import Section

    ratings = fit_model(arrays_of(tally), among(model, tally.entrants))
    section = Section(title, standings(tally, ratings), notices, *losses)
    pairs = partial(pairs_of, ratings.arrays)
    section = section._replace(pairs=pairs, hints=partial(_hints, ratings))
    return SectionData(section, tally, ratings)


def _hints(ratings: RatingFit) -> list[str]:
    """Return the lines of extensions below the table of a fit."""
    found = extensions.called("hints", ratings, check=printable)
    return [line for each in found for line in ([each.problem] if each.problem else each.values)]


def among(model: Model, names: Collection[str]) -> Model:
    """Return the model with the anchors in ``names`` only; without any, the mean is fixed."""
    return replace(model, anchors=tuple(each for each in model.anchors if each.name in names))


def _model(
    manifest: Manifest, entrants: Sequence[str], verdict: WithdrawalState, asked: Model | None
) -> Model:
    """Return the model by which the entrants that were not withdrawn are rated."""
    from arena.ratings.elo.scale import Anchor, Model

    names = [name for name in entrants if name not in verdict.withdrawn]
    ratings = manifest.identity.ratings
    begun = () if ratings is None else (Anchor(ratings.anchor, ratings.elo),)
    return among(Model(begun) if asked is None else asked, names)


def _endings(discipline: str, own: Mapping[str, str], counted: Counted) -> Iterator[str]:
    """Yield a notice on games that were ended by a ruling of arena instead of the rulebook.

    ``own``: words for the rulings of the game.
    """
    games, endings = counted.games[discipline], {**AGREED, **own}
    for (name, ruling), ended in sorted(counted.rulings.items()):
        if name == discipline:
            words = f": {endings[ruling]}" if ruling in endings else ""
            yield f"{ended} of {games} games ended by {ruling}{words}"


def are_repeats_many(games: int, repeated: int) -> bool:
    """Return whether ``repeated`` of all ``games`` make the intervals too narrow."""
    return repeated >= _REPEATED * games > 0


def _repeated(discipline: Discipline, counted: Counted) -> Iterator[str]:
    """Yield a notice on how many games are distinct, unless nearly all are."""
    games, repeated = counted.games[discipline.name], counted.repeated[discipline.name]
    if are_repeats_many(games, repeated):
        yield (
            f"{games - repeated} of {games} games are distinct: the game has no chance and bots "
            "repeat their moves, which errors and limits do not allow for"
        )


def games_words(manifest: Manifest, section: Section) -> str:
    """Return the number of games of a run in words; a run without an end has no planned number."""
    games = section.games
    planned = None if games.planned is None else manifest.kind.planned(games.planned)
    return games._replace(planned=planned).words()


def _progress(manifest: Manifest, games: GameCount) -> tuple[str, ...]:
    told = manifest.kind.progress(games.counting, games.planned)
    if manifest.shard is None:
        return told
    return (*told, f"shard {manifest.shard}: a part of the run, which arena merge makes whole")


def render(
    table: StandingsTable,
    form: str,
    *,
    width: int | None = None,
    color: bool = False,
    warnings: Sequence[str] = (),
) -> str:
    """Return the table in one of FORMS.

    ``width``: columns of the text, None for any; ``color``: True for bold text. ``warnings``: added
    to the JSON document only.
    """
    from arena.views.standings import tables
    from arena.views.tables import Emphasis

    match form:
        case "txt":
            emphasis = Emphasis.BOLD if color else Emphasis.PLAIN
            return tables.text(table.sections, width=width, emphasis=emphasis)
        case "md":
            return tables.markdown(table.sections)
        case "csv":
            return tables.csv_text(table.sections)
        case _:
            return tables.json_text(table.sections, source=table.source, warnings=warnings)


def stored(table: StandingsTable, form: str) -> bytes:
    """Return ``standings.FORM`` of a run folder, the same with and without any extension."""
    own = tuple(each._replace(hints=tuple) for each in table.sections)
    return render(StandingsTable(table.source, own), form).encode()


def write_tables(folder: Path, table: StandingsTable, forms: Sequence[str]) -> None:
    """Write ``standings.FORM`` for each form, each file atomically. Raises StoreError."""
    for form in forms:
        path = folder / f"standings.{form}"
        with writing(path, folder):
            write_atomically(path, stored(table, form))
