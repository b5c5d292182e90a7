"""Environments for learners keep the interface of PettingZoo. docs/api.md has a learner."""

from __future__ import annotations

import random
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arena
from arena.games.base import CHANCE, NOBODY
from arena.games.luck import Luck, derive_key
from arena.games.registry import GAMES
from arena.referee.records.perspective import Events, plain
from tests.simultaneous import cycles_game, goofspiel_game

pytest.importorskip("pettingzoo")
from arena.extensions.data.features import Features  # needs numpy

TABLES = [
    ("dragonheart", 2),
    *(pytest.param("dragonkrak", seats, marks=pytest.mark.slow) for seats in (1, 2, 3, 4)),
    pytest.param("dragonrealm", 2, marks=pytest.mark.slow),
    *(pytest.param("dragonrealm", seats, marks=pytest.mark.soak) for seats in (3, 4)),
]


@pytest.mark.filterwarnings("ignore::UserWarning")  # advice, such as to have a render()
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of PettingZoo's own games
@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_the_tests_of_pettingzoo_pass(game: str, seats: int) -> None:
    from pettingzoo.test import api_test, seed_test

    for seat in (None, seats - 1):
        api_test(arena.env(game, seats=seats, seat=seat))
        seed_test(lambda seat=seat: arena.env(game, seats=seats, seat=seat), num_cycles=50)


def test_games_of_families_have_environments() -> None:
    pytest.importorskip("pyspiel")
    env = arena.env("openspiel.kuhn_poker")
    env.reset(seed=1)
    _, rewards = played(env)
    assert {*rewards} == {"seat_0", "seat_1"}


def played(env: Any) -> tuple[list[Any], dict[str, float]]:
    """Play the last legal action to the end; return what was seen, and the rewards."""
    env.reset()
    seen = []
    while not any(env.terminations.values()):
        observation, *_, info = env.last()
        assert observation["action_mask"].sum() == len(info["legal"])
        assert (env.vector(info["observation"]) == observation["observation"]).all()
        seen.append(info["observation"])
        env.step(np.int64(len(info["legal"]) - 1))
    return seen, dict(env.rewards)


def test_opponents_sit_at_the_other_seats() -> None:
    asked = []

    def first(question: Any) -> Any:
        asked.append(question.seat)
        assert question.observation["seat"] == question.seat
        return question.legal[0], "remark"

    env = arena.env("dragonkrak", seats=3, seat=1, opponents=[first, "random"])
    assert env.possible_agents == ["seat_1"]
    env.reset(seed=5)
    games = [played(env) for _ in range(2)]
    assert {*asked} == {0}
    assert games[0] != games[1]
    env.reset(seed=5)
    assert [played(env) for _ in range(2)] == games
    assert all(-1 <= rewards["seat_1"] <= 1 for _, rewards in games)


@pytest.mark.parametrize(
    ("game", "options", "seats", "expected"),
    [  # the reward by place, score and margin for the scores at the end
        ("openspiel.matrix_pd", {}, 2, lambda own, other: (np.sign(own - other), own, own - other)),
        ("openspiel.tiny_hanabi", {}, 2, lambda own, other: (own, own, own)),
        ("dragonkrak", {}, 1, lambda own, other: (-own, -own, -own)),
    ],
)
def test_rewards_are_what_was_asked_for(
    game: str, options: dict[str, Any], seats: int, expected: Any
) -> None:
    pytest.importorskip("pyspiel")
    for number, reward in enumerate(("place", "score", "margin")):
        env = arena.env(game, seats=seats, options=options, reward=reward)  # type: ignore[arg-type]  # a text of the table above
        env.reset(seed=1)
        for _ in range(8):
            _, rewards = played(env)
            scores = env.infos["seat_0"]["scores"]
            for seat, agent in enumerate(env.possible_agents):
                told = expected(scores[seat], scores[(seat + 1) % seats])
                assert rewards[agent] == told[number]
                assert env.infos[agent]["scores"] == scores


def test_rewards_of_more_seats_are_against_the_others() -> None:
    env = arena.env("dragonkrak", seats=4)
    env.reset(seed=1)
    _, rewards = played(env)
    assert len(rewards) == 4
    assert sum(rewards.values()) == pytest.approx(0)
    assert max(rewards.values()) > 0
    env = arena.env("dragonkrak", seats=4, reward="margin")
    env.reset(seed=1)
    _, rewards = played(env)
    points = [-each for each in env.infos["seat_3"]["scores"]]
    best, second, *_ = sorted(points, reverse=True)
    for agent, own in zip(rewards, points, strict=True):
        assert rewards[agent] == own - (second if own == best else best)


@pytest.mark.parametrize("reward", ["place", "score", "margin"])
def test_a_seat_that_never_acts_has_its_reward(reward: Any) -> None:
    pytest.importorskip("pyspiel")
    take_all, heap = [lambda question: len(question.legal) - 1], {"pile_sizes": "3"}
    env = arena.env("openspiel.nim", seat=1, opponents=take_all, options=heap, reward=reward)
    env.reset(seed=1)
    seen = []
    for _ in env.agent_iter():
        _, own, ended, _, info = env.last()
        seen.append((own, ended, env.rewards["seat_1"], sorted(info)))
        env.step(None)
    told = env._rewards(env.rules.outcome(env._state))[1]
    assert told
    assert seen == [(told, True, told, ["places", "scores"])]


def test_what_is_handed_out_is_a_copy() -> None:
    def spoil(question: Any) -> Any:
        chosen = question.legal[0]
        question.legal.clear()
        question.observation.clear()
        return chosen

    def game(*, spoiled: bool) -> list[Any]:
        env = arena.env("dragonheart", seat=0, opponents=[spoil])
        env.reset(seed=4)
        found = []
        for _ in env.agent_iter():
            observation, reward, ended, _, info = env.last()
            found.append((observation["observation"].tolist(), reward, str(info)))
            if spoiled:
                observation["observation"].fill(7)
                observation["action_mask"].fill(0)
                info.clear()
                again = env.observe("seat_0")
                assert again["observation"].tolist() == found[-1][0]
                assert ended or again["action_mask"].any()
            env.step(None if ended else 0)
        return found

    assert game(spoiled=True) == game(spoiled=False)


def test_calls_in_the_wrong_order_are_refused() -> None:
    def refused(told: str, call: Any, *given: Any) -> None:
        with pytest.raises(arena.Error, match=told):
            call(*given)

    env = arena.env("dragonheart", seat=0)
    refused("observe: expected a call of reset", env.observe, "seat_0")
    for again in range(2):  # before the first game, and after it
        for call in (env.last, env.agent_iter, lambda: env.seat, lambda: env.step(0)):
            refused("no game is being played, expected a call of reset", call)
        if not again:
            played(env)
            refused("seat_0: found 0, expected None: its game has ended", env.step, 0)
            env.step(None)
    answers = iter([0])
    env = arena.env("dragonheart", seat=0, opponents=[lambda _: next(answers)])
    env.reset(seed=1)
    env.step(0)
    before = env.last()[4]
    with pytest.raises(StopIteration):
        env.step(0)
    assert env.last()[4] == before  # nothing of the failed step is kept


def test_a_vector_has_an_entry_for_each_fact() -> None:
    env = arena.env("dragonheart")
    one, two = env.vector({"turn": 3, "hand": ["a", "b"]}), env.vector({"turn": 3})
    assert two.sum() == 3
    assert (one - two).sum() == 4  # each text by its place, and without it
    swapped = env.vector({"turn": 3, "hand": ["b", "a"]})
    assert np.minimum(one, swapped).sum() == 5
    assert env.vector([10**12, None, True]).tolist().count(1) == 2
    assert env.vector([10**12]).max() == 1e6


def slow_vector(value: Any, width: int) -> list[float]:
    """Return the vector of JSON as docs/api.md describes it, fact by fact."""
    found = [0.0] * width

    def add(place: str, value: Any) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                add(f"{place}/{key}", inner)
        elif isinstance(value, list):
            for number, inner in enumerate(value):
                add(f"{place}/{number}", inner)
                if isinstance(inner, str):
                    count(f"{place}[]={inner}", 1)
        elif isinstance(value, int | float):
            count(place, value)
        else:
            count(f"{place}={value}", 1)

    def count(fact: str, amount: float) -> None:
        found[zlib.crc32(fact.encode()) % width] += amount

    add("", value)
    return [max(-1e6, min(1e6, each)) for each in found]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**7), 10**7) | st.sampled_from("abc"),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abc"), inner),
)


@settings(deadline=None)
@given(st.lists(JSON, max_size=4), st.sampled_from([1, 8, 512]))
def test_vectors_do_not_depend_on_values_met_before(values: list[Any], width: int) -> None:
    features = Features(width)
    for value in values:
        assert features.vector(value).tolist() == slow_vector(value, width)


def test_few_values_are_kept() -> None:
    features = Features(64)
    for number in range(30):
        text = str(number) * 50_000
        assert features.vector([text]).sum() == 2
    assert features.kept < 2_500_000


def test_threads_may_share_the_places_of_facts() -> None:
    values = [[[row, column, [column] * 30] for column in range(20)] for row in range(5)]
    wanted = [Features(64).vector(value).tolist() for value in values]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(20):
            features = Features(64)
            with ThreadPoolExecutor(4) as pool:
                list(pool.map(features.vector, values * 4))
            assert [features.vector(value).tolist() for value in values] == wanted
    finally:
        sys.setswitchinterval(before)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (
            {"opponents": ["random"]},
            "opponents: found no seat beside them, expected the seat of the learner too, such as",
        ),
        ({"seat": 2}, "seat: found 2, expected 0 to 1"),
        (
            {"seat": 0, "opponents": []},
            "opponents: found 0 in the list, expected 1: one for each other seat",
        ),
        (
            {"seat": 0, "opponents": [7]},
            "opponents: found 7, expected random, a function, the folder of a bot, ",
        ),
        ({"seat": 0, "opponents": ["builtin:gredy"]}, 'found "builtin:gredy"'),
        ({"width": 0}, "width: found 0, expected a number from 1 to 1,000,000"),
        ({"width": 10**30}, "width: found 1000.*, expected a number from 1 to 1,000,000"),
        ({"actions": 10**30}, "actions: found 1000.*, expected fixed or a number from 1 to"),
        ({"width": "fixed"}, 'width: found "fixed", expected a whole number'),
        ({"actions": True}, "found true"),
        ({"actions": "all"}, 'found "all", expected fixed or a number from 1'),
        ({"reward": "money"}, 'reward: found "money", expected place, score or margin'),
        ({"seats": 9}, "dragonheart has 2 seats"),
        ({"options": {"edtion": "ffg"}}, r"got 'edtion' \(did you mean \"edition\"\?\)$"),
        ({"options": {"seats": 2}}, r"^options\.seats: expected one of edition, starter"),
        ({"options": {"name": "x"}}, r"^options\.name: expected one of edition, starter"),
        ({"game": "halma"}, r'^game: found "halma", expected .* or openspiel\.GAME'),
        ({"settings": ["clock.move=x"]}, '^settings clock.move=x: clock.move: found "x", expected'),
        (
            {"seat": 0, "opponents": ["bots/tiny"], "settings": ["clok.move=2 s"]},
            r'^settings clok.move=2 s: unknown key "clok" \(did you mean "clock"\?\)\n[^\n]*$',
        ),
    ],
)
def test_what_no_environment_has_is_refused(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(arena.Error, match=told):
        arena.env(**({"game": "dragonheart"} | wrong))


def test_what_is_not_legal_is_refused() -> None:
    env = arena.env("dragonheart")
    env.reset(seed=1)
    for wrong in (-1, 200, None, "0"):
        with pytest.raises(
            arena.Error, match=r"seat_.: found .*, expected the index of a legal action, 0 to"
        ):
            env.step(wrong)
    for wrong in (99, {"type": "fly"}):
        env = arena.env("dragonheart", seat=0, opponents=[lambda _, wrong=wrong: wrong])
        with pytest.raises(arena.Error, match="seat_1: "):
            played(env)
    with pytest.raises(arena.Error, match=r"legal actions, the environment has 1; raise actions="):
        arena.env("dragonheart", actions=1).reset(seed=1)


@pytest.mark.parametrize("game", [("dragonheart", 2), ("dragonkrak", 3), ("dragonrealm", 2)])
def test_events_are_those_that_the_referee_sends(game: tuple[str, int]) -> None:
    name, seats = game
    asked: list[tuple[int, Any]] = []

    def last(question: Any) -> int:
        asked.append((question.seat, question.events))
        return len(question.legal) - 1

    env = arena.env(name, seats=seats, seat=0, opponents=[last] * (seats - 1))
    env.reset(seed=3)
    for _ in env.agent_iter():
        _, _, ended, _, info = env.last()
        if not ended:
            asked.append((0, info["events"]))
            with pytest.raises(arena.Error):
                env.step(-1)  # changes nothing
        env.step(None if ended else len(info["legal"]) - 1)
    rules, expected = env.rules, []
    luck = Luck(derive_key(derive_key("env", "3", 0), "deal"))
    events, state = Events(rules, range(seats)), rules.initial_state()
    while (actor := rules.to_act(state)) != NOBODY:
        if actor == CHANCE:
            action = rules.chance(state, luck)
        else:
            action = rules.legal_actions(state)[-1]
            expected.append((actor, plain(events.of[actor])))
            events.of[actor].clear()
        events.add(state, action, after := rules.apply(state, action))
        state = after
    assert asked == expected
    assert sum(len(seen) for _, seen in asked) > len(asked)


@pytest.mark.parametrize("choice", [(), {"a": object()}, {}, [0], None, "0", 999, (999, "hm")])
def test_an_opponent_that_returns_no_legal_action_is_one_error(choice: Any) -> None:
    env = arena.env("dragonheart", seat=0, opponents=[lambda question: choice])

    def play() -> None:
        env.reset(seed=1)
        for _ in range(9):
            env.step(0)

    with pytest.raises(arena.Error, match=r"^seat_1: found .*, expected the index of a legal"):
        play()


def test_builtin_bots_are_opponents_by_name() -> None:
    def mean(opponent: Any) -> float:
        env = arena.env("dragonheart", seat=0, opponents=[opponent])
        env.reset(seed=2)
        return float(np.mean([played(env)[1]["seat_0"] for _ in range(20)]))

    assert mean("builtin:greedy") < mean("builtin:collector") < mean("builtin:first-legal")
    assert mean("builtin:random") == mean("random")
    assert mean("collector") == mean("builtin:collector")
    with pytest.raises(arena.Error, match="builtin:collector does not play dragonkrak with 2"):
        arena.env("dragonkrak", seats=2, seat=0, opponents=["builtin:collector"])


@pytest.mark.parametrize("game", ["dragonheart", "dragonkrak", "openspiel.tic_tac_toe", "chess"])
def test_fixed_numbers_mean_the_same_action_in_every_state(game: str) -> None:
    if "." in game:
        pytest.importorskip("pyspiel")
    if game == "chess":
        pytest.importorskip("chess")
    env, by_index = arena.env(game, actions="fixed"), arena.env(game)
    size = env.action_space("seat_0").n
    met: dict[int, Any] = {}
    for played in (env, by_index):
        played.reset(seed=6)
    choices = random.Random(6)
    for _ in env.agent_iter():
        seen, _, ended, _, info = env.last()
        other = by_index.last()[4]
        if ended:
            break
        numbers = info.pop("numbers")
        assert other.pop("numbers") == [*range(len(numbers))]
        assert info == other
        assert seen["action_mask"].nonzero()[0].tolist() == sorted(numbers)
        assert [env.action_of(number) for number in numbers] == info["legal"]
        for number, action in zip(numbers, info["legal"], strict=True):
            assert env.number_of(action) == number
            assert met.setdefault(number, action) == action
        wrong = next(number for number in range(size + 1) if number not in numbers)
        for each in (wrong, size, -1, None):
            with pytest.raises(arena.Error, match=r"expected the (number|index) of a legal action"):
                env.step(each)
        choice = choices.randrange(len(numbers))
        env.step(numbers[choice])
        by_index.step(choice)
    assert env.rewards == by_index.rewards
    assert len(met) > 8
    for wrong in ({"type": "fly away"}, None, 7):
        with pytest.raises(arena.Error, match=r"number_of: found .*, expected an action of a seat"):
            env.number_of(wrong)
    for wrong in (size, -1):
        with pytest.raises(
            arena.Error, match=r"action_of: found .*, expected the number of an action, 0 to"
        ):
            env.action_of(wrong)
    with pytest.raises(arena.Error, match='actions: expected "fixed"'):
        by_index.action_of(0)


def test_one_learner_has_the_interface_of_gymnasium() -> None:
    one = arena.gym_env("dragonheart", seat=1, actions="fixed", width=64)
    two = arena.env("dragonheart", seat=1, actions="fixed", width=64)
    rewards: list[list[float]] = [[], []]
    for seed in (3, None):
        observation, info = one.reset(seed=seed)
        two.reset(seed=seed)
        has_ended = False
        while not has_ended:
            assert one.observation_space.contains(observation)
            other = two.last()
            assert info == other[4]
            assert (observation["action_mask"] == other[0]["action_mask"]).all()
            with pytest.raises(
                arena.Error, match="seat_1: found -1, expected the number of a legal action"
            ):
                one.step(-1)
            choice = info["numbers"][-1]
            two.step(choice)
            observation, reward, has_ended, is_cut, info = one.step(choice)
            assert not is_cut
            rewards[0].append(reward)
            rewards[1].append(two.rewards["seat_1"])
        with pytest.raises(arena.Error, match="step: the game has ended, expected a call of reset"):
            one.step(0)
    assert rewards[0] == rewards[1]
    pytest.importorskip("pyspiel")
    take_all = [lambda question: len(question.legal) - 1]
    idle = arena.gym_env(
        "openspiel.nim", seat=1, opponents=take_all, options={"pile_sizes": "3"}, actions="fixed"
    )
    with pytest.raises(arena.Error, match="seat_1 did not act in 1000 games"):
        idle.reset(seed=1)


@pytest.mark.parametrize(
    ("game", "settings"),
    [
        ("dragonheart", {"seat": 1, "opponents": ["builtin:collector"], "actions": "fixed"}),
        ("dragonkrak", {"seats": 3, "reward": "margin", "actions": 64}),
    ],
)
def test_many_games_step_as_single_ones(game: str, settings: dict[str, Any]) -> None:
    vector = arena.envs(3, game, width=64, **settings)
    single = [arena.env(game, width=64, **settings) for _ in range(3)]
    agents = single[0].possible_agents
    seen, infos = vector.reset(seed=5)
    for number, env in enumerate(single):
        env.reset(seed=5 + number)
    choices, ended = random.Random(4), 0
    while ended < 6:
        assert vector.observation_space.contains(seen)
        actions = []
        for number, env in enumerate(single):
            assert infos["seat"][number] == agents_seat(env)
            own = env.observe(env.agent_selection)
            assert all((seen[key][number] == own[key]).all() for key in own)
            actions.append(choices.choice(own["action_mask"].nonzero()[0]))
        wrong = [*actions[:-1], -1]
        with pytest.raises(arena.Error, match=r"expected the (number|index) of a legal action"):
            vector.step(wrong)  # changes nothing
        seen, rewards, ends, cuts, infos = vector.step(np.array(actions))
        assert not cuts.any()
        for number, (env, action) in enumerate(zip(single, actions, strict=True)):
            actor = env.agent_selection
            env.step(action)
            assert ends[number] == env.terminations[actor]
            assert rewards[number] == env.rewards[actor]
            assert infos["rewards"][number].tolist() == [env.rewards[each] for each in agents]
            if ends[number]:
                assert infos["final_info"]["scores"][number] == env.infos[actor]["scores"]
                last = env.observe(actor)["observation"]
                assert (infos["final_obs"][number]["observation"] == last).all()
                env.reset()
                ended += 1
    for other in (4, [1, 2, 3]):
        again, _ = vector.reset(seed=other)
        assert (again["observation"] == vector.reset(seed=other)[0]["observation"]).all()


def agents_seat(env: Any) -> int:
    return int(env.agent_selection.removeprefix("seat_"))


def test_one_learner_of_many_games_is_as_in_gymnasium() -> None:
    """The vector of Gymnasium itself, of single environments, gives the same."""
    from gymnasium.vector import AutoresetMode, SyncVectorEnv

    def single() -> Any:
        return arena.gym_env("dragonheart", actions="fixed", width=32)

    ours = arena.envs(2, "dragonheart", seat=0, actions="fixed", width=32)
    theirs = SyncVectorEnv([single, single], autoreset_mode=AutoresetMode.SAME_STEP)
    for name in ("single_observation_space", "single_action_space", "action_space"):
        assert getattr(ours, name) == getattr(theirs, name)
    assert ours.observation_space == theirs.observation_space
    assert ours.metadata == theirs.metadata
    assert ours.num_envs == 2
    (seen, _), (other, _) = ours.reset(seed=3), theirs.reset(seed=3)
    ended = 0
    while ended < 3:
        assert {key: each.tolist() for key, each in seen.items()} == {
            key: each.tolist() for key, each in other.items()
        }
        actions = seen["action_mask"].argmax(axis=1)
        seen, *ends, infos = ours.step(actions)
        other, *expected, told = theirs.step(actions)
        for own, each in zip(ends, expected, strict=True):
            assert own.tolist() == each.tolist()
        ended += int(ends[1].sum())
        assert ("final_info" in infos) == ("final_info" in told)
        assert infos.get("_final_info", np.zeros(2)).tolist() == ends[1].tolist()
    ours.close()


def test_wrong_calls_of_many_games_are_refused() -> None:
    for count in (0, "2", True):
        with pytest.raises(arena.Error, match=r"n: found .*, expected a whole number from 1"):
            arena.envs(count, "dragonheart")  # type: ignore[arg-type]  # wrong on purpose
    answers = iter([0])
    vector = arena.envs(8, "dragonheart", seat=0, opponents=[lambda _: next(answers)])
    with pytest.raises(arena.Error, match="no games are being played, expected a call of reset"):
        vector.step([0, 0])
    with pytest.raises(arena.Error, match="seed: found 3 in a list, expected 8"):
        vector.reset(seed=[1, 2, 3])
    with pytest.raises(arena.Error, match='seed: found "8", expected a whole number from 0'):
        vector.reset(seed=[None] * 7 + ["8"])  # type: ignore[list-item]  # wrong on purpose
    for _ in range(2):  # an opponent fails while games begin, so that there are none
        with pytest.raises(StopIteration):
            vector.reset(seed=[1, 2, 3, 4, 5, 6, 7, 8])
        with pytest.raises(arena.Error, match="expected a call of reset"):
            vector.step([0] * 8)
    vector = arena.envs(2, "dragonheart")
    vector.reset()
    for actions in ([0], None, 3):
        with pytest.raises(arena.Error, match=r"step: found .*, expected 2 actions"):
            vector.step(actions)


KINDS = {
    "env": (arena.env, 0),
    "parallel_env": (arena.parallel_env, {"seat_0": 0}),
    "gym_env": (arena.gym_env, 0),
    "envs": (lambda game, **settings: arena.envs(2, game, **settings), [0, 0]),
}
"""Maker of each kind of environment, and a first action."""


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_refuses_alike(kind: str) -> None:
    make: Any = KINDS[kind][0]
    action = KINDS[kind][1]
    env, other = (make("dragonheart", seat=0, opponents=["first-legal"]) for _ in range(2))
    for seed in (1.5, True, -1, np.int64(-1), "x", "", np.float64(2), {}):
        with pytest.raises(
            arena.Error, match=r"^seed: found .+, expected (a whole number from 0|2)"
        ):
            env.reset(seed=seed)
    for name in ("observe", "action_space", "observation_space"):
        if callable(call := getattr(env, name, None)):
            for agent in ("seat_1", "x", 0, None, []):
                with pytest.raises(arena.Error, match=rf"^{name}: found .+, expected seat_0$"):
                    call(agent)
    for seed in (3, 10**30):
        env.reset(seed=np.int64(seed) if seed == 3 else seed)
        other.reset(seed=seed)
        assert str(env.step(action)) == str(other.step(action))
    for _ in range(2):
        env.close()
        for name, values in (("step", [action]), ("reset", [])):
            with pytest.raises(arena.Error, match=f"^{name}: the environment was closed$"):
                getattr(env, name)(*values)
    with pytest.raises(
        TypeError, match=rf"^{kind}\(\) got an unexpected keyword argument 'oponents'"
    ):
        make("dragonheart", oponents=["random"])


def test_actions_of_nobody_are_refused() -> None:
    env = arena.parallel_env("dragonheart")
    env.reset(seed=1)
    for actions, told in [
        ([0, 0], "step: found a list, expected a mapping of agents to actions"),
        ({"seat_9": 0}, 'step: found "seat_9", expected seat_0 or seat_1'),
        ({}, "seat_.: found nothing, expected the index of a legal action"),
    ]:
        with pytest.raises(arena.Error, match=told):
            env.step(actions)  # type: ignore[arg-type]  # wrong on purpose


def test_games_without_a_list_of_actions_have_no_fixed_numbers() -> None:
    with pytest.raises(arena.Error, match="the rules of dragonrealm have no action_space"):
        arena.env("dragonrealm", actions="fixed")


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "arena.extensions.data.environment", raising=False)
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    with pytest.raises(arena.Error, match=r"needs pettingzoo.*pip install 'botarena\[env\]'"):
        arena.env("dragonheart")


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize(("game", "choice"), [(goofspiel_game.GAME, 0), (cycles_game.GAME, 1)])
def test_seats_that_decide_at_once_act_in_one_step(
    game: Any, choice: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pettingzoo.test import parallel_api_test

    monkeypatch.setitem(GAMES.loaded, game.name, game)
    parallel_api_test(arena.parallel_env(game.name, seats=3), num_cycles=50)
    env, one = arena.parallel_env(game.name, seats=3), arena.env(game.name, seats=3)
    seen, infos = env.reset(seed=1)
    one.reset(seed=1)
    steps = 0
    fixed = arena.parallel_env(game.name, seats=3, actions="fixed") if choice == 0 else None
    if fixed:  # the smallest bid
        _, told = fixed.reset(seed=1)
        while fixed.agents:
            _, won, _, _, told = fixed.step(
                {name: each["numbers"][0] for name, each in told.items() if each}
            )
    while env.agents:
        deciding = {name: len(each["legal"]) for name, each in infos.items() if each}
        assert {name: seen[name]["action_mask"].sum() for name in deciding} == deciding
        with pytest.raises(arena.Error, match="expected the index of a legal"):
            env.step(dict.fromkeys([*deciding][:-1], 0))
        seen, rewards, ends, _, infos = env.step(dict.fromkeys(env.agents, choice))
        for name in deciding:
            assert one.agent_selection == name
            one.step(choice)
        steps += 1
    assert steps >= 3
    assert not fixed or won == rewards
    assert (rewards, ends, infos) == (one.rewards, one.terminations, one.infos)
    with pytest.raises(arena.Error, match="expected a call of reset"):
        env.step({})
