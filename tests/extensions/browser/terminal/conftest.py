"""A run of three stored games."""

from tests.views.game.conftest import made as made
