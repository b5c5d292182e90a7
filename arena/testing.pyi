from arena.extensions.authors.contract import CHECKS as CHECKS
from arena.extensions.authors.contract import Check as Check
from arena.extensions.authors.contract import ContractError as ContractError
from arena.extensions.authors.contract import ContractResult as ContractResult
from arena.extensions.authors.contract import PlayedGame as PlayedGame
from arena.extensions.authors.contract import Transition as Transition
from arena.extensions.authors.contract import contract as contract
from arena.extensions.authors.contract import play as play
from arena.extensions.authors.contract import results as results

__all__: tuple[str, ...]
