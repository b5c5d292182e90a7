"""Findings of ``arena reask`` as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from arena.games.base import Action
from arena.games.board import TableInfo
from arena.games.boards.guarded import board_of
from arena.records.perspective import plain
from arena.referee.faults import Offence, exit_text
from arena.results import FaultKind
from arena.studies.reask.bot import BuildableBot
from arena.studies.reask.courses import Answer, Question, Transcript
from arena.studies.reask.findings import Count, Determinism, Findings, Label, RejectedAnswer
from arena.text import clean
from arena.text.numbers import count as counted

SCHEMA: Final = "arena.reask/1"
_STDERR_LINES: Final = 10
_INDENT: Final = " " * 6
_MEANINGS: Final = {
    Determinism.DETERMINISTIC: "the same answers whatever the seed",
    Determinism.SEEDED: "the same answers to the same seed",
    Determinism.NEITHER: "other answers to the same seed",
}


def text(findings: Findings, show: int) -> Iterator[str]:
    """Yield the questions, how many answers agree, the first ``show`` differences, faults."""
    count = findings.counted
    yield from _summary(findings)
    for change in count.firsts[:show]:
        yield ""
        yield from _change_lines(change)
    if len(count.firsts) > show:
        yield ""
        yield f"... and {len(count.firsts) - show} more"
    yield from _fault_lines(count, show)
    if findings.label is not None:
        yield ""
        yield from _label_lines(findings.label)


def _summary(findings: Findings) -> Iterator[str]:
    count, whose = findings.counted, findings.wish.entrant
    name = clean.plain(findings.candidate.name)
    decisions = counted(count.decisions, "decision")
    if findings.are_wanted:
        met, unmet = f"{count.same} as wanted", f"{count.different} not"
        yield f"{name} asked {decisions}: {met}, {unmet}"
    else:
        forced = f" ({count.forced} with one legal action)" if count.forced else ""
        agreement = "" if count.agreement is None else f" ({_percent(count.agreement)} the same)"
        same, different = f"{count.same} same", f"{count.different} different"
        yield f"{name} asked again: {counted(count.games, 'game')}{_of_seats(count, whose)}"
        yield f"{decisions}{forced}: {same}, {different}{agreement}"
    if count.unasked:
        yield f"{counted(count.unasked, 'decision')} not asked, after a fault"
    if count.given_up:
        yield f"given up after {counted(count.faults, 'fault')}"
    if count.after and count.first_agreement is not None:
        yield (
            f"differences in {count.changed_seats} of {_seats(count)}: {count.before} decisions "
            f"before the first one, {count.after} after it, of which {count.after_same} the same"
        )
        yield (
            f"without those after a first difference {_percent(count.first_agreement)} are the "
            "same: the game continued along its record, which may confuse a bot that remembers"
        )


def _of_seats(count: Count, whose: str | None) -> str:
    """Name in words the entrant whose seats were asked; count seats if games have several."""
    several = count.seats != count.games
    if whose is None:
        return f", {count.seats} seats" if several else ""
    number = f"{count.seats} " if several else ""
    return f", the {number}seats of {clean.plain(whose)}"


def _change_lines(change: RejectedAnswer) -> Iterator[str]:
    transcript, question = change.transcript, change.question
    yield f"{_place(transcript, question)}:"
    for line in _board_lines(transcript, question):
        yield f"{_INDENT}{line}"
    wanted = [answer_words(each) for each in question.wanted]
    if transcript.where:
        if wanted:
            yield f"  wanted:   {' or '.join(wanted)}"
        if question.unwanted:
            yield f"  unwanted: {', '.join(map(answer_words, question.unwanted))}"
    else:
        yield f"  recorded: {' or '.join(wanted)}"
    yield f"  now:      {answer_words(change.answer)}"
    if transcript.comment:
        yield f"  {clean.plain(' '.join(transcript.comment.split()))}"


def _place(transcript: Transcript, question: Question) -> str:
    name = clean.plain(transcript.name)
    if transcript.where:
        return f"{transcript.where}: {name}"
    who = clean.plain(transcript.entrant)
    return f"{name} ply {question.ply}, seat {transcript.course.seat} ({who})"


def _board_lines(transcript: Transcript, question: Question) -> list[str]:
    """Return the lines of the board as the seat saw it, as in ``arena replay``."""
    spec = transcript.course.rules.spec
    table = TableInfo(tuple(map(clean.plain, transcript.entrants)), spec.options)
    return board_of(spec.name, spec.seats).compact(plain(question.observation), table)


def answer_words(answer: Answer | FaultKind) -> str:
    """Return the words for an action, or for a fault in its place."""
    if isinstance(answer, FaultKind):
        return f"fault {answer.value}"
    if isinstance(answer, Offence):
        return f"fault {answer.kind.value}: {clean.plain(answer.detail)}"
    return clean.plain(msgspec.json.encode(answer).decode())


def _fault_lines(count: Count, show: int) -> Iterator[str]:
    if not count.faults:
        return
    yield ""
    yield counted(count.faults, "fault")
    for change in count.offences[:show]:
        yield from offence_lines(_place(change.transcript, change.question), change.answer)
    for transcript, offence in count.absences[: max(0, show - len(count.offences))]:
        yield from offence_lines(clean.plain(transcript.name), offence)


def offence_lines(where: str, answer: Answer) -> Iterator[str]:
    """Yield the lines of a fault with what is known of it; nothing for an action."""
    if not isinstance(answer, Offence):
        return
    yield f"{where}: {answer.kind.value}: {clean.plain(answer.detail)}"
    if answer.exit_status is not None and exit_text(answer.exit_status) not in answer.detail:
        yield f"  {exit_text(answer.exit_status)}"
    if answer.line:
        yield f"  line: {clean.plain(answer.line)}"
    if lines := answer.stderr.splitlines()[-_STDERR_LINES:]:
        yield "  end of its standard error:"
        for line in lines:
            yield f"    {clean.plain(line.expandtabs())}"


def _label_lines(label: Label) -> Iterator[str]:
    yield f"{label.determinism.value}: {_MEANINGS[label.determinism]}"
    rounds = counted(label.rounds, "time")
    yield (
        f"rests on {counted(label.decisions, 'decision')}, {label.choices} of them with a choice, "
        f"asked {rounds} with the recorded seeds and once with others"
    )
    if label.differs is not None:
        ply = "its start" if label.ply is None else f"ply {label.ply}"
        yield f"first difference: {clean.plain(label.differs.name)}, {ply}"


def json_text(findings: Findings) -> str:
    """Return the findings as an indented JSON document."""
    count, label = findings.counted, findings.label
    data: dict[str, Any] = {
        "bot": findings.candidate.name,
        "entrant": findings.wish.entrant,
        "games": count.games,
        "seats": count.seats,
        "decisions": count.decisions,
        "forced": count.forced,
        "same": count.same,
        "different": count.different,
        "unasked": count.unasked,
        "agreement": count.agreement,
        "until_first_difference": count.first_agreement,
        "changed_seats": count.changed_seats,
        "before": count.before,
        "after": count.after,
        "after_same": count.after_same,
        "differences": [_change(change) for change in count.firsts],
        "faults": [_change(change) for change in count.offences]
        + [_absence(transcript, offence) for transcript, offence in count.absences],
        "determinism": None if label is None else _label(label, findings.candidate),
    }
    return _document(data, findings.warnings())


def written_text(path: str, decisions: int) -> str:
    """Return the JSON document which states that a file of wanted decisions was written."""
    return _document({"path": path, "decisions": decisions}, [])


def _document(data: dict[str, Any], warnings: list[str]) -> str:
    document = clean.answer(SCHEMA, data=data, warnings=warnings)
    return clean.json_document(document).removesuffix("\n")


def _change(change: RejectedAnswer) -> dict[str, Any]:
    question = change.question
    return _game(change.transcript) | {
        "ply": None if change.transcript.where else question.ply,
        "observation": question.observation,
        "wanted": [_answer(each) for each in question.wanted],
        "unwanted": [_answer(each) for each in question.unwanted],
        "answer": _answer(change.answer),
        "earlier": change.earlier,
    }


def _absence(transcript: Transcript, offence: Offence) -> dict[str, Any]:
    return _game(transcript) | {"ply": None, "answer": _answer(offence)}


def _game(transcript: Transcript) -> dict[str, Any]:
    return {
        "game": transcript.name,
        "where": transcript.where or None,
        "seat": transcript.course.seat,
        "entrant": transcript.entrant,
    }


def _answer(answer: Action | Offence | FaultKind) -> dict[str, Any]:
    if isinstance(answer, FaultKind):
        return {"fault": answer.value}
    if isinstance(answer, Offence):
        fault = {"fault": answer.kind.value, "detail": answer.detail, "line": answer.line}
        return fault | {"exit_status": answer.exit_status, "stderr": answer.stderr}
    return {"action": answer}


def _label(label: Label, candidate: BuildableBot) -> dict[str, Any]:
    return {
        "label": label.determinism.value,
        "claimed": candidate.claims_determinism,
        "rounds": label.rounds,
        "decisions": label.decisions,
        "choices": label.choices,
        "game": None if label.differs is None else label.differs.name,
        "ply": label.ply,
    }


def _seats(count: Count) -> str:
    """Return the number of games, or of seats if games have several."""
    noun = "game" if count.seats == count.games else "seat"
    return counted(count.seats, noun)


def _percent(share: float) -> str:
    """Return a percentage with one decimal; 100 % and 0 % only for exact values."""
    tenths = round(1000 * share)
    tenths = min(tenths, 999) if share < 1 else tenths
    tenths = max(tenths, 1) if share > 0 else tenths
    return f"{tenths / 10:.1f} %"
