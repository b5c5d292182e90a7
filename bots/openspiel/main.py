"""Players of OpenSpiel for the games of OpenSpiel.

`mcts` needs the whole state, so it plays games without hidden information. `ismcts` also plays
small games with hidden information: it looks for a game that agrees with all this bot saw, and
OpenSpiel's player then draws others like it.
"""

import json
import random
import sys

import pyspiel

PLAYERS = ("players", "numPlayers", "num_players")
EXPLORATION = 2.0
MOST_STATES = 200_000
"""States that are looked at to find a game like the one being played."""


def send(**message):
    print(json.dumps(message), flush=True)


def load(start):
    """Return OpenSpiel's game with the options of arena's."""
    name = start["rules"].removeprefix("openspiel.")
    kind = next(each for each in pyspiel.registered_games() if each.short_name == name)
    defaults = kind.parameter_specification
    given = {name: start["seats"] for name in PLAYERS if name in defaults}
    for option, value in start["options"].items():
        if option in defaults and value != defaults[option]:  # others are of arena
            given[option] = type(defaults[option])(value)
    game = pyspiel.load_game(name, given)
    if kind.dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
        game = pyspiel.convert_to_turn_based(game)
    return game


def player(game, seed, options):
    """Return the player of OpenSpiel that decides; None for the random one."""
    simulations = options["simulations"]
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    if options["player"] == "mcts":
        return pyspiel.MCTSBot(game, evaluator, EXPLORATION, simulations, 500, False, seed, False)
    if options["player"] == "ismcts":
        policy = pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
        return pyspiel.ISMCTSBot(
            seed, evaluator, EXPLORATION, simulations, -1, policy, False, False
        )
    return None


def seen(game, state, seat):
    """Return what arena sends as the text of a seat's observation, where something is hidden."""
    if game.get_type().provides_observation_string:
        return state.observation_string(seat)
    return state.information_state_string(seat)


def likely(game, seat, texts, moves, rng):
    """Return a state in which the seat saw `texts` when it decided and chose `moves`."""
    stack = [(game.new_initial_state(), 0)]
    for _ in range(MOST_STATES):
        if not stack:
            break
        state, turn = stack.pop()
        if state.is_terminal():
            continue
        if state.current_player() == seat:
            if seen(game, state, seat) != texts[turn]:
                continue
            if turn == len(moves):
                return state
            stack.append((state.child(moves[turn]), turn + 1))
            continue
        actions = state.legal_actions()
        rng.shuffle(actions)
        stack += [(state.child(action), turn) for action in actions]
    sys.exit("no game was found that agrees with what was seen: this game is too large for ismcts")


rng = random.Random()
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        wants = ["observation", "legal"]
        send(type="ready", protocol=1, name="openspiel", version="1.0.0", wants=wants)
    elif message["type"] == "start":
        rng.seed(message["seed"])
        seat, options = message["seat"], message.get("bot_options", {})
        game = load(message)
        bot = player(game, message["seed"] % 2**31, options)
        texts, moves = [], []
    elif message["type"] == "act":
        observation = message["observation"]
        history = observation.get("history")
        texts.append(observation["text"])
        if bot is None:
            action = rng.choice(message["legal"])["id"]
        elif history is not None:
            state = game.new_initial_state()
            for each in history:
                state.apply_action(each)
            action = bot.step(state)
        elif options["player"] == "ismcts":
            action = bot.step(likely(game, seat, texts, moves, rng))
        else:
            sys.exit("this game hides something, and mcts needs the whole state: use ismcts")
        moves.append(action)
        send(type="action", id=message["id"], action={"type": "move", "id": action})
    elif message["type"] == "bye":
        break
