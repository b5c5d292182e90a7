"""Packs of games for others after a run, with the view of one bot or of spectators."""
