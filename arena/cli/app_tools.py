"""More commands with their options: numbers, plans and questions around the runs."""

from __future__ import annotations

from arena.cli.app import app

__all__ = ["app"]
