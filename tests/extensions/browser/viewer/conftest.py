"""The run of the tests of ``arena replay``."""

from tests.views.game.conftest import made as made
