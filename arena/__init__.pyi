from arena import games as games
from arena import testing as testing
from arena.cli.api.errors import Error as Error
from arena.cli.api.library import rules as rules
from arena.cli.api.library import schema as schema
from arena.cli.api.play import compare as compare
from arena.cli.api.play import play as play
from arena.cli.api.runs import Game as Game
from arena.cli.api.runs import Ply as Ply
from arena.cli.api.runs import Run as Run
from arena.cli.api.standings import Standings as Standings
from arena.cli.api.standings import Table as Table
from arena.extensions.data.make_env import env as env
from arena.extensions.data.rate import rate as rate

__version__: str
__all__: list[str]
