"""The kinds of schedules: those known before play, those that grow, and their registry.

A kind says which keys it accepts, which settings cannot work, who meets, and how people read about
it. Use kinds through ``registry``. Whatever needs results of games is registered by the name of the
kind on the floor that computes it: ``runs.rounds.following`` and ``views.standings.rounds.panels``.
"""
