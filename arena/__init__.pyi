from arena import games as games
from arena import testing as testing
from arena.extensions.data.api.errors import Error as Error
from arena.extensions.data.api.library import env as env
from arena.extensions.data.api.library import envs as envs
from arena.extensions.data.api.library import gym_env as gym_env
from arena.extensions.data.api.library import parallel_env as parallel_env
from arena.extensions.data.api.library import rules as rules
from arena.extensions.data.api.library import schema as schema
from arena.extensions.data.api.play import compare as compare
from arena.extensions.data.api.play import play as play
from arena.extensions.data.api.rate import rate as rate
from arena.extensions.data.api.runs import Game as Game
from arena.extensions.data.api.runs import Ply as Ply
from arena.extensions.data.api.runs import Run as Run
from arena.extensions.data.api.standings import Standings as Standings
from arena.extensions.data.api.standings import Table as Table

__version__: str
__all__: list[str]
