"""``arena bisect``: the search with made-up matches, and once with real ones."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping
from math import inf, sqrt
from pathlib import Path
from random import Random
from typing import Any, Final

import msgspec
import pytest

from arena.cli.commands.compare import bisect as command
from arena.cli.commands.compare.bisect import BisectOptions
from arena.cli.terminal.console import Exit
from arena.cli.terminal.stretch import Onlooker
from arena.documents.bad_input import BadInput
from arena.documents.problems import ConfigError, Problem
from arena.entrants.revisions import take_out
from arena.ratings.match.report import (
    SCHEMA,
    DisciplineReport,
    MatchReport,
    MatchSide,
    Measure,
    Range,
    Verdict,
)
from arena.ratings.match.sprt import LEAST_BLOCKS, NELO, Hypotheses
from arena.studies.bisect import Bisected, BisectOutcome, Play
from arena.studies.bisect import search as search_for
from arena.studies.listener import Listener
from arena.studies.match.play import MatchOptions
from arena.views.match.searches import bisection_text
from tests.cli.shell import arena, exit_code
from tests.entrants.repositories import commit, git, repository
from tests.schemas import validator
from tests.tournament.folders import write

pytestmark = [pytest.mark.slow, pytest.mark.process]

ROOT: Final = Path(__file__).parents[2]
MINE: Final = "bots/mine"
BLOCK: Final = 2
UNBUILT: Final = Problem(MINE, "", "build command 'make' ended with status 2")


@pytest.fixture(autouse=True)
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    repo = repository(tmp_path / "repo")
    monkeypatch.chdir(repo)
    return repo


def put(repo: Path, number: int) -> list[str]:
    """So many commits that change the bot."""
    names = []
    for index in range(1, number + 1):
        write(repo / MINE / "main.py", f"print({index})\n")
        names.append(commit(repo, f"Change {index}"))
    return names


class Fake:
    """Plays at stated strengths, in nElo by commit, and keeps the games as a run folder would."""

    def __init__(self, strengths: Mapping[str, float]) -> None:
        self.strengths = strengths
        self.faulty: set[str] = set()
        self.broken: dict[str, Problem] = {}
        self.silent: dict[str, float] = {}
        """Ratios of those whose matches say the same, whatever is asked for."""
        self.asked: list[MatchOptions] = []
        self.games: dict[Path, list[float]] = {}
        """What each block says, drawn once."""
        self.stop_after = inf
        self._rngs: dict[str, Random] = {}

    @property
    def played(self) -> int:
        """How many games."""
        return BLOCK * sum(map(len, self.games.values()))

    def __call__(self, options: MatchOptions, listener: Listener | None = None) -> MatchReport:
        self.asked.append(options)
        name = options.candidate.rpartition("@")[2]
        if name in self.broken:
            raise ConfigError([self.broken[name]])
        if name in self.silent:
            return self._report(options, Verdict.INCONCLUSIVE, self.silent[name], 20, (-1.0, 1.0))
        assert options.output is not None
        test = options.test
        kept = self.games.setdefault(options.output, [])
        width = sqrt(BLOCK) * (test.elo1 - test.elo0) / NELO
        lower, upper = Hypotheses(test.elo0, test.elo1, alpha=test.alpha, beta=test.beta).bounds
        ratio, blocks, verdict = 0.0, 0, Verdict.INCONCLUSIVE
        rng = self._rngs.setdefault(name, Random(len(self._rngs)))
        while (blocks + 1) * BLOCK <= test.max_games:
            if len(kept) == blocks:
                if self.played >= self.stop_after:
                    raise KeyboardInterrupt
                kept.append(rng.gauss(0, 1))
            middle = (test.elo0 + test.elo1) / 2
            drift = sqrt(BLOCK) * (self.strengths[name] - middle) / NELO
            ratio += width * (drift + kept[blocks])
            blocks += 1
            if blocks >= LEAST_BLOCKS and not lower < ratio < upper:
                verdict = Verdict.PASS if ratio > 0 else Verdict.FAIL
                break
        if name in self.faulty:
            verdict = Verdict.INVALID
        return self._report(options, verdict, ratio, blocks, (lower, upper))

    def _report(
        self,
        options: MatchOptions,
        verdict: Verdict,
        ratio: float,
        blocks: int,
        bounds: tuple[float, float],
    ) -> MatchReport:
        strength = self.strengths[options.candidate.rpartition("@")[2]]
        error = 2 * NELO / sqrt(BLOCK * max(blocks, 1))
        nelo = Range(strength, strength - error, strength + error)
        game = DisciplineReport(
            discipline="dragonheart-2", seats=2, lineup="1 v 1", measure=Measure.PLACES,
            block_games=BLOCK, blocks=blocks, unscored=0, games=BLOCK * blocks, histogram=(),
            wins=0, draws=0, losses=0, mean=Range(None), elo=nelo, nelo=nelo, los=None,
            seats_worth=(), correlation=Range(None), luck_ratio=None, margin=Range(None),
            deviation=None, llr=ratio,
        )  # fmt: skip
        return MatchReport(
            schema=SCHEMA, arena="", verdict=verdict, reason=f"it is {verdict.value}",
            candidate=MatchSide("mine-1", {}, 0), baseline=MatchSide("mine-2", {}, 0),
            test=options.test, llr=ratio, bounds=bounds,
            blocks=blocks, games_counted=BLOCK * blocks,
            games_stored=BLOCK * blocks, games_left=None, games=(game,), run="",
        )  # fmt: skip


def fake(names: list[str], first: int, loss: float = 100.0) -> Fake:
    """Strength is lost with the change of that number."""
    return Fake({name: -loss if i >= first else 0.0 for i, name in enumerate(names, 1)})


def options(**changes: Any) -> BisectOptions:
    given: dict[str, Any] = {"bot": MINE, "good": "v1", "bad": "HEAD"}
    return BisectOptions(**(given | {"games": ("dragonheart",), "quiet": True} | changes))


def search(options: BisectOptions, play: Play) -> Bisected:
    return search_for(options, Onlooker(quiet=True), play)


def suspects(found: Bisected) -> list[str]:
    return [each.subject for each in found.suspects]


def test_it_finds_the_revision_that_lost_strength(repo: Path) -> None:
    names = put(repo, 12)
    play = fake(names, 8)
    found = search(options(), play)
    assert (found.answer, suspects(found)) == (BisectOutcome.FOUND, ["Change 8"])
    assert (found.sure or 0) >= 0.95
    assert found.bad.subject == "Change 12"
    chances = [each.first_bad for each in found.revisions]
    assert sum(filter(None, chances)) == pytest.approx(1)
    assert max(range(12), key=lambda index: chances[index] or 0) == 7
    unplayed = [each.games for each in found.revisions if each.verdict is None]
    assert unplayed == [0] * (12 - len(play.games))
    assert found.games == play.played
    written = json.loads((repo / found.run / "bisect.json").read_text())
    validator(written["schema"]).validate(written)
    assert written["schema"] == "arena.bisect/1"
    assert written["suspects"][0]["commit"] == names[7]


def test_every_match_is_against_the_good_one_and_under_its_own_seed(repo: Path) -> None:
    names = put(repo, 4)
    play = fake(names, 2)
    search(options(seed="x", workers=3, games=("dragonheart", "dragonkrak:2")), play)
    first = play.asked[0]
    assert first.candidate == f"{MINE}@{names[-1]}"
    assert first.test.elo0 == -40
    assert {each.baseline for each in play.asked} == {f"{MINE}@{git(repo, 'rev-parse', 'v1')}"}
    assert {each.games for each in play.asked} == {("dragonheart", "dragonkrak:2")}
    assert all(each.test.elo1 == 0 and each.test.may_be_alike for each in play.asked)
    assert len({(each.seed, each.output) for each in play.asked}) == len(play.games)
    assert all(str(each.seed).startswith("x-") for each in play.asked)


def test_it_looks_for_the_loss_that_is_there(repo: Path) -> None:
    names = put(repo, 4)
    for loss, expected in ((45.0, 30.0), (1000.0, 120.0)):
        assert search(options(), fake(names, 2, loss)).searched == expected


def test_what_was_played_is_not_played_again(repo: Path) -> None:
    names = put(repo, 12)
    whole = search(options(), fake(names, 8))
    play = fake(names, 8)
    play.stop_after = whole.games // 2
    with pytest.raises(KeyboardInterrupt):
        search(options(), play)
    before = {folder: list(blocks) for folder, blocks in play.games.items()}
    play.stop_after = inf
    assert search(options(), play).games <= play.played
    for folder, blocks in before.items():
        assert play.games[folder][: len(blocks)] == blocks
    stored = {folder: len(blocks) for folder, blocks in play.games.items()}
    again = search(options(), play)
    assert again.answer is BisectOutcome.FOUND
    assert {folder: len(blocks) for folder, blocks in play.games.items()} == stored


@pytest.mark.parametrize("max_games", [60, 150, 400])
def test_it_never_plays_more_than_it_may(repo: Path, max_games: int) -> None:
    play = fake(put(repo, 12), 8, 40.0)
    found = search(options(max_games=max_games), play)
    assert found.answer in {BisectOutcome.INCONCLUSIVE, BisectOutcome.NO_LOSS}
    assert play.played <= max_games
    assert suspects(search(options(), play)) == ["Change 8"]


def test_too_few_games_tell_what_is_likely(repo: Path) -> None:
    found = search(options(max_games=300), fake(put(repo, 30), 8))
    assert found.answer is BisectOutcome.INCONCLUSIVE
    assert re.fullmatch(r"(300|29\d) games were not enough to tell", found.reason)
    assert 0 < (found.sure or 0) < 0.95
    assert "most likely (" in bisection_text(found, None)


def test_a_match_that_tells_no_more_ends_the_search(repo: Path) -> None:
    names = put(repo, 4)
    play = fake(names, 2)
    for name in names[:-1]:
        play.silent[name] = 1000.0 if name == names[0] else 1e-9
    found = search(options(), play)
    assert found.answer is BisectOutcome.INCONCLUSIVE
    assert len(play.asked) < 10


def test_revisions_that_cannot_be_played_are_skipped(repo: Path) -> None:
    names = put(repo, 8)
    play = fake(names, 4)
    play.broken[names[2]] = UNBUILT
    play.faulty.add(names[3])
    found = search(options(), play)
    assert found.answer is BisectOutcome.NARROWED
    assert suspects(found) == ["Change 3", "Change 4", "Change 5"]
    assert found.revisions[2].skipped == "bots/mine: build command 'make' ended with status 2"
    assert found.revisions[3].skipped == "it is invalid"
    shown = bisection_text(found, None)
    assert "it is one of 3 revisions, as those between cannot be played" in shown
    assert f"{names[2][:12]} was skipped: bots/mine: build command 'make' ended" in shown
    elsewhere = fake(names, 6)
    elsewhere.broken[names[3]] = UNBUILT
    assert suspects(search(options(), elsewhere)) == ["Change 6"]


def test_a_problem_of_a_manifest_is_told_without_where_it_was_unpacked(repo: Path) -> None:
    names = put(repo, 2)
    play = fake(names, 2)
    folder = take_out(MINE, names[0]).folder
    play.broken[names[0]] = Problem(f"{folder}/bot.yaml:1:1", "bot", "found 2")
    assert search(options(), play).revisions[0].skipped == "bot.yaml:1:1: bot: found 2"


def test_nothing_was_lost(repo: Path) -> None:
    found = search(options(), fake(put(repo, 3), 99))
    assert found.answer is BisectOutcome.NO_LOSS
    assert found.reason == "no loss of strength was shown: it is pass"
    assert (found.suspects, found.sure) == ((), None)


def test_revisions_that_cannot_be_compared(repo: Path) -> None:
    names = put(repo, 3)
    play = fake(names, 2)
    play.faulty.add(names[-1])
    assert search(options(), play).answer is BisectOutcome.INVALID
    play.broken[names[-1]] = UNBUILT
    with pytest.raises(ConfigError):
        search(options(), play)


def test_one_change_needs_no_search(repo: Path) -> None:
    play = fake(put(repo, 1), 1)
    found = search(options(), play)
    assert (found.answer, len(play.asked)) == (BisectOutcome.FOUND, 1)
    assert (found.sure or 0) >= 0.95


def test_searches_from_one_good_revision_share_their_games(repo: Path) -> None:
    names = put(repo, 4)
    play = fake(names, 2)
    first = search(options(), play)
    played = set(play.games)
    second = search(options(bad="HEAD~2"), play)
    assert second.run == first.run
    assert play.asked[-1].output in played, "the last change of one is in the midst of the other"
    assert search(options(games=("dragonkrak",)), play).run != first.run


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"bot": "bots/mine@v1"}, 'found "bots/mine@v1", expected "bots/mine", without a revision'),
        ({"loss": 0.0}, "--loss: found 0, expected nElo above 0 and at most 120"),
        ({"loss": float("nan")}, "--loss: found nan"),
        ({"sure": 1.0}, "--sure: found 1, expected above 0.5 and below 1"),
        ({"sure": 0.2}, "--sure: found 0.2"),
    ],
)
def test_bad_input_is_told_before_anything_is_played(repo, changes, expected) -> None:
    play = fake(put(repo, 2), 1)
    with pytest.raises(BadInput, match=re.escape(expected)):
        search(options(**changes), play)
    assert not play.asked


def test_without_elo_the_normalized_one_is_shown(repo: Path) -> None:
    found = search(options(), fake(put(repo, 2), 1))
    assert re.search(r"first bad +Elo +date", bisection_text(found, None))
    rows = tuple(msgspec.structs.replace(each, elo=Range(None)) for each in found.revisions)
    shown = bisection_text(msgspec.structs.replace(found, revisions=rows), None)
    assert re.search(r"first bad +nElo +date", shown)
    assert "-100 (-1" in shown


def test_each_answer_has_its_exit_code(repo, monkeypatch) -> None:
    found = search(options(), fake(put(repo, 2), 1))
    codes = {}
    for answer in BisectOutcome:
        ending = msgspec.structs.replace(found, answer=answer)
        monkeypatch.setattr(command, "search", lambda *_, ending=ending: ending)
        codes[answer] = exit_code(lambda: command.bisect(options()))
    assert codes == dict.fromkeys(BisectOutcome, Exit.INCONCLUSIVE) | {
        BisectOutcome.FOUND: Exit.DONE,
        BisectOutcome.INVALID: Exit.INVALID_RUN,
    }


def test_subjects_do_nothing_to_a_terminal(repo: Path) -> None:
    write(repo / MINE / "main.py", "print('x')\n")
    name = commit(repo, "Evil \x1b[31m\x07 subject")
    shown = bisection_text(search(options(), fake([name], 1)), None)
    assert "\x1b" not in shown
    assert "Evil \\x1b[31m\\x07 subject" in shown


def _greedy(repo: Path) -> str:
    """A bot that loses strength with its third change, and does not start after the fourth."""
    shutil.rmtree(repo / MINE)
    shutil.copytree(ROOT / "bots" / "greedy", repo / MINE)
    manifest = (repo / MINE / "bot.yaml").read_text()
    commit(repo, "Greedy")
    git(repo, "tag", "good")
    slips = manifest.replace("default: 0.0", "default: 0.8")
    broken = slips.replace("[python3, main.py]", "[python3, nowhere.py]")
    assert len({manifest, slips, broken}) == 3
    states = [manifest, manifest, slips, broken, slips, slips]
    for number, state in enumerate(states, 1):
        write(repo / MINE / "bot.yaml", state)
        write(repo / MINE / "note.txt", f"{number}\n")
        commit(repo, f"Change {number}")
    return git(repo, "rev-parse", "HEAD~3")


def _stored(repo: Path) -> int:
    runs = (repo / "runs").glob("*/*/games.jsonl")
    return sum(len(path.read_text().splitlines()) for path in runs)


def test_real_games_find_the_revision(repo: Path) -> None:
    expected = _greedy(repo)
    command = ("bisect", MINE, "--good", "good", "-g", "dragonheart", "--seed", "1", "-j", "2")
    none = arena(repo, *command, "--max-games", "20")
    assert none.code == Exit.INCONCLUSIVE, none.err
    assert none.out.startswith("no loss of strength was shown: ")
    done = arena(repo, *command)
    assert done.code == Exit.DONE, done.err
    assert done.out.startswith(f"first bad revision: {expected[:12]} Change 3   (")
    stored = _stored(repo)
    again = arena(repo, *command, "--json", "-q")
    assert again.code == Exit.DONE
    assert _stored(repo) == stored
    document = json.loads(again.out)
    assert document["answer"] == "found"
    assert [each["commit"] for each in document["suspects"]] == [expected]
    assert document["sure"] >= 0.95
    assert again.err == ""


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ("--good v9 -g dragonheart", 'bots/mine@v9: no such revision: "v9"'),
        ("--good HEAD -g dragonheart", "the folder is as it was at HEAD"),
        ("--good v1", "found no game"),
        ("--good v1 -g dragonheart --max-games 1", "--max-games: found 1, expected"),
    ],
)
def test_bad_input_ends_with_code_2(repo: Path, args: str, expected: str) -> None:
    put(repo, 1)
    done = arena(repo, "bisect", MINE, *args.split())
    assert done.code == Exit.BAD_INPUT, done.err
    assert expected in done.err
    assert "Traceback" not in done.err
