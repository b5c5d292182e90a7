"""Tests of the rules engines; ``golden`` and ``soak`` in here can also be run as programs."""
