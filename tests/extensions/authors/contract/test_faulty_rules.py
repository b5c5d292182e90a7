"""Rules with one planted fault each: the contract names the check, the place and the fault."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import msgspec
import pytest

from arena.extensions.authors.contract.tables import speed
from arena.games.base import NOBODY, InvalidActionError
from arena.games.game import Game
from arena.games.installed import failing_package
from arena.games.registry import GAMES, built
from arena.testing import contract, results
from arena.values.results import Outcome
from tests.cli.shell import arena, environment
from tests.kuhn.install import install, loaded
from tests.kuhn.test_outside import search_path
from tests.schemas import validator

Fault = Callable[..., Any]


@pytest.fixture(scope="module", autouse=True)
def kuhn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with loaded(tmp_path_factory.mktemp("installed")):
        yield


def unhidden(rules: Any, state: Any, seat: int) -> Any:
    """Everybody sees the second card."""
    view = rules.right.observe(state, seat)
    is_dealt = len(state.cards) == 2 and not state.deeds
    return msgspec.structs.replace(view, card=state.cards[1]) if is_dealt else view


def told(rules: Any, before: Any, action: Any, after: Any) -> Any:
    """Everybody is told every card."""
    events = rules.right.describe(before, action, after)
    card = getattr(action, "card", None)
    return [msgspec.structs.replace(event, card=card) for event in events]


def twice(rules: Any, state: Any) -> Any:
    return [*rules.right.legal_actions(state)] * 2


def none(rules: Any, state: Any) -> Any:
    return ()


def mean(rules: Any, state: Any) -> Any:
    """By a card, and only for a seat that cannot know it."""
    legal = rules.right.legal_actions(state)
    return legal[: 1 if state.cards[:1] == ("jack",) and len(state.deeds) == 1 else 2]


def drawn(rules: Any, state: Any, luck: Any) -> Any:
    """From the random numbers of the process."""
    chance = rules.right.chance(state, luck)
    left = [card for card in rules.spec.data["cards"] if card not in state.cards]
    return msgspec.structs.replace(chance, card=random.choice(left))


def endless(rules: Any, state: Any) -> Any:
    return max(0, rules.right.to_act(state)) if len(state.cards) == 2 else -1


def nobody(rules: Any, state: Any) -> Any:
    return NOBODY


def stranger(rules: Any, state: Any) -> Any:
    return 7 if state.deeds else rules.right.to_act(state)


def early(rules: Any, state: Any) -> Any:
    return rules.right.outcome(state) or (Outcome((0, 0), (1, 1)) if state.deeds else None)


def placed(rules: Any, state: Any) -> Any:
    found = rules.right.outcome(state)
    return found and found._replace(places=(2, 3))


def poor(rules: Any, state: Any) -> Any:
    found = rules.right.outcome(state)
    return found and found._replace(scores=(-99, 99))


def halves(rules: Any, state: Any) -> Any:
    found = rules.right.outcome(state)
    return found and found._replace(scores=(0.5, -0.5))


def fields(rules: Any, state: Any) -> Any:
    found = rules.right.outcome(state)
    return found and found._asdict()


def noisy(rules: Any, before: Any, action: Any, after: Any) -> Any:
    """Told are random cards."""
    card = random.choice(rules.spec.data["cards"])
    return [
        msgspec.structs.replace(event, card=card) for event in told(rules, before, action, after)
    ]


def short(rules: Any, before: Any, action: Any, after: Any) -> Any:
    return rules.right.describe(before, action, after)[:1]


def again(rules: Any, state: Any, luck: Any) -> Any:
    """The second card is drawn as the first was."""
    luck.below("card", 0, 2)
    return rules.right.chance(state, luck)


def trusting(rules: Any, data: Any) -> Any:
    return rules.right.decode_action({"type": data["type"]} if "card" not in data else data)


def broken(rules: Any, state: Any, action: Any) -> Any:
    if state.deeds:
        raise KeyError("pot")
    return rules.right.apply(state, action)


def forgetful(rules: Any, state: Any, action: Any) -> Any:
    """A fold is another action in a replay."""
    if len(state.deeds) == 1:
        rules.calls += 1
        after = rules.right.apply(state, action)
        return msgspec.structs.replace(after, cards=after.cards[:: (-1) ** rules.calls])
    return rules.right.apply(state, action)


def unread(rules: Any, data: Any) -> Any:
    if data["type"] == "bet":
        raise InvalidActionError("no bets")
    return rules.right.decode_action(data)


def possible(rules: Any, state: Any, action: Any) -> Any:
    return True


def impossible(rules: Any, state: Any, action: Any) -> Any:
    return False


def forgotten(rules: Any, observation: Any, luck: Any) -> Any:
    guess = rules.right.determinize(observation, luck)
    return msgspec.structs.replace(guess, deeds=())


def doubled(rules: Any) -> Any:
    return [rules.right.decode_action({"type": name}) for name in ("bet", "check", "bet")]


def lacking(rules: Any) -> Any:
    return doubled(rules)[:2]


class Faulty:
    """Kuhn poker with one method replaced."""

    def __init__(self, right: Any, method: str, fault: Fault) -> None:
        self.right, self.calls = right, 0
        if method:
            setattr(self, method, partial(fault, self))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.right, name)


def faulty(method: str, fault: Fault) -> Game:
    game = GAMES["kuhn"]

    def build(*given: Any) -> Any:
        return Faulty(game.build(*given), method, fault)

    return game._replace(build=build)


@pytest.mark.parametrize(
    ("method", "fault", "check", "words"),
    [
        ("observe", unhidden, "leaks", "observe after depends on what the seat cannot know"),
        ("describe", told, "leaks", "describe depends on what the seat cannot know"),
        ("legal_actions", mean, "leaks", "legal_actions depends on what the seat cannot know"),
        ("legal_actions", twice, "legal_actions", "found an action twice"),
        ("legal_actions", none, "play", "legal_actions: found none for seat 0"),
        ("chance", drawn, "determinism", "the same game played again"),
        ("to_act", endless, "play", "expected the end after at most 5 plies (info.max_plies)"),
        ("to_act", nobody, "play", "found NOBODY in the initial state"),
        ("to_act", stranger, "play", "found 7, expected a seat below 2, CHANCE or NOBODY"),
        ("outcome", early, "flow", "outcome: expected none before the end"),
        ("outcome", placed, "outcome", "places=(2, 3), ruling=''), expected places that are 1"),
        ("outcome", halves, "outcome", "ruling=''), expected scores that are whole numbers"),
        ("outcome", poor, "outcome", "expected none worse than -2"),
        ("outcome", fields, "outcome", "'ruling': ''}, expected Outcome"),
        ("describe", noisy, "determinism", "describe asked again: found"),
        ("describe", short, "view_json", "describe: found 1 events, expected 2, by seat"),
        ("chance", again, "play", "found below('card', 0, …) again"),
        ("decode_action", trusting, "action_json", "decode_action of None: raised TypeError"),
        ("apply", broken, "play", "Faulty raised KeyError: 'pot' (test_faulty_rules.py:"),
        ("apply", forgetful, "replay", "the state of the replay: found"),
        ("decode_action", unread, "action_json", "raised InvalidActionError: no bets"),
        ("is_chance_possible", possible, "legal_actions", "allows an action of a seat"),
        ("is_chance_possible", impossible, "legal_actions", "denies what chance drew"),
        ("action_space", doubled, "action_space", "found an action twice"),
        ("action_space", lacking, "action_space", "ply 3: action_space: lacks "),
        ("determinize", forgotten, "worlds", "observe of a drawn world depends on"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_planted_fault_is_found(method: str, fault: Fault, check: str, words: str) -> None:
    game = faulty(method, fault)
    found = {each.check: each.problem for each in results(built(game), game, games=30)}
    assert words in found[check]
    assert found[check].startswith("game contract-")


@pytest.mark.parametrize(
    ("change", "check", "words"),
    [
        (
            {"worst_score": None},
            "play",
            "info: expected RulesInfo: Expected `int`, got `null`",
        ),
        ({"public": ("pot",)}, "public", "info.public: found 'pot', expected a field of the obs"),
    ],
)
def test_wrong_facts_are_found(change: dict[str, Any], check: str, words: str) -> None:
    game = faulty("", none)

    def build(*given: Any) -> Any:
        rules = game.build(*given)
        rules.info = msgspec.structs.replace(rules.info, **change)
        return rules

    wrong = game._replace(build=build)
    found = {each.check: each for each in results(built(wrong), wrong, games=3)}
    assert words in found[check].problem
    if check == "play":
        assert found["public"].words == "not tested: no game could be played"


def test_a_check_is_a_parameter_of_a_test_that_fails_passes_or_is_skipped() -> None:
    plain = GAMES["kuhn"]._replace(check_state=None)
    checks = {check.__name__: check for check in contract(plain, games=3)}
    assert {"2-flow", "2-bet=two-leaks"} <= checks.keys()
    checks["2-flow"]()
    with pytest.raises(BaseException, match="not tested: the game brings no check_state") as caught:
        checks["2-whole_states"]()
    assert type(caught.value).__name__ == "SkipTest"
    [failing] = [
        check
        for check in contract(faulty("legal_actions", twice), games=3)
        if check.__name__ == "2-legal_actions"
    ]
    with pytest.raises(AssertionError, match="found an action twice"):
        failing()


def test_rules_that_end_the_process_are_broken_not_fast() -> None:
    def ended(rules: Any, state: Any, action: Any) -> Any:
        raise SystemExit(0)

    with pytest.raises(
        AssertionError, match=r"Faulty raised SystemExit: 0 \(test_faulty_rules.py:"
    ):
        speed(built(faulty("apply", ended)), 0.01)


def test_a_package_that_fails_is_named() -> None:
    with pytest.raises(AttributeError) as caught:
        built(GAMES["kuhn"]).observe(None, 0)
    told = failing_package(caught.value)
    assert told.startswith("kuhn of kuhn-poker 1.0.0 failed: AttributeError: 'NoneType' object")
    assert re.search(r"\(rules\.py:[0-9]+\)$", told)
    with pytest.raises(ZeroDivisionError) as ours:
        print(1 / 0)
    assert failing_package(ours.value) == ""


@pytest.mark.slow
@pytest.mark.process
def test_the_command(tmp_path: pytest.TempPathFactory) -> None:
    folder: Any = tmp_path
    env = environment(PYTHONPATH=search_path(str(install(folder))))
    done = arena(folder, "check-game", "kuhn", "--count", "3", env=env)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[-1] == "kuhn: 2 tables of 3 games: contract kept"
    source = folder / "kuhn_poker" / "rules.py"
    source.write_text(source.read_text().replace("seat == owner else None", "seat >= 0 else None"))
    done = arena(folder, "check-game", "kuhn", "--count", "3", "--json", env=env)
    assert done.code == 1
    document = msgspec.json.decode(done.out)
    validator(document["schema"]).validate(document)
    assert (document["schema"], document["passed"]) == ("arena.contract/1", False)
    leaks = [each for table in document["tables"] for each in table["checks"] if each["problem"]]
    assert {each["check"] for each in leaks} == {"leaks"}
    source.write_text(source.read_text().replace('options["bet"]', 'options["bets"]'))
    done = arena(folder, "check-game", "kuhn", env=env)
    assert (done.code, done.out) == (2, "")
    assert done.err == "error: kuhn_poker failed to build the rules: KeyError: 'bets'\n"
    done = arena(folder, "check-game", "kun", env=env)
    assert (done.code, done.out) == (2, "")
    assert done.err.endswith('(did you mean "kuhn"?)\n')
