"""The standings of a ladder: ``table.FORM`` in its folder, and ``arena ladder LADDER --status``.

The table has a line for each bot that plays. A place belongs to an author, not to a bot: it is that
of the version submitted last, so that nothing is gained by submitting the same bot repeatedly. A
version keeps its games for good, and those of earlier versions still count for the ratings of their
opponents.

A ladder may also be published, as a folder with its public files:

DIR/table.*     copies of the tables in the ladder's folder
DIR/site/       the pages of ``browser.site``
DIR/proof/      a proof, see ``data.export.proof``; not with hidden names
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from arena.extensions.browser.page.html import plain_page
from arena.extensions.browser.site.folder import Options
from arena.extensions.browser.site.write import write_site
from arena.extensions.data.export.pack import check_target
from arena.extensions.data.export.proof import Proof, write_proof
from arena.extensions.ladder.book import ANSWERS, Book, What, authors_of
from arena.extensions.ladder.file import Ladder, LadderOutput, TableForm
from arena.extensions.ladder.store import BOTS, Quarantine, disk_use_of
from arena.extensions.sources.git import Git
from arena.ratings.counting.usage import CostNumbers
from arena.ratings.elo.rating import Rated
from arena.runs.config.keys import LADDER_FILE, Names
from arena.runs.disk import write_atomically, writing
from arena.runs.reader import StoredRun
from arena.runs.store import SEED
from arena.values import clean
from arena.values.bad_input import BadInput
from arena.values.numbers import GameCount, count
from arena.values.results import player_of
from arena.values.schema import RunAnswer
from arena.views.cells import Label, Quantity
from arena.views.standings.headline import Headline, is_provisional
from arena.views.standings.standings import read, sections_of
from arena.views.tables import (
    Column,
    PageBlock,
    PageTable,
    draw_text,
    markdown_list,
    markdown_table,
)

_MIB: Final = 1 << 20


class LadderRow(msgspec.Struct, frozen=True):
    """A bot that plays or is to play, or one that was withdrawn."""

    place: int | None
    """Place of the author, at the bot that holds it; None for all others."""
    name: str
    """Name in the run, with the number of the version."""
    author: str
    """Author of the bot; empty for an anchor."""
    bot: str
    elo: float | None
    error: float | None
    games: int
    processor_s: float | None
    """Processor time in all its games, in seconds; None if not measured."""
    storage_bytes: int
    """Size of its files and of the results of its builds, in bytes; 0 for an anchor."""
    since: str
    """Time since which it plays, or since which it is out, UTC, ISO 8601; empty for an anchor."""
    state: str
    """State: anchor, new, plays, enters, ended (it came too late), quarantined or broken."""
    reason: str = ""
    """Reason why it is quarantined or broken."""


class LadderTable(NamedTuple):
    """The whole table of a ladder."""

    name: str
    rounds: int
    games: GameCount
    rows: tuple[LadderRow, ...]
    headline: Headline | None = None
    """The leaders; None if no bot with a place is rated."""


def forms_of(output: LadderOutput) -> tuple[TableForm, ...]:
    """Return the forms in which the table is written."""
    return tuple(dict.fromkeys(output.formats))


def table_of(ladder: Ladder, run: StoredRun | None, book: Book) -> LadderTable:
    """Return the standings of ``ladder``; ``run`` is None before its first game.

    Raises StoreError.
    """
    measured = _Measured(run, book)
    rows = [measured.row(each.name, each.digest, "", each.name) for each in ladder.anchors]
    rows = [_with(row, "anchor") for row in rows]
    cases = Quarantine(ladder.folder).cases
    for bot, state in book.bots.items():
        is_broken = state.last is not None and state.last.what is What.BROKEN
        digest = state.last.digest if is_broken and state.last is not None else state.digest
        if not digest:
            continue
        called = book.called(bot, digest)
        row = measured.row(called, digest, bot.author, bot.bot)
        size = disk_use_of(ladder.folder, digest, ladder.plan.isolation)
        row = msgspec.structs.replace(row, since=state.since, storage_bytes=size)
        if is_broken:
            reason, *_ = book.broken[digest].splitlines()
            games = measured.stored_by(called, digest)
            row = msgspec.structs.replace(
                _with(row, "broken"), reason=reason, elo=None, games=games
            )
        elif (bot.name, digest) in cases:
            reason = cases[bot.name, digest].reason
            games = measured.stored_by(called, digest)
            row = msgspec.structs.replace(_with(row, "quarantined"), reason=reason, games=games)
        elif (called, digest) not in measured.names:
            row = _with(row, "ended" if measured.is_over else "enters")
        elif is_provisional(row.error):
            row = _with(row, "new")
        rows.append(row)
    rows.sort(key=lambda row: (row.elo is None, -(row.elo or 0.0), row.name))
    name = ladder.folder.name if run is None else run.manifest.name
    return LadderTable(name, measured.rounds, measured.games, tuple(rows), measured.headline)


def _with(row: LadderRow, state: str) -> LadderRow:
    return msgspec.structs.replace(row, state=state)


class _Measured:
    """The results of the stored games, by the names that bots have in the run."""

    def __init__(self, run: StoredRun | None, book: Book) -> None:
        """Read the games of ``run``. Raises StoreError."""
        self.names: dict[tuple[str, str], str] = {}
        """Names in the run, by name without the number of a version, and digest."""
        self.rounds = 0
        self.games = GameCount()
        self.headline: Headline | None = None
        self.is_over = False
        """True if no round follows any more."""
        self._rated: Mapping[str, Rated] = {}
        self._costs: Mapping[str, CostNumbers] = {}
        self._run = run
        if run is None:
            return
        run = StoredRun(run.folder, run.manifest, partial(authors_of, book))
        manifest = run.manifest
        self.names = {
            (player_of(name), each.digest): name for name, each in manifest.players.items()
        }
        self.is_over = manifest.is_over
        drawn = sum(each is not None for each in manifest.field.follows)
        self.rounds = drawn - manifest.is_over  # the decision that nothing follows is drawn too
        counted, verdict, voids = read(run, with_costs=True)
        self.games = counted.count_of(None)
        for part in sections_of(run, counted, verdict, voids):
            if part.ratings is not None:
                self.headline = part.section.headline
                self._rated = {row.name: row for row in part.section.standings.rows}
                if counted.costs is not None:
                    costs = counted.costs.numbers(part.section.title, self._rated)
                    self._costs = {each.name: each for each in costs}

    def stored_by(self, name: str, digest: str) -> int:
        """Return the number of stored games of a version that does not play now."""
        return self._stored[self.names.get((name, digest), "")]

    @cached_property
    def _stored(self) -> Counter[str]:
        """Number of stored games by name in the run."""
        games = () if self._run is None else self._run.games()
        return Counter(name for each in games for name in each.result.spec.entrants)

    def row(self, name: str, digest: str, author: str, bot: str) -> LadderRow:
        """Return the row of a version of a bot; without games, its ratings are None."""
        own = self.names.get((name, digest))
        rated = self._rated.get(own or "")
        costs = self._costs.get(own or "")
        cpu = None if costs is None or costs.cpu_us is None else costs.cpu_us * costs.cpu_games
        return LadderRow(
            place=None if rated is None else rated.rank,
            name=own or name,
            author=author,
            bot=bot,
            elo=None if rated is None or not rated.games else rated.value,
            error=None if rated is None else rated.error,
            games=0 if rated is None else rated.games,
            processor_s=None if cpu is None else round(cpu / 1e6, 3),
            storage_bytes=0,
            since="",
            state="plays",
        )


def write_table(folder: Path, table: LadderTable, forms: Sequence[TableForm]) -> None:
    """Write ``table.FORM`` for each form, each replaced as a whole. Raises StoreError."""
    for form in forms:
        path = folder / f"table.{form.value}"
        with writing(path):
            write_atomically(path, render(table, form).encode())


def render(table: LadderTable, form: TableForm, width: int | None = None) -> str:
    """Return the table as text in ``form``.

    ``width``: width of the form TXT in columns; None: as wide as needed.
    """
    match form:
        case TableForm.TXT:
            reasons = "".join(f"{line}\n" for line in _reasons(table))
            drawn = draw_text(_columns(table), width)
            return f"{clean.plain(f'{table.name}: {_head(table)}')}\n\n{drawn}\n{reasons}"
        case TableForm.MD:
            head, drawn = clean.markdown(_head(table)), markdown_table(_columns(table), "pipe")
            reasons = markdown_list(_reasons(table))
            return f"## {clean.markdown(table.name)}\n\n{head}\n\n{drawn}\n\n{reasons}"
        case TableForm.HTML:
            shown = PageTable("Standings", _columns(table), "standings")
            block = PageBlock("standings", "Standings", [shown], list(_reasons(table)))
            return plain_page(table.name, [block], [_head(table)])
        case TableForm.JSON:
            return clean.json_document(document(table)).removesuffix("\n")


def _head(table: LadderTable) -> str:
    """Return the headline: ``12 rounds, 96 games; anna.x leads with 1042 Elo``."""
    head = f"{count(table.rounds, 'round')}, {table.games.words('game')}"
    return head if table.headline is None else f"{head}; {table.headline.words()}"


class LadderData(msgspec.Struct, frozen=True):
    """The table of a ladder in JSON."""

    rounds: int
    games: int
    headline: Headline | None
    bots: tuple[LadderRow, ...]


class LadderDocument(RunAnswer[LadderData], frozen=True, tag="arena.ladder/1"):
    """The JSON form of the table of a ladder."""


def document(table: LadderTable, warnings: Sequence[str] = ()) -> LadderDocument:
    """Return the JSON form of the table, with ``warnings`` of the caller."""
    data = LadderData(table.rounds, table.games.counting, table.headline, table.rows)
    return LadderDocument(run=table.name, data=data, warnings=tuple(warnings))


def _columns(table: LadderTable) -> list[Column]:
    rows = table.rows
    errors = ["" if row.elo is None else Quantity(row.error) for row in rows]
    return [
        Column("", "right", ["" if row.place is None else row.place for row in rows]),
        Column("bot", "left", [Label(row.name) for row in rows]),
        Column("Elo", "right", [Quantity(row.elo) for row in rows]),
        Column("±", "right", errors),
        Column("state", "left", [row.state for row in rows]),
        Column("games", "right", [row.games for row in rows]),
        Column("author", "left", [Label(row.author) for row in rows]),
        Column("since", "left", [row.since[:10] for row in rows]),
        Column("cpu s", "right", [Quantity(row.processor_s) for row in rows]),
        Column("MiB", "right", [Quantity(row.storage_bytes / _MIB, 1) for row in rows]),
    ]


@clean.safe_lines
def _reasons(table: LadderTable) -> Iterator[str]:
    """Yield why bots are quarantined or broken."""
    for row in table.rows:
        if row.reason:
            what = "is quarantined" if row.state == "quarantined" else "plays no more"
            yield f"{row.name} {what}: {row.reason}"


_SITE: Final = "site"
_PROOF: Final = "proof"


class Publication:
    """The folder in which a ladder is published."""

    def __init__(self, ladder: Ladder, target: Path) -> None:
        """Check ``target``. Raises BadInput if it cannot be such a folder."""
        self._ladder = ladder
        self._target = target
        own = Path(os.path.realpath(target))
        private = (ladder.run, ladder.folder / BOTS, ladder.folder / ANSWERS, ladder.submissions)
        for folder in private:
            real = os.path.realpath(folder)
            if own.is_relative_to(real):
                raise BadInput(f"{target}: lies in {folder}, expected a folder outside of it")
            if Path(real).is_relative_to(own):
                raise BadInput(f"{target}: holds {folder}, expected a folder without the ladder")
        if target.exists() and not target.is_dir():
            raise BadInput(f"{target}: found something that is no folder")
        if not own.parent.is_dir():
            raise BadInput(f"{target}: the folder {own.parent} does not exist")
        if own.is_dir():
            check_target(target / _PROOF, force=True)

    def write(self, run: StoredRun) -> None:
        """Update the folder after the tables were written. Raises BadInput and StoreError."""
        with writing(self._target):
            self._target.mkdir(exist_ok=True)
            for form in forms_of(self._ladder.file.output):
                name = f"table.{form.value}"
                write_atomically(self._target / name, (self._ladder.folder / name).read_bytes())
        write_site(run, self._target / _SITE, Options())
        proof = Proof(run)
        tells_deals_to_come = proof.is_whole and not run.manifest.is_over
        is_wanted = self._ladder.plan.names is Names.SHOWN and not tells_deals_to_come
        if is_wanted and not proof.is_empty:
            for _ in write_proof(proof, self._target / _PROOF, force=True):
                pass


_ANY_OWNER: Final = ("-c", "safe.directory=*")
"""Options for git: only file names are read from the repository, so its owner does not matter."""


def tracked_secrets(ladder: Ladder) -> Iterator[Path]:
    """Yield the files of ``ladder`` that contain its seed and that git tracks.

    Readers of that repository know all deals to come. Without git no file is tracked.
    """
    if _is_tracked(ladder.run / SEED):
        yield ladder.run / SEED
    if ladder.file.seed is not None and _is_tracked(ladder.folder / LADDER_FILE):
        yield ladder.folder / LADDER_FILE


def _is_tracked(path: Path) -> bool:
    return bool(Git(str(path.parent)).ask(*_ANY_OWNER, "ls-files", "--", path.name))
