"""The games: one folder for each game, the interface they share, and the registry.

Public modules, from which other floors may import:

    base, board, boards.guarded, game, installed, luck,
    packages.guarded, positions, registry
"""
