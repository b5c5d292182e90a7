"""The kinds of schedules known before play, the interface of all kinds, and their registry.

A kind says which keys it accepts, which settings cannot work, who meets, and how people read about
it; a kind with rounds also pairs them from the results of those before, and ranks the players. Use
kinds through ``registry``.
"""
