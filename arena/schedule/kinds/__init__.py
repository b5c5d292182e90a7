"""The kinds of schedules: those known before play, those that grow, and their registry.

A kind says which keys it accepts, which settings cannot work, who meets, and how people read about
it; a kind with rounds also pairs them from the results of those before, and ranks the players. Use
kinds through ``registry``.
"""
