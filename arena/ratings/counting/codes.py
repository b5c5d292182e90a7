"""What one seat's result against another is counted as."""

from __future__ import annotations

from typing import Final

from arena.results import GameResult, Seat, Termination

LOSS: Final = 0
DRAW: Final = 1
WIN: Final = 2
NO_ROW: Final = 3
"""The two seats say nothing about each other: both were faulty, or play stopped before."""
MISSING: Final = 4
"""This seating of the block was not played (yet)."""
CODES: Final = 5
"""How many codes there are; twice the score of a decided pair is its code."""
CELLS: Final = CODES * CODES
"""Counts per pair of entrants: code in one seating by code in the other."""


def placement(result: GameResult, seat: Seat, other: Seat) -> int:
    """LOSS, DRAW or WIN of ``seat`` against ``other`` by their places.

    NO_ROW if both were faulty, whatever their places.
    """
    if result.faults and result.faulty(seat) and result.faulty(other):
        return NO_ROW
    mine, theirs = result.places[seat], result.places[other]
    return WIN if mine < theirs else DRAW if mine == theirs else LOSS


def comparison(result: GameResult, seat: Seat, other: Seat) -> int:
    """What the game says about the strength of ``seat`` against ``other``.

    As ``placement``; but a game of three and more seats that a fault ended compares the
    faulty seats with the others and the others not among themselves.
    """
    stopped = result.termination is Termination.FORFEITED and len(result.places) > 2
    if stopped and not result.faulty(seat) and not result.faulty(other):
        return NO_ROW
    return placement(result, seat, other)


def opposite(code: int) -> int:
    """The same game seen from the other seat."""
    return code if code > WIN else WIN - code
