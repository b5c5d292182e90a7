"""Files of wanted decisions from decisions that were made. ``reask_decisions`` reads them."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from arena.documents.document import MAX_BYTES
from arena.documents.units import format_duration
from arena.games.base import Action
from arena.games.catalog import rules_spec
from arena.referee.reask import Question
from arena.results import RulesSpec
from arena.studies.reask.courses import Setting, Transcript


class TooLarge(ValueError):
    """More than a file can hold; the text says how much."""


class Written(NamedTuple):
    """A file of wanted decisions that was made."""

    data: bytes
    decisions: int


def write_decisions(
    transcripts: Iterable[Transcript], setting: Setting, plies: range | None
) -> Written:
    """A file with what was answered in the games as the answers that are wanted.

    ``plies``: those that are taken; None: all with more than one legal action. Answers that were
    faults are left out. Raises TooLarge as soon as the file would be.
    """
    writer = _Writer(setting)
    for transcript in transcripts:
        writer.add(transcript, plies)
    return Written(writer.text(), writer.decisions)


class _Writer:
    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._games: list[tuple[str, RulesSpec]] = []
        self._entries = io.BytesIO()
        self.decisions = 0

    def add(self, transcript: Transcript, plies: range | None) -> None:
        course = transcript.course
        seen: list[Any] = []
        for question in course.questions:
            seen += question.events
            taken = len(question.legal) > 1 if plies is None else question.ply in plies
            if taken and all(isinstance(each, Action) for each in question.wanted):
                self._add(transcript, question, seen)
        if self._entries.tell() > MAX_BYTES:
            raise TooLarge(f"more than {MAX_BYTES >> 20} MiB")

    def _add(self, transcript: Transcript, question: Question, seen: list[Any]) -> None:
        course = transcript.course
        lines = {
            "name": f"{transcript.name} ply {question.ply}",
            "game": self._game(course.rules.spec),
            "seat": course.seat,
            "seed": course.seed,
            "options": dict(transcript.options),
            "accept": question.wanted,
            "observation": question.observation,
            "events": seen,
            "legal": question.legal,
        }
        bullet = b"  - "
        for key, value in lines.items():
            if key == "options" and not value:
                continue
            if isinstance(value, list | tuple):
                self._entries.write(b"%s%s:\n" % (bullet, key.encode()))
                for item in value:
                    self._entries.write(b"      - %s\n" % _json(item))
            else:
                self._entries.write(b"%s%s: %s\n" % (bullet, key.encode(), _json(value)))
            bullet = b"    "
        self.decisions += 1

    def _game(self, spec: RulesSpec) -> str:
        """The name of these rules in the file."""
        for name, known in self._games:
            if known == spec:
                return name
        name = f"{spec.name}-{spec.seats}"
        taken = [known for known, _ in self._games]
        if name in taken:
            name = f"{name}.{len(taken) + 1}"
        self._games.append((name, spec))
        return name

    def text(self) -> bytes:
        games = b"".join(
            b"  %s: %s\n" % (name.encode(), _json(_shape(spec))) for name, spec in self._games
        )
        clock = b"clock: %s\n" % _json(_clock(self._setting))
        text = b"decisions: 1\n" + clock + b"games:\n" + games
        text += b"wanted:\n" + self._entries.getvalue()
        if len(text) > MAX_BYTES:
            raise TooLarge(f"more than {MAX_BYTES >> 20} MiB")
        return text


def _json(value: object) -> bytes:
    """JSON, which is YAML too."""
    return msgspec.json.encode(value)


def _shape(spec: RulesSpec) -> dict[str, Any]:
    """Rules as the file has them, without card data that is the rules' own."""
    shape = {"rules": spec.name, "seats": spec.seats, "options": spec.options}
    if spec.data != rules_spec(spec.name, spec.seats, spec.options).data:
        shape["data"] = spec.data
    return shape


def _clock(setting: Setting) -> dict[str, Any]:
    control = setting.control
    given = {"move": control.move, "bank": control.bank, "startup": control.startup}
    texts: dict[str, Any] = {k: format_duration(v) for k, v in given.items() if v is not None}
    if control.bank is not None:
        texts["increment"] = format_duration(control.increment)
    return texts | {"pondering": setting.pondering}
