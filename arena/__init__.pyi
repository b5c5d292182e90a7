from arena import games as games
from arena import testing as testing
from arena.api.errors import Error as Error
from arena.api.library import rules as rules
from arena.api.library import schema as schema
from arena.api.play import compare as compare
from arena.api.play import play as play
from arena.api.runs import Game as Game
from arena.api.runs import Ply as Ply
from arena.api.runs import Run as Run
from arena.api.standings import Standings as Standings
from arena.api.standings import Table as Table
from arena.extensions.data.make_env import env as env
from arena.extensions.data.rate import rate as rate

__version__: str
__all__: list[str]
