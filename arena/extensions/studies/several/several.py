"""The standings of several runs and files of results together.

Each source is counted separately, in one pass, and added to one tally under the labels that its
bots have among all sources. Blocks and deals belong to their source; folders of one run are one
source.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from arena.extensions.studies.plain.pgn import is_pgn, lines_of_pgn
from arena.extensions.studies.plain.read import (
    Dates,
    ResultsError,
    SeenGames,
    copy_clean,
    read_results,
)
from arena.extensions.studies.several.copies import Copies
from arena.extensions.studies.several.versions import SHORT, Version, Versions
from arena.ratings.counting.tally import Tally
from arena.ratings.elo.scale import Anchor, Model
from arena.ratings.elo.scores import score_standings
from arena.runs.config.texts import clock_texts
from arena.runs.disk import StoreError
from arena.runs.growth.rulings import told
from arena.runs.manifest import Manifest, read_manifest
from arena.runs.reader import StoredGame, StoredRun
from arena.runs.store import read_opening
from arena.values.bad_input import BadInput
from arena.values.document import regular
from arena.values.numbers import count, listed
from arena.values.results import OVERALL
from arena.views.standings import standings
from arena.views.standings.tables import Section, Voids

_LISTED: Final = 4
"""Most versions of a bot that are each described above the tables."""

_BEGINNING: Final = 4096
"""Bytes of a file by which PGN is known."""


class ResultsSource(NamedTuple):
    """A run folder or file of results, as named on the command line."""

    path: Path
    name: str
    """Name as given by the user; differs from ``path`` for standard input."""


class _Run(NamedTuple):
    """One run, in one folder or in several."""

    name: str
    run: StoredRun
    bots: Mapping[str, str]
    """Labels of its entrants in the tables."""
    disciplines: Mapping[str, str]
    """Names of its disciplines in the tables, where they differ from those in the run."""


@dataclass(frozen=True)
class PooledResults:
    """Several sources counted together."""

    tally: Tally
    clean: Tally | None
    """Tally without blocks with faults; None if no block or every block has a fault."""
    versions: Versions
    dates: Dates
    """Dates of the games of each bot, if they were requested."""
    anchors: tuple[tuple[str, Anchor], ...]
    """Anchors of the runs, each with the name of its run."""
    losses: standings.Losses
    notices: tuple[str, ...]


def pooled(
    sources: Sequence[ResultsSource],
    *,
    joined: bool = False,
    full: bool = False,
    dated: bool = False,
) -> PooledResults:
    """Count the games of all ``sources`` together.

    ``joined``: count all versions of a bot as one bot. ``full``: count the blocks without faults
    also by themselves, for which sources with faults are read twice. ``dated``: collect the dates
    of games. Raises BadInput or StoreError.
    """
    runs, versions = _runs([each for each in sources if each.path.is_dir()], joined=joined)
    files, notices = _files([each for each in sources if not each.path.is_dir()])
    reader = _Reader(full=full, dated=dated)
    for one in runs:
        reader.add_run(one, is_alone=len(sources) == 1)
    for source in files:
        reader.add_file(source)
    if reader.met.again:
        notices.append(f"{count(reader.met.again, 'game')} with an id met before: counted once")
    return PooledResults(
        tally=reader.tally,
        clean=reader.clean if reader.is_faulty and reader.clean.disciplines else None,
        versions=versions,
        dates=reader.dates,
        anchors=tuple(_anchors(runs)),
        losses=reader.losses,
        notices=(
            *_data_notices(runs),
            *notices,
            *reader.notices,
            *_differences(runs),
            *_versions(versions),
        ),
    )


def rated_parts(pool: PooledResults, model: Model) -> list[standings.SectionData]:
    """Return a table for each discipline, and one for all together if there are several."""
    found = []
    names = pool.tally.disciplines
    several = len(names) > 1
    for name in names:
        if name in pool.tally.solo:
            solo = pool.tally.solo[name]
            known = standings.among(model, solo.entrants).first
            notices = standings.absent(model, solo.entrants, "the leader") if several else ()
            section = Section(name, score_standings(solo, anchor=known), notices)
            found.append(standings.SectionData(section, pool.tally, None))
        else:
            own = None if pool.clean is None else pool.clean.only(name)
            found.append(_rated(name, pool.tally.only(name), own, model))
    if several or not names:
        found.append(_rated(OVERALL, pool.tally, pool.clean, model))
    last = found[-1].section
    told = last._replace(notices=(*last.notices, *pool.notices), **pool.losses._asdict())
    return [*found[:-1], found[-1]._replace(section=told)]


def _rated(title: str, tally: Tally, clean: Tally | None, model: Model) -> standings.SectionData:
    part = standings.rated(title, tally, model, standings.absent(model, tally.entrants, "the mean"))
    return part._replace(clean=clean)


class _Reader:
    """Reader that counts one source after the other."""

    def __init__(self, *, full: bool, dated: bool) -> None:
        self.tally, self.clean = Tally(), Tally()
        self.dates = Dates()
        self.met = SeenGames()
        self.losses = standings.Losses((), 0, {})
        self.notices: list[str] = []
        self.is_faulty = False
        self._full, self._dated = full, dated
        self._met_clean = SeenGames()
        self._number = 0

    def add_run(self, one: _Run, *, is_alone: bool) -> None:
        """Count a run. Raises BadInput or StoreError."""
        run, dates = one.run, Dates()

        def look(game: StoredGame) -> None:
            dates.add(game.result.spec.entrants, game.stored.played_at)

        counted, verdict, voids = standings.read(run, look=look if self._dated else None)
        self._absorb(self.tally, counted.tally, one.name, one.bots, one.disciplines)
        if self._full:
            clean = standings.clean_of(run, counted, verdict)
            self.is_faulty |= clean is not None
            own = counted.tally if clean is None else clean.tally
            self._absorb(self.clean, own, one.name, one.bots, one.disciplines)
        self._number += 1
        for name, span in dates.items():
            self.dates.absorb(one.bots[name], span)
        losses = standings.losses_of(
            run.schedule, None, run.manifest.entrants, counted, verdict, voids
        )
        self.losses = _added(self.losses, losses, one, is_alone=is_alone)
        games, planned = (
            counted.games.total(),
            standings.planned_games(run.schedule, None, verdict, counted)
            - standings.annulled_games(run, None, verdict),
        )
        if run.planned is not None and games < planned:
            self.notices.append(f"{one.name}: {games} of {planned} games played so far")
        self.notices += [f"{one.name}: {words}" for _, words in told(run.manifest.field.made)]
        if verdict.stopped is not None:
            why = f"{verdict.stopped.name}: {verdict.stopped.reason}"
            self.notices.append(f"{one.name}: the run was stopped: {why}")
        if isinstance(run, Copies) and run.again:
            again = count(run.again, "game")
            self.notices.append(f"{one.name} are one run: {again} met twice counted once")

    def add_file(self, source: ResultsSource) -> None:
        """Count a file of results. Raises BadInput."""
        dates = Dates() if self._dated else None
        with _plain(source) as path:
            self._add_lines(source, path, dates)
        self._number += 1
        for name, span in ({} if dates is None else dates).items():
            self.dates.absorb(name, span)

    def _add_lines(self, source: ResultsSource, path: Path, dates: Dates | None) -> None:
        """Count the file ``path``, which has the plain results of the source. Raises BadInput."""
        tally = _results(path, source.name, self.met, dates)
        self._absorb(self.tally, tally, source.name, {}, {})
        if self._full:
            self.is_faulty |= any(tally.faults(name) for name in tally.entrants)
            with tempfile.NamedTemporaryFile(prefix="arena-results-") as kept:
                written = copy_clean(path, kept)
                kept.flush()
                if written:
                    tally = _results(Path(kept.name), source.name, self._met_clean, None)
                    self._absorb(self.clean, tally, source.name, {}, {})

    def _absorb(
        self,
        into: Tally,
        tally: Tally,
        name: str,
        bots: Mapping[str, str],
        disciplines: Mapping[str, str],
    ) -> None:
        try:
            into.absorb(tally, lambda own: bots.get(own, own), disciplines, f"{self._number}/")
        except ValueError as error:
            found = str(error)
            raise BadInput(f"{name}: found {found}, as in what was named before it") from None


@contextmanager
def _plain(source: ResultsSource) -> Iterator[Path]:
    """Yield the path of the file, or of its results as lines if it is PGN. Raises BadInput."""
    try:
        with open(source.path, "rb", opener=regular) as file:  # reading a pipe might wait for ever
            if not is_pgn(file.read(_BEGINNING)):
                yield source.path
                return
            file.seek(0)
            with tempfile.NamedTemporaryFile(prefix="arena-results-") as kept:
                kept.writelines(lines_of_pgn(file))
                kept.flush()
                yield Path(kept.name)
    except OSError as error:
        what = (error.strerror or str(error)).lower()
        raise BadInput(f"{source.name}: found {what}, expected a file of results") from None


def _results(path: Path, name: str, met: SeenGames, dates: Dates | None) -> Tally:
    try:
        return read_results(path, name=name, met=met, dates=dates)
    except ResultsError as error:
        raise BadInput(str(error)) from None


def _runs(sources: Sequence[ResultsSource], *, joined: bool) -> tuple[list[_Run], Versions]:
    """Return the runs, the oldest first, and their versions.

    Folders with one commitment are one run. Raises StoreError.
    """
    folders = {os.path.realpath(each.path): each for each in sources}.values()
    read_before = [(each, read_manifest(each.path)) for each in folders]
    read_before.sort(key=lambda each: each[1].created)  # equal times keep the order of sources
    groups: dict[str, list[tuple[ResultsSource, Manifest]]] = {}
    for each in read_before:
        groups.setdefault(each[1].commitment, []).append(each)
    versions = Versions([own[0][1] for own in groups.values()], joined=joined)
    kinds: dict[str, list[Any]] = {}
    found = []
    for own in groups.values():
        manifest = own[0][1]
        paths, manifests = [each.path for each, _ in own], [each for _, each in own]
        run = Copies(paths, manifests) if len(own) > 1 else StoredRun(paths[0], manifest)
        called = {}
        for kind in manifest.disciplines:
            rules = (kind.rules.name, kind.rules.seats, kind.rules.options, kind.rules.data)
            known = kinds.setdefault(kind.name, [])
            if rules not in known:
                known.append(rules)
            if (number := known.index(rules)) > 0:
                called[kind.name] = f"{kind.name}@{number + 1}"
        name = listed([each.name for each, _ in own])
        found.append(_Run(name, run, versions.of_run(manifest), called))
    return found, versions


def _files(sources: Sequence[ResultsSource]) -> tuple[list[ResultsSource], list[str]]:
    """Return each distinct file once, and a notice for each file that was left out."""
    found: list[ResultsSource] = []
    notices = []
    for source in sources:
        same = next((each for each in found if _are_alike(each.path, source.path)), None)
        if same is None:
            found.append(source)
        else:
            notices.append(f"{source.name} holds what {same.name} does: counted once")
    return found, notices


def _are_alike(one: Path, other: Path) -> bool:
    """Return whether two files hold the same; unreadable files are reported by their reader."""
    try:
        if one.stat().st_size != other.stat().st_size:
            return False
        with open(one, "rb", opener=regular) as first, open(other, "rb", opener=regular) as second:
            sums = [hashlib.file_digest(each, "sha256").digest() for each in (first, second)]
    except OSError:
        return False
    return sums[0] == sums[1]


def _added(
    losses: standings.Losses, more: standings.Losses, one: _Run, *, is_alone: bool
) -> standings.Losses:
    """Return the sum of both losses, with the name of the run where there are several runs."""
    where = "" if is_alone else f" (in {one.name})"
    withdrawn = [
        msgspec.structs.replace(each, name=one.bots[each.name], reason=each.reason + where)
        for each in more.withdrawn
    ]
    voids = dict(losses.voids)
    for cause, own in more.voids.items():
        before = voids.get(cause, Voids(0, 0, 0))
        voids[cause] = Voids(
            before.times + own.times,
            before.played_again + own.played_again,
            before.waiting + own.waiting,
        )
    return standings.Losses((*losses.withdrawn, *withdrawn), losses.annulled + more.annulled, voids)


def _anchors(runs: Sequence[_Run]) -> Iterator[tuple[str, Anchor]]:
    for one in runs:
        ratings = one.run.manifest.identity.ratings
        if ratings is not None:
            yield one.name, Anchor(one.bots[ratings.anchor], ratings.elo)


def _data_notices(runs: Sequence[_Run]) -> dict[str, None]:
    """Return the notices on card data, each once."""
    facts = (each for one in runs for each in one.run.manifest.games.values())
    return {each.data: None for each in facts if each.data}


def _versions(versions: Versions) -> Iterator[str]:
    """Yield the meaning of the labels of versions."""
    for name, own in versions.several():
        if versions.are_joined:
            yield f"{name}: {len(own)} versions count as one bot"
        elif len(own) > _LISTED:
            first, *_, last = own
            ends = " to ".join(f"{each.label} ({described(each, own)})" for each in (first, last))
            yield f"{name}: {len(own)} versions, {ends}; --history {name} lists them"
        else:
            yield "; ".join(f"{each.label} is {described(each, own)}" for each in own)


def described(version: Version, all_own: Sequence[Version]) -> str:
    """Return a version by its digest, and by its options if versions share the digest."""
    told = version.digest[:SHORT] or "a person"
    if sum(each.digest == version.digest for each in all_own) > 1:
        options = ", ".join(f"{key} {value}" for key, value in version.options.items())
        told += f" with {options or 'no option'}"
    return f"{told}, from {version.since[:10]} on"


def _differences(runs: Sequence[_Run]) -> Iterator[str]:
    """Yield notices on runs with different rules or clocks, or with the same seed."""
    for one in runs:
        for name, called in one.disciplines.items():
            yield f"{called} is {name} of {one.name}, where it has other rules"
    clocks: dict[str, list[str]] = {}
    seeds: dict[str, list[str]] = {}
    for one in runs:
        identity = one.run.manifest.identity
        texts = clock_texts(identity.clock, pondering=identity.pondering)
        told = ", ".join(f"{key} {value}" for key, value in texts.items())
        clocks.setdefault(told, []).append(one.name)
        try:
            seeds.setdefault(read_opening(one.run.folder).seed, []).append(one.name)
        except StoreError:  # the seed is not published yet
            continue
    if len(clocks) > 1:
        each = "; ".join(f"{listed(names)}: {told}" for told, names in clocks.items())
        yield f"the runs have different clocks: {each}"
    for names in seeds.values():
        if len(names) > 1:
            yield (
                f"{listed(names)} have one seed: bots that decide alike again played the same "
                "games again, and these are counted again"
            )
