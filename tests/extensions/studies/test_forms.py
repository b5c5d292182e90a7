"""What programs read has plain numbers, and nothing that Python writes for itself."""

from __future__ import annotations

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from math import inf, isfinite, nan
from typing import Any, Final

import msgspec
import numpy as np
import pytest

from arena.extensions.matches.show.documents import badge_text, junit_text
from arena.extensions.matches.show.text import text
from arena.extensions.matches.statistics.blocks import MatchDiscipline
from arena.extensions.matches.statistics.match import Match
from arena.extensions.matches.statistics.report import MatchReport, MatchSide, Range, Scale, Verdict
from arena.extensions.matches.statistics.sprt import between
from arena.extensions.studies.counted import answer_of
from arena.ratings.counting.tally import Tally
from arena.ratings.elo.scores import score_standings
from arena.ratings.elo.standings import standings
from arena.values import clean
from arena.values.results import GameResult
from arena.views.standings import tables
from arena.views.standings.measured import full_section
from arena.views.standings.standings import SectionData
from arena.views.standings.tables import Section
from tests.extensions.matches.show.reports import GAIN, PAIR, REPORTS, changed
from tests.extensions.matches.show.test_forms import properties_of
from tests.extensions.matches.statistics.test_match import ALONE, FOUR, NEW, OLD, TWO, made
from tests.ratings.fits import fit
from tests.ratings.made_games import pool, solo, solo_tally, tally

LEAK: Final = re.compile(
    r"[A-Za-z]\w*\([^)]*=|<[\w. ]+ at 0x|\b(Decimal|Fraction|array|np\.\w+)\("
    r"|(?<!\w)(None|True|False|[+-]?nan|[+-]?inf(inity)?)(?!\w)"
)
NUMBER: Final = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?")
"""As JSON writes one."""
WORDS: Final = {"verdict", "reason", "mode", "scale", "run", "candidate", "baseline"}
"""Properties of JUnit that are no numbers; so are digests and revisions."""


def blocks_of(table: MatchDiscipline, count: int, seed: int) -> Iterator[list[GameResult]]:
    """Blocks of chance, with faults where scores may be missing."""
    rng = np.random.default_rng(seed)
    lineups = {1: [[NEW], [OLD]], 2: [[NEW, OLD], [OLD, NEW]]}
    lineup = lineups.get(table.seats, [[NEW, NEW, OLD, OLD], [OLD, OLD, NEW, NEW]])
    for _ in range(count):
        block = []
        for entrants in lineup:
            scores = [int(score) for score in rng.integers(0, 20, table.seats)]
            places = [1 + sum(other > own for other in scores) for own in scores]
            faulty = [0] if rng.random() < 0.05 and table.seats < 4 else []
            known = None if faulty and table.seats == 1 else scores
            block.append(made(entrants, places, known, faulty))
        yield block


def played(*tables: MatchDiscipline, blocks: int, seed: int) -> MatchReport:
    """A report with the figures of such a match, whatever its verdict."""
    test = msgspec.structs.replace(GAIN, may_be_alike=True, max_fault_share=1.0)
    match = Match(NEW, OLD, tables, test)
    for deal in zip(*(blocks_of(table, blocks, seed) for table in tables), strict=True):
        for table, block in zip(tables, deal, strict=True):
            match.add(table.discipline, block)
    decision = match.decision
    return changed(
        verdict=Verdict.INCONCLUSIVE if decision is None else decision.verdict,
        reason="not enough games" if decision is None else decision.reason,
        candidate=match.side(NEW),
        baseline=match.side(OLD),
        games=match.reports(),
        llr=match.llr,
        bounds=match.bounds,
        blocks=match.blocks,
        games_left=match.games_left(),
    )


MARGIN: Final = msgspec.structs.replace(TWO, discipline="m-2", measure=ALONE.measure)
TABLES: Final = ((TWO,), (FOUR,), (ALONE,), (MARGIN,), (TWO, FOUR, ALONE))


def matches() -> Iterator[tuple[str, MatchReport]]:
    """Yield reports of all kinds, each with its name."""
    yield from ((kind, report) for kind, report in REPORTS.items() if kind != "hostile")
    for chosen in TABLES:
        for blocks in (0, 1, 2, 3, 40):
            name = "+".join(table.discipline for table in chosen)
            yield f"{name}, {blocks} blocks", played(*chosen, blocks=blocks, seed=blocks)
    unknown = msgspec.structs.replace(PAIR, los=nan, mean=Range(nan, -inf, inf))
    yield "no number", changed(llr=inf, games=(unknown,))
    alike = MatchSide("a", {}, 0)
    yield "the same", changed(games=(), candidate=alike, verdict=Verdict.INVALID)


def values_of(document: object) -> Iterator[object]:
    """Everything in a JSON document, keys too."""
    match document:
        case dict():
            for key, value in document.items():
                yield key
                yield from values_of(value)
        case list():
            for value in document:
                yield from values_of(value)
        case _:
            yield document


def check_json(shown: str) -> None:
    def no_constant(name: str) -> Any:
        raise AssertionError(f"{name} is no JSON")

    for value in values_of(json.loads(shown, parse_constant=no_constant)):
        if isinstance(value, str):
            assert not LEAK.search(value), value
            assert len(value) >= 40 or not NUMBER.fullmatch(value), "no commit, a number as text"


def check_csv(shown: str) -> None:
    """Text stands in quotes, all else is a number or nothing."""
    for line in shown.splitlines():
        for cell in re.findall(r'(?:"(?:[^"]|"")*"|[^,"]*)(?:,|$)', line):
            bare = cell.rstrip(",")
            assert not LEAK.search(bare), bare
            assert bare.startswith('"') or bare == "" or NUMBER.fullmatch(bare), bare
    assert list(csv.DictReader(io.StringIO(shown)))


def test_properties_of_junit_json_and_badge_of_matches() -> None:
    for kind, report in matches():
        check_junit(kind, report)
        check_json(clean.json_document(report))
        check_json(badge_text(report))


def check_junit(kind: str, report: MatchReport) -> None:
    root = ET.fromstring(junit_text(report).encode())
    found = [(each.attrib["name"], each.attrib["value"]) for each in root.iter("property")]
    assert len(dict(found)) == len(found)
    for name, value in found:
        if name in WORDS or name.endswith((".digest", ".revision", ".given")):
            assert not LEAK.search(value), (kind, name, value)
        else:
            assert NUMBER.fullmatch(value), (kind, name, value)
            assert isfinite(float(value))
    for element in root.iter():
        for name, value in element.attrib.items():
            assert not LEAK.search(value), (kind, name, value)
        assert kind == "no number" or not LEAK.search(element.text or ""), element.text


def test_junit_has_the_intervals_of_what_is_correlated() -> None:
    found = properties_of(changed())
    keys = ("", ".low", ".high")
    assert [found[f"dragonheart-2.correlation{key}"] for key in keys] == [
        "-0.2134", "-0.341", "-0.0612",
    ]  # fmt: skip


@pytest.mark.parametrize("blocks", [["WW", "WW", "WL"], ["LL", "LL", "LD"], ["WW"] * 9 + ["WD"]])
def test_a_share_ends_in_every_form_where_shares_end(blocks: list[str]) -> None:
    places = {"W": (1, 2), "D": (1, 1), "L": (2, 1)}
    match = Match(NEW, OLD, [TWO], GAIN)
    for first, second in blocks:
        games = [made((NEW, OLD), places[first]), made((OLD, NEW), places[second][::-1])]
        match.add(TWO.discipline, games)
    report = changed(games=match.reports())
    mean = json.loads(clean.json_document(report))["games"][0]["mean"]
    assert 0 <= mean["low"] < mean["value"] < mean["high"] <= 1
    shown = [f"{100 * mean[key]:.1f} %" for key in ("value", "low", "high")]
    assert f"  score   {shown[0]} ({shown[1]} to {shown[2]})\n" in text(report)
    assert properties_of(report)["d-2.mean.low"] == repr(mean["low"])


def sections() -> Iterator[tuple[Section, Section]]:
    """Tables with their pages: of two and four seats, after whitewashes, and alone."""
    rng = np.random.default_rng(1)
    strengths = {"anna": 0.0, "berta": 150.0, "carla": 4000.0, "dora": -20.0}
    for seats, blocks in ((2, 1), (2, 9), (4, 6)):
        counted = tally(pool(strengths, blocks=blocks, rng=rng, seats=seats), ["absent"])
        ratings = fit(counted, anchor="anna", anchor_elo=1000.0)
        section = Section(f"d-{seats}", standings(counted, ratings), ())

        yield section, full_section(SectionData(section, counted, ratings, None))
    scores: dict[str, Sequence[int | None]] = {"anna": [3, None, 5], "berta": [7, 2, 5], "new": []}
    games = [solo(name, f"{k}", s) for name, own in scores.items() for k, s in enumerate(own)]
    alone = solo_tally(games, scores)
    found = score_standings(alone, anchor="anna")
    section = Section("alone", found, ())
    yield section, full_section(SectionData(section, Tally(solo={"alone": alone}), None))


def test_json_and_csv_of_tables() -> None:
    found = list(sections())
    for chosen in ([section for section, _ in found], [page for _, page in found]):
        check_json(tables.json_text(chosen))
        check_csv(tables.csv_text(chosen))


@pytest.mark.parametrize("counts", [{1.0: 3}, {0.5: 40}, {0.0: 1, 1.0: 60}, {0.25: 9, 0.75: 11}])
def test_json_of_a_test_of_counts(counts: dict[float, int]) -> None:
    test = between(0.0, 40.0, Scale.NORMALIZED, 0.05, 0.05)
    check_json(msgspec.json.encode(answer_of(counts, 2, test)).decode())


def test_leaks_are_seen() -> None:
    for leak in ("Range(value=-0.1)", "<x.Y object at 0x7f>", "None", "a: nan", "-inf", "True"):
        assert LEAK.search(leak)
    for word in ("nancy is stronger", "information (a = b)", "H0 at most 0; alpha = beta = 0.05"):
        assert not LEAK.search(word)
    found = [bool(NUMBER.fullmatch(word)) for word in ("1e-05", "-0.5", "1.", "nan")]
    assert found == [True, True, False, False]
