"""The games: one folder for each game, the interface they share, and the registry.

Public modules, from which other floors may import:

    base, board, game, guarded_board, guarded_rules, installed, luck,
    positions, registry
"""
