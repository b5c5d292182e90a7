"""The interface that games share, and their registry; the games are in ``extensions/games``.

Public modules, from which other rooms may import:

    base, board, game, guarded_board, guarded_rules, installed, luck,
    positions, registry, simultaneous
"""
