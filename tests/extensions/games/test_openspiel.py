"""Games of OpenSpiel: the contract, and agreement with OpenSpiel's own simulation."""

from __future__ import annotations

import math
import random
import re
import shutil
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.extensions.authors.contract.action_space import action_space
from arena.extensions.authors.contract.simultaneous import simultaneous
from arena.extensions.data.api.play import play as play_functions
from arena.extensions.games.openspiel.state import Draw
from arena.extensions.games.openspiel.table import GAMES as KNOWN
from arena.games.base import CHANCE, InvalidActionError, RulesError
from arena.games.installed import GameError
from arena.games.luck import Luck, derive_key
from arena.games.registry import GAMES, built
from arena.runs.reader import StoredRun
from arena.runs.verify import RunVerifier
from arena.testing import CHECKS, play
from tests.cli.shell import arena
from tests.rows import some

pyspiel = pytest.importorskip("pyspiel")

ROOT = Path(__file__).parents[3]
PLAYABLE = [member for member, known in KNOWN.items() if not known.reason]
SAMPLE = [
    *("tic_tac_toe", "connect_four", "go", "backgammon", "pig", "kuhn_poker", "leduc_poker"),
    *("hearts", "dark_hex", "matrix_pd", "goofspiel", "euchre"),
]
"""Open and hidden, with chance and without, all at once, whole numbers and others, teams."""
REST = [member for member in PLAYABLE if member not in SAMPLE]


def rules_of(member: str, seats: int | None = None, **options: object) -> Any:
    return built(GAMES[f"openspiel.{member}"], seats, options)


@pytest.mark.extensions("rounds")
def test_a_table_of_a_cooperative_game_shows_mean_scores(tmp_path: Path) -> None:
    """The bots of a table share the result, so the mean of each is over tables of both others."""
    bots = ["builtin:random", "builtin:first-legal", str(ROOT / "bots" / "last-legal")]
    game = ["-g", "openspiel.tiny_hanabi"]
    done = arena(tmp_path, "run", *game, "-n", "4", *bots, "-o", "run", "-q")
    assert done.code == 0, done.err
    means: dict[str, list[int]] = {}
    for each in StoredRun(tmp_path / "run").games():
        assert each.result.scores is not None
        for name, score in zip(each.result.spec.entrants, each.result.scores, strict=True):
            means.setdefault(name, []).append(score)
    rows = dict(re.findall(r"^ +\d +([a-z-]+) +([0-9.]+)", done.out, re.MULTILINE))
    assert rows == {name: f"{sum(own) / len(own):.2f}" for name, own in means.items()}
    assert "Elo" not in done.out
    assert arena(tmp_path, "verify", "run", "-q").code == 0
    for words in (
        ["compare", *bots[:2], *game],
        ["run", *bots, *game, "--set", "schedule.kind=swiss"],
    ):
        refused = arena(tmp_path, *words)
        assert (refused.code, "seats share the result" in refused.err) == (2, True), refused.err


@pytest.mark.parametrize("member", SAMPLE)
def test_contract(member: str) -> None:
    game = GAMES[f"openspiel.{member}"]
    options = {"board_size": 5} if member == "go" else {}
    played = play(rules_of(member, **options), "1")
    for check in CHECKS:
        check(played, game)
    assert action_space(played, game)
    assert bool(simultaneous(played, game)) == (member in ("matrix_pd", "goofspiel"))


def run_game(folder: Path, member: str) -> None:
    """Play, verify, and look at a game as text and as a page."""
    name = f"openspiel.{member}"
    game = GAMES[name]
    entrants = 2 if built(game).info.teams else max(2, game.default_seats)
    bots = ["builtin:random", *["builtin:first-legal"] * (entrants - 1)]
    setting = ["-n", "1", "-o", "run", "-q", "--set", "clock.move=60 s"]
    done = arena(folder, "run", "-g", f"{name}:{game.default_seats}", *bots, *setting)
    assert done.code == 0, done.err
    games = list(StoredRun(folder / "run").games())
    assert games
    assert [fault for each in games for fault in each.result.faults] == []
    assert arena(folder, "verify", "run").code == 0
    shown = arena(folder, "replay", "run", "1")
    assert shown.code == 0, shown.err
    if member == "tic_tac_toe":
        assert re.search(r"^ +0  x\(\d,\d\) \(move, id \d, seat 0\)$", shown.out, re.MULTILINE)
    assert arena(folder, "replay", "run", "1", "--html").code == 0


@pytest.mark.extensions("browser")
@pytest.mark.parametrize("member", SAMPLE)
def test_functions_play_and_the_game_is_verified_and_shown(tmp_path: Path, member: str) -> None:
    name, choose = f"openspiel.{member}", random.Random(1).randrange
    seats = GAMES[name].default_seats
    bots = {each: lambda question: choose(len(question.legal)) for each in "abcdefghij"[:seats]}
    options = {"board_size": 5} if member == "go" else {}
    run = play_functions(name, bots, seats=seats, options=options, into=tmp_path / "run")
    assert [row["fault"] for row in run.seats()] == [None] * seats * len([*run.games()])
    verifier = RunVerifier(run.folder)
    assert [each.findings for each in verifier.games() if each.findings] == verifier.findings == []
    assert arena(tmp_path, "replay", "run", "1", "--html").code == 0


@pytest.mark.extensions("browser")
@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize("member", some([*SAMPLE, *REST], every=len(PLAYABLE)))
def test_a_game_is_played_verified_and_shown(tmp_path: Path, member: str) -> None:
    run_game(tmp_path, member)


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize(
    ("member", "player"), [("connect_four", "mcts"), ("leduc_poker", "ismcts")]
)
def test_openspiels_own_players_play(tmp_path: Path, member: str, player: str) -> None:
    shutil.copytree(Path("bots/openspiel"), tmp_path / "own")
    manifest = (tmp_path / "own" / "bot.yaml").read_text()
    (tmp_path / "own" / "bot.yaml").write_text(manifest.replace("python3", sys.executable))
    options = {"player": player, "simulations": 1000}
    pairs = [("--set", f"entrants.0.options.{name}={value}") for name, value in options.items()]
    setting = [part for pair in pairs for part in pair]
    games = [f"openspiel.{member}", "own", "builtin:random", "-n", "1", "-o", "run", "-q"]
    done = arena(tmp_path, "run", "-g", *games, *setting, "--set", "clock.move=60 s")
    assert done.code == 0, done.err
    found = list(StoredRun(tmp_path / "run").games())
    assert [fault for each in found for fault in each.result.faults] == []
    if player == "mcts":
        results = [each.result for each in found]
        own = [each.places[each.spec.entrants.index("openspiel")] for each in results]
        assert 1 in own


def test_a_choice_is_hidden_until_all_are_in() -> None:
    rules = rules_of("matrix_pd")
    state = rules.initial_state()
    first, second = (rules.apply(state, action) for action in rules.legal_actions(state))
    assert first != second
    assert rules.observe(first, 1) == rules.observe(second, 1)
    assert rules.describe(state, rules.legal_actions(state)[0], first)[1] is None


def test_a_hidden_card_is_seen_by_its_owner_alone() -> None:
    rules = rules_of("kuhn_poker")
    start = rules.apply(rules.initial_state(), Draw(0))
    one, two = (rules.apply(start, Draw(card)) for card in (1, 2))
    assert rules.describe(start, Draw(1), one) == [None, None]
    assert rules.observe(one, 0) == rules.observe(two, 0)
    assert rules.observe(one, 1) != rules.observe(two, 1)


def test_a_state_that_was_left_is_still_what_it_was() -> None:
    rules = rules_of("tic_tac_toe")
    start = rules.initial_state()
    legal = rules.legal_actions(start)
    after = [rules.apply(start, action) for action in legal]
    assert len({*after}) == len(legal)
    assert [state.history for state in after] == [(action.id,) for action in legal]
    assert rules.observe(start, 0).history == ()
    assert rules.apply(start, legal[3]) == after[3]


def test_actions_have_texts_and_numbers_are_checked() -> None:
    rules = rules_of("connect_four", columns=5)
    state = rules.initial_state()
    assert [rules.action_text(state, each) for each in rules.legal_actions(state)] == [
        f"x{column}" for column in range(5)
    ]
    for data in ({"type": "move", "id": 5}, {"type": "move", "id": "1"}, {"type": "x"}, 7):
        with pytest.raises(InvalidActionError):
            rules.decode_action(data)


def test_returns_that_are_not_whole_are_scored_in_thousandths() -> None:
    game = GAMES["openspiel.blotto"]
    rules = built(game, 3)
    scores = set()
    for seed in range(20):
        outcome = rules.outcome(play(rules, str(seed)).plies[-1].after)
        assert outcome is not None
        order = sorted(zip(outcome.scores, outcome.places, strict=True), reverse=True)
        assert [place for _, place in order] == sorted(outcome.places)
        scores |= {*outcome.scores}
    assert {1000, -500} <= scores


def test_further_parts_of_observations_are_sent_on_request() -> None:
    rules = rules_of("tic_tac_toe", tensor=True)
    seen = rules.observe(rules.initial_state(), 0)
    assert len(seen.tensor) == 27
    assert seen.information_state is seen.information_tensor is None
    rules = rules_of("kuhn_poker", information_state=True, information_tensor=True)
    state = rules.initial_state()
    for kind, number in (("draw", 2), ("draw", 0), ("move", 1)):
        state = rules.apply(state, rules.decode_action({"type": kind, "id": number}))
    seats = [rules.observe(state, seat) for seat in (0, 1)]
    assert [each.information_state for each in seats] == ["2b", "0b"]
    engine = state.engine
    assert [[*each.information_tensor] for each in seats] == [
        engine.information_state_tensor(seat) for seat in (0, 1)
    ]
    assert {each.name for each in GAMES["openspiel.pig"].options} & {"tensor"} == {"tensor"}
    with pytest.raises(RulesError):
        rules_of("connect_four", information_state=3)


@pytest.mark.slow
@pytest.mark.parametrize("member", ["kuhn_poker", "leduc_poker"])
def test_a_policy_of_openspiel_scores_what_openspiel_expects(member: str) -> None:
    """One by counterfactual regret minimisation against chance, in both seats."""
    from open_spiel.python.algorithms import cfr, expected_game_score
    from open_spiel.python.policy import UniformRandomPolicy

    game = pyspiel.load_game(member)
    solver = cfr.CFRSolver(game)
    for _ in range(60):
        solver.evaluate_and_update_policy()
    policy, uniform = solver.average_policy(), UniformRandomPolicy(game)
    random.seed(5)

    def solved(question: Any) -> int:
        shares = policy.policy_for_key(question.observation["information_state"])
        weights = [shares[action["id"]] for action in question.legal]
        return random.choices(range(len(weights)), weights)[0]

    def chance(question: Any) -> int:
        return random.randrange(len(question.legal))

    run = play_functions(
        f"openspiel.{member}", [solved, chance], deals=1500, options={"information_state": True}
    )
    scale = KNOWN[member].scale
    for seat in (0, 1):
        own = [
            row["score"] / scale
            for row in run.seats()
            if (row["bot"], row["seat"]) == ("solved", seat)
        ]
        pair = [uniform, uniform]
        pair[seat] = policy
        expected = expected_game_score.policy_value(game.new_initial_state(), pair)[seat]
        error = statistics.stdev(own) / len(own) ** 0.5
        assert abs(statistics.fmean(own) - expected) < 3.5 * error


def test_what_cannot_be_played_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(GameError, match=r"openspiel\.tarok of arena .*: its chance"):
        GAMES["openspiel.tarok"]
    with pytest.raises(RulesError, match=r"^options: OpenSpiel refuses") as caught:
        rules_of("go", board_size=100)
    assert caught.value.path == ("options",)
    monkeypatch.setattr(GAMES, "_members", {})
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(GameError, match=r"it needs pyspiel: pip install 'botarena\[openspiel\]'"):
        GAMES["openspiel.hearts"]


def own_games(member: str, games: int) -> Iterator[list[float]]:
    """Yield the returns and the length of random games, played by OpenSpiel alone."""
    game, draw = pyspiel.load_game(member), random.Random(1)
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                numbers, shares = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(draw.choices(numbers, shares)[0])
            else:
                state.apply_action(draw.choice(state.legal_actions()))
        yield [*state.returns(), len(state.history())]


def games_of_arena(member: str, games: int) -> Iterator[list[float]]:
    """Yield the scores and the length of random games by the rules and the luck of arena."""
    rules, draw = rules_of(member), random.Random(2)
    for number in range(games):
        state, luck = rules.initial_state(), Luck(derive_key("agreement", number))
        while (outcome := rules.outcome(state)) is None:
            if rules.to_act(state) == CHANCE:
                action = rules.chance(state, luck)
            else:
                action = draw.choice(rules.legal_actions(state))
            state = rules.apply(state, action)
        scale = KNOWN[member].scale
        yield [*(score / scale for score in outcome.scores), len(state.history)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("member", "games"),
    [("connect_four", 5000), ("hearts", 600), ("leduc_poker", 10000), ("backgammon", 100)],
)
def test_random_play_agrees_with_openspiels_own(member: str, games: int) -> None:
    for ours, theirs in zip(
        zip(*games_of_arena(member, games), strict=True),
        zip(*own_games(member, games), strict=True),
        strict=True,
    ):
        means = sum(ours) / games, sum(theirs) / games
        spread = sum(
            sum((each - mean) ** 2 for each in found) / games
            for found, mean in zip((ours, theirs), means, strict=True)
        )
        assert abs(means[0] - means[1]) <= 2 * math.sqrt(spread / games) + 1e-9, means
