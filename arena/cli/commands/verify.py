"""``arena verify``: prove a run from its records."""

from __future__ import annotations

import contextlib
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import msgspec
import typer

from arena import extensions
from arena.cli.command import command
from arena.cli.common import AsJson, RunFolder
from arena.cli.terminal.console import Exit, ignoring_closed_output, out, print_document, say
from arena.cli.terminal.progress import counting
from arena.runs.disk import StoreError, check_file, to_continue
from arena.runs.identity import commitment_of, differences, identity, stored_opening, tournament_of
from arena.runs.manifest import MANIFEST, TUNED, TournamentSource, is_run
from arena.runs.reader import StoredRun
from arena.runs.verify import Discrepancy, RunVerifier
from arena.runs.withdrawals import Withdrawal
from arena.values.bad_input import CHECKED, BadInput, lacking
from arena.values.numbers import count
from arena.values.option import Opt
from arena.values.problems import ConfigError, quote
from arena.values.schema import RunAnswer
from arena.values.titles import called
from arena.views.standings.standings import FORMS, stored, table_of

_EVERY = 200
"""Number of games between two updates of the live line."""
_SHOWN = 20
_TABLE: Final = "standings.json"
_VERSION: Final = re.compile(rb'^  "arena": "[\w.+!-]{1,64}",$', re.MULTILINE)
"""Version of arena that wrote the tables, which may be another one."""


class VerifyData(msgspec.Struct, frozen=True):
    """Content of ``VerifyDocument``."""

    games: int
    planned: int | None
    missing: int | None
    withdrawn: tuple[Withdrawal, ...]
    without_record: int
    given_up: dict[str, int]
    """Number of games that are not played because a bot plays no more, by bot."""
    differences: tuple[Discrepancy, ...]


class VerifyDocument(RunAnswer[VerifyData], frozen=True, tag="arena.verify/1"):
    """The proof of one run or several."""


class _Row(msgspec.Struct):
    name: str
    games: int = 0


class _Data(msgspec.Struct):
    rows: list[_Row] = []


class _Table(msgspec.Struct):
    data: _Data


class _Tables(msgspec.Struct):
    """Part of standings.json that states how many games were counted."""

    tables: list[_Table]


@dataclass(frozen=True, kw_only=True)
class VerifyOptions:
    """Prove a run from its records.

    Applies every record again and checks digests, deals, outcomes and tables. Exit code 1 if
    anything is wrong. With the commitment that was shown when the run began, also proves that seed
    and config have not changed since. In a folder of arena tune, proves all runs.

    \b
    arena verify runs/quickstart
    """

    folder: RunFolder
    commitment: Annotated[
        str | None,
        Opt("Commitment that was shown when the run began.", metavar="HEX"),
    ] = None
    as_json: AsJson = False


def verify_run(options: VerifyOptions) -> None:
    """Check a run and print the findings. Raises typer.Exit with code 1 if there are any."""
    folder, commitment = options.folder, options.commitment
    if commitment is not None and not re.fullmatch("[0-9a-f]{64}", commitment):
        raise BadInput(f"--commitment: found {quote(commitment)}, expected 64 hex digits")
    folders = _runs_of(folder)
    if len(folders) > 1 and commitment is not None:
        raise BadInput(f"--commitment: found {len(folders)} runs in {folder}, expected one run")
    proved = [_proved(each, commitment) for each in folders]
    with ignoring_closed_output():
        if options.as_json:
            print_document(_document(folder, proved))
        else:
            for each in proved:
                if len(folders) > 1:
                    out(f"{each.verifier.run.folder.name}:")
                _print(*each)
                if commitment is not None and not each.findings:
                    out("the commitment is the one that was given")
    if any(each.findings for each in proved):
        raise typer.Exit(Exit.DIFFERENCE)


def _runs_of(folder: Path) -> list[Path]:
    """Return the run, or the runs of a search by arena tune."""
    if is_run(folder) or not (folder / TUNED).is_file():
        return [folder]
    return sorted(path for path in folder.iterdir() if is_run(path)) or [folder]


class _Proved(NamedTuple):
    """Run with the findings of its check."""

    verifier: RunVerifier
    games: int
    findings: list[Discrepancy]


def _proved(folder: Path, commitment: str | None) -> _Proved:
    verifier = RunVerifier(folder, commitment)
    findings = [*verifier.findings, *_changed(verifier)]
    games = 0
    met: Counter[str] = Counter()
    with counting("games verified", _EVERY) as show:
        for number, checked in enumerate(verifier.games(), 1):
            show(number)
            if checked.result is not None:
                games += 1
                met.update(set(checked.result.spec.entrants))
            findings += checked.findings
    verdict = verifier.run.manifest.kind.verdict
    if not verdict and not verifier.missing:
        findings += _tables(verifier.run)
    elif not verdict:  # the tables may be older than the stored games, but not newer
        findings += _uncounted(verifier, met)
    verifier.remarks += _unchecked(folder)
    return _Proved(verifier, games, [*findings, *_of_extensions(verifier.run)])


def _unchecked(folder: Path) -> Iterator[str]:
    """Yield a line for each file whose check is of one of arena's extensions that is not here."""
    for file, extension in CHECKED.items():
        if (hint := lacking(extension)) and os.path.lexists(folder / file):
            yield f"not checked: {file} {hint}"


def _of_extensions(run: StoredRun) -> Iterator[Discrepancy]:
    """Yield what extensions find wrong with their files."""
    for name, found, problem in extensions.called("checks", run, check=str):
        yield from found
        if problem:
            yield Discrepancy(name, problem)


def _changed(verifier: RunVerifier) -> Iterator[Discrepancy]:
    """Yield the values of run.json that were changed since the commitment.

    The commitment alone does not reveal them. They are found if the tournament can still be loaded
    with its bots unchanged, so that its identity fits the commitment.
    """
    manifest = verifier.run.manifest
    if verifier.opening is not None or not isinstance(manifest.source, TournamentSource):
        return
    try:
        opening = stored_opening(verifier.run.folder, manifest)
        with contextlib.chdir(manifest.source.cwd):
            began = identity(tournament_of(manifest.source, None))
    except (BadInput, ConfigError, StoreError, OSError, LookupError):
        return
    if commitment_of(began, opening) == manifest.commitment:
        for path in dict.fromkeys(
            each.partition(": ")[0] for each in differences(manifest.identity, began)
        ):
            yield Discrepancy(
                MANIFEST, f"{path} is not the value that the commitment was computed from"
            )


def _tables(run: StoredRun) -> Iterator[Discrepancy]:
    """Compare the tables in the folder with tables computed from the stored games."""
    try:
        table = table_of(run)
    except StoreError:  # the games cannot be read, which is already reported
        return
    for form in FORMS:
        path = run.folder / f"standings.{form}"
        if not os.path.lexists(path):
            continue
        try:
            check_file(path)
            found = path.read_bytes()
        except OSError as error:
            yield Discrepancy(path.name, f"cannot be read: {error.strerror}")
            continue
        except StoreError:
            yield Discrepancy(path.name, "is no regular file")
            continue
        if _VERSION.sub(b"arena", found, 1) != _VERSION.sub(b"arena", stored(table, form), 1):
            yield Discrepancy(path.name, "is not what the stored games give")


def _uncounted(verifier: RunVerifier, met: Mapping[str, int]) -> Iterator[Discrepancy]:
    """Yield a finding if a table counts games that are not stored.

    ``met``: number of stored games by bot.
    """
    table = verifier.run.folder / _TABLE
    try:
        tables = msgspec.json.decode(table.read_bytes(), type=_Tables).tables
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return
    for row in (row for table in tables for row in table.data.rows):
        if row.games > (stored := met.get(row.name, 0)):
            what = f"counts {count(row.games, 'game')} of {row.name}, {stored} are stored"
            if games := verifier.missing_games(row.name)[: row.games - stored]:
                more = row.games - stored - len(games)
                what += f"; missing: {', '.join(games)}{f' and {more} more' * (more > 0)}"
            yield Discrepancy(_TABLE, what)
            return


def _print(verifier: RunVerifier, games: int, findings: list[Discrepancy]) -> None:
    for finding in findings[:_SHOWN]:
        out(str(finding))
    if len(findings) > _SHOWN:
        out(f"... and {len(findings) - _SHOWN} more")
    planned, missing, gone = verifier.planned, verifier.missing, verifier.without_record
    kind = verifier.run.manifest.kind
    if planned is not None:
        planned = kind.planned(planned)
    proved = games if findings else games - gone
    whole = f"{proved} of {planned} games" if planned is not None else count(proved, "game")
    if findings:
        out(f"{whole} looked at: {len(findings)} difference{'s'[: len(findings) != 1]} found")
        if any(each.where.startswith("game ") for each in findings):
            again = f"arena {to_continue(verifier.run.folder)}"
            again = f"the same `{kind.command}`" if kind.command else again
            say(f"{again} plays games again whose files are damaged")
    else:
        by_result = f", {gone} more by their results alone" if gone else ""
        out(f"{whole} verified{by_result}: all as it should be")
    if (shard := verifier.run.manifest.shard) is not None:
        say(f"this is shard {shard}; of the others nothing is proved")
    for remark in verifier.remarks:
        say(remark)
    if gone:
        days = ", ".join(dict.fromkeys(each.at[:10] for each in verifier.thinned))
        say(
            f"records of {count(gone, 'game')} were removed by the rule of this "
            f"run on {days}: of these the plan and what was stored of their results is proved"
        )
    for withdrawal in verifier.withdrawn.values():
        say(f"{called(withdrawal.name)}: withdrawn: {withdrawal.reason}; {kind.withdrawn}")
    for name, unplayed in sorted(verifier.given_up.items()):
        how = "was withdrawn" if name in verifier.withdrawn else "plays no more"
        verb = "is" if unplayed == 1 else "are"
        say(f"{count(unplayed, 'game')} of {called(name)}, who {how}, {verb} not played")
    if verifier.to_come:
        say(verifier.to_come)
    if missing and not findings:
        games_are = "game is" if missing == 1 else "games are"
        say(
            f"the run is not finished: {missing} {games_are} still to be played, "
            "and its tables were not looked at"
        )


def _document(folder: Path, proved: Sequence[_Proved]) -> VerifyDocument:
    """Return the document for all runs together; each difference names its run."""
    verifiers = [each.verifier for each in proved]
    is_one = len(proved) == 1
    titles = ["" if is_one else f"{each.run.folder.name}/" for each in verifiers]
    found = zip(titles, proved, strict=True)
    given_up = sum((Counter(each.given_up) for each in verifiers), Counter[str]())
    remarks = (text for each in verifiers for text in (*each.remarks, each.to_come))
    return VerifyDocument(
        run=verifiers[0].run.manifest.title if is_one else folder.absolute().name,
        data=VerifyData(
            games=sum(each.games for each in proved),
            planned=_sum(each.planned for each in verifiers),
            missing=_sum(each.missing for each in verifiers),
            withdrawn=tuple(one for each in verifiers for one in each.withdrawn.values()),
            without_record=sum(each.without_record for each in verifiers),
            given_up=dict(sorted(given_up.items())),
            differences=tuple(
                Discrepancy(f"{title}{one.where}", one.what)
                for title, each in found
                for one in each.findings
            ),
        ),
        warnings=tuple(filter(None, remarks)),
    )


def _sum(numbers: Iterable[int | None]) -> int | None:
    """Return the sum, or None if a number is None."""
    found = list(numbers)
    known = [each for each in found if each is not None]
    return sum(known) if len(known) == len(found) else None


COMMAND: Final = command(verify_run)
