"""Documents of ``--json`` whose content a command puts together itself."""

from __future__ import annotations

from typing import Any

import msgspec

from arena.documents.answer import CommandAnswer, RunAnswer
from arena.runs.verify import Discrepancy
from arena.runs.withdrawals import Withdrawal
from arena.views.data.card import ExportedRun, TableFile


class ChecksDocument(CommandAnswer, frozen=True, kw_only=True, tag="arena.checks/1"):
    """The checks of several bots."""

    passed: bool
    """True if no bot would lose games by a fault."""
    bots: tuple[dict[str, Any], ...]
    """``CheckDocument`` of each bot, or its name with the problems why it was not checked."""


class ContractCheck(msgspec.Struct, frozen=True):
    """One check of the rules in all games of a table."""

    check: str
    tested: int
    """Number of comparisons."""
    problem: str | None


class ContractTable(msgspec.Struct, frozen=True):
    """The checks of one table size with one set of options."""

    table: str
    speed: float | None
    """Decisions a second, divided by those of the default game; None for broken rules."""
    checks: tuple[ContractCheck, ...]


class ContractDocument(CommandAnswer, frozen=True, kw_only=True, tag="arena.contract/1"):
    """The contract of rules, as tested for a game."""

    game: str
    passed: bool
    tables: tuple[ContractTable, ...]


class ExportData(msgspec.Struct, frozen=True):
    """Content of ``ExportDocument``."""

    path: str
    bot: str | None
    """Reader of the pack; None: anybody."""
    games: int
    held_back: int
    """Number of games left out because their deals were not completed."""
    expired: int
    """Number of games left out because their records were removed by rule."""


class ExportDocument(RunAnswer[ExportData], frozen=True, tag="arena.export/1"):
    """A pack or proof that was written."""


class TablesData(msgspec.Struct, frozen=True):
    """Content of ``TablesDocument``."""

    path: str
    format: str
    tables: tuple[TableFile, ...]
    runs: tuple[ExportedRun, ...]


class TablesDocument(CommandAnswer, frozen=True, kw_only=True, tag="arena.export-tables/1"):
    """Tables of games that were written."""

    data: TablesData
    warnings: tuple[str, ...]


class OpenedData(msgspec.Struct, frozen=True):
    """Content of ``OpenedDocument``."""

    folder: str
    commitment: str
    games: int | None
    """Number of planned games; None for a run without an end."""


class OpenedDocument(RunAnswer[OpenedData], frozen=True, tag="arena.opened/1"):
    """A run that was begun without playing."""


class ReportData(msgspec.Struct, frozen=True):
    """Content of ``ReportDocument``."""

    path: str
    folder: str | None
    """Name of the folder with games beside the page; None if the page has all."""
    bytes: int
    games: int
    listed: int
    documents: int
    """Number of games to step through."""
    held_back: int


class ReportDocument(RunAnswer[ReportData], frozen=True, tag="arena.report/1"):
    """A report that was written."""


class SiteData(msgspec.Struct, frozen=True):
    """Content of ``SiteDocument``."""

    path: str
    files: int
    written: int
    removed: int
    bytes: int
    bots: int
    games: int
    opened: int
    """Number of games to step through."""
    held_back: int


class SiteDocument(RunAnswer[SiteData], frozen=True, tag="arena.site-written/1"):
    """A site that was written."""


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
