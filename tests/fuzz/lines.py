"""A million hostile lines through framing, decoding, judging and the handshake.

    python -m tests.fuzz.lines [--lines 1000000] [--seed 1]
    python -m tests.fuzz.lines --hex 7b2274…

Valid lines of every kind, mutations of them and noise. Whatever comes, the referee answers with
a value: an exception, a line that takes more than a second of processor time, a verdict that
does not hold together or an accepted line that does not say what was understood ends the run
with exit code 1, the seed and the line.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

import msgspec

from arena.games.base import CHANCE, Action, Rules
from arena.games.registry import GAMES, resolve
from arena.referee.ask import judge
from arena.referee.channel import Reply
from arena.referee.protocol import (
    INFO_LIMIT,
    Act,
    BadMessage,
    Bye,
    Choice,
    Hello,
    LineBuffer,
    LineTooLong,
    Over,
    Ready,
    Start,
    decode,
    encode,
)
from arena.referee.session import BotSession, Offence, handshake
from arena.values.results import FaultKind, Limits, Termination, TimeControl
from tests.fuzz.mutate import cuts, mutated, noise
from tests.fuzz.timer import interrupted
from tests.games.games import default_data, play
from tests.referee.scripted import Scripted
from tests.referee.test_protocol import GOOD, HOSTILE

TOKEN: Final = "3f2a9c417be05d68"
BATCH: Final = 500
"""Lines of one stretch of the stream, which is drawn from a seed of its own."""
SLOW: Final = 1_000_000_000
"""Nanoseconds of processor time that no line may take."""
STUCK: Final = 30.0
"""Seconds of processor time after which a batch is interrupted."""
_LONGEST_SEED: Final = 2000
_POSITIONS: Final = 12
"""Of each title and table size."""
_VERDICTS: Final = {FaultKind.MALFORMED, FaultKind.PROTOCOL, FaultKind.ILLEGAL}


class Position(NamedTuple):
    """A place in a real game at which a bot is asked."""

    rules: Rules[Any, Any]
    legal: Sequence[Action]
    answers: tuple[bytes, ...]
    """Good ones."""


class Failed(AssertionError):
    """The referee did with a line what it must not do."""


class _Reciter(Scripted):
    """A bot whose every answer is one line."""

    def __init__(self, line: bytes) -> None:
        super().__init__()
        self._line = line

    def ask(self, question: bytes | bytearray, allowance: int | None) -> Reply:
        return self._line


@cache
def positions() -> list[Position]:
    """Positions of random games of all titles at all table sizes."""
    found = []
    for name, family in GAMES.items():
        for seats in family.seats:
            game = play(resolve(name, seats, {}, default_data(name)), "fuzz")
            asked = [ply.before for ply in game.plies if ply.actor != CHANCE]
            for state in asked[:: max(1, len(asked) // _POSITIONS)]:
                legal = game.rules.legal_actions(state)
                found.append(Position(game.rules, legal, tuple(_answers(legal))))
    return found


def _answers(legal: Sequence[Action]) -> Iterator[bytes]:
    """By index and by action, with and without info."""
    for index, action in enumerate(legal[:4]):
        yield answer(index)
        yield answer(action)
        yield answer(action, {"depth": 3, "line": ["a", 1.5, None]})
    yield answer(len(legal) - 1, "x" * 30)


@cache
def corpus() -> list[bytes]:
    """Valid lines of every kind of message, both directions, and lines known to be bad.

    Those that begin a session stand in it several times: the others are many.
    """
    limits, control = Limits(), TimeControl()
    lines = [line for line, _ in GOOD.values()]
    lines += [
        b'{"type":"ready","protocol":1,"name":"a","version":"1","wants":["legal","events"]}',
        b'{"type":"ready","protocol":1,"wants":[]}',
        b'{"protocol":1,"type":"ready"}',
    ] * 8
    lines += [line for line in HOSTILE.values() if len(line) <= _LONGEST_SEED]
    lines += [
        encode(Hello((1,), "arena 1", limits, 10.0)).strip(),
        encode(Start("g", "toy", {"a": 1}, {}, 0, 2, control, 7)).strip(),
        encode(Act(TOKEN, 1.5, {"hand": [1]}, [{"what": "x"}], [{"type": "say"}])).strip(),
        encode(Over((1, 2), (3, 1), Termination.COMPLETED, ())).strip(),
        encode(Bye()).strip(),
    ]
    return lines


def answer(action: Any, info: Any = None) -> bytes:
    """The line of an answer."""
    return msgspec.json.encode(Choice(TOKEN, action, info))


def stream(seed: int | str, batch: int) -> Iterator[tuple[bytes, Position]]:
    """The lines of one batch with where they are judged; some hold line ends."""
    rng, lines, places = random.Random(f"{seed}/{batch}"), corpus(), positions()
    for _ in range(BATCH):
        place = rng.choice(places)
        whose = rng.choice((place.answers, place.answers, rng.choice(places).answers, lines))
        line = rng.choice(whose)
        kind = rng.random()
        if kind < 0.05:
            line = noise(rng)
        elif kind > 0.1:
            line = mutated(rng, line, lines)
        yield line, place


def check_line(line: bytes, position: Position) -> Iterator[str]:
    """The verdicts on a line. Raises Failed at one that does not hold together."""
    try:
        message: Ready | Choice | None = decode(line)
    except BadMessage as bad:
        if not str(bad):
            raise Failed("refused without a word") from None
        message = None
    if message is not None:
        _check_message(line, message)
    yield "decoded: " + ("bad message" if message is None else type(message).__name__.lower())
    yield "judged: " + _check_judged(line, message, position)
    yield "at start: " + _check_handshake(line, message)


def _check_message(line: bytes, message: Ready | Choice) -> None:
    """What was understood must be what the line says to everybody else, and can be said again."""
    said = json.loads(line.decode(), parse_constant=_no_constant)
    for field, value in msgspec.structs.asdict(message).items():
        expected = tuple(said[field]) if field == "wants" and field in said else said.get(field)
        if field in said and (value != expected or type(value) is not type(expected)):
            raise Failed(f"{field} was understood as {value!r}")
    again = decode(msgspec.json.encode(message))
    if again != message:
        raise Failed(f"said again it is {again!r}")


def _no_constant(text: str) -> None:
    raise Failed(f"accepted with {text}")


def _check_judged(line: bytes, message: Ready | Choice | None, position: Position) -> str:
    verdict = judge(position.rules, position.legal, TOKEN, line)
    if isinstance(verdict, Offence):
        _check_offence(verdict)
        if verdict.kind not in _VERDICTS:
            raise Failed(f"judged as {verdict.kind}")
        if message is None and verdict.kind is not FaultKind.MALFORMED:
            raise Failed(f"no message, but judged as {verdict.kind}")
        return verdict.kind.value
    action, info = verdict
    if not isinstance(message, Choice) or message.id != TOKEN or action not in position.legal:
        raise Failed(f"let through as {action!r}")
    if isinstance(message.action, int) and action is not position.legal[message.action]:
        raise Failed(f"index {message.action} was taken for {action!r}")
    if info is not None and (
        len(bytes(info)) > INFO_LIMIT or msgspec.json.decode(info) != message.info
    ):
        raise Failed(f"keeps as info {bytes(info)!r}")
    return "let through"


def _check_handshake(line: bytes, message: Ready | Choice | None) -> str:
    player = handshake(_Reciter(line), TimeControl(), Limits())
    if isinstance(player, BotSession):
        if not isinstance(message, Ready) or message.protocol != 1:
            raise Failed("a session without ready")
        return "session"
    _check_offence(player)
    if player.kind is not FaultKind.STARTUP:
        raise Failed(f"{player.kind} before the first game")
    return "refused"


def _check_offence(offence: Offence) -> None:
    """It is shown to people and kept in records: one short line of what a terminal may print."""
    for text in (offence.detail, offence.line):
        if not text.isprintable() or len(text) > 2500:
            raise Failed(f"told as {text!r}")
    if not offence.detail:
        raise Failed("an offence without a word")


def check_framing(rng: random.Random, lines: Sequence[bytes]) -> Iterator[str]:
    """The lines through a buffer in random pieces, compared with a plain way to cut them."""
    data = b"\n".join(lines) + rng.choice((b"", b"\n"))
    limit = rng.choice((65536, 65536, 65536, 400, 64))
    buffer, found, too_long = LineBuffer(limit), [], False
    for piece in cuts(rng, data, rng.choice((1, 7, 300, 65536)) if len(data) < 20_000 else 65536):
        buffer.feed(piece)
        try:
            while (line := buffer.take()) is not None:
                found.append(line)
        except LineTooLong:
            too_long = True
            break
        if len(buffer) >= limit:
            raise Failed(f"{len(buffer)} bytes held, a line has at most {limit}")
    if (found, too_long) != expected_lines(data, limit):
        raise Failed("cut into other lines")
    yield "framed: " + ("a line too long" if too_long else "all")


def expected_lines(data: bytes, limit: int) -> tuple[list[bytes], bool]:
    """All lines before one that is too long, and whether there is one."""
    found: list[bytes] = []
    *whole, rest = data.split(b"\n")
    for line in whole:
        if len(line) + 1 > limit:
            return found, True
        if line.strip():
            found.append(line.removesuffix(b"\r"))
    return found, len(rest) >= limit


def run_batch(seed: int | str, batch: int, counts: Counter[str]) -> None:
    """All checks on one batch. Raises Failed, whose text ends with the line in hex."""
    line = b""
    lines: list[bytes] = []
    now = time.process_time_ns
    try:
        for line, place in stream(seed, batch):
            began = now()
            counts.update(check_line(line, place))
            if now() - began > SLOW:
                raise Failed(f"took {(now() - began) / SLOW:.1f} s")
            lines.append(line)
        rng = random.Random(f"{seed}/{batch}/framing")
        for start in range(0, BATCH, 20):
            line = b"\n".join(lines[start : start + 20])
            counts.update(check_framing(rng, lines[start : start + 20]))
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        raise Failed(f"seed {seed}, batch {batch}: {what}\n--hex {line.hex()}") from error


def check_everywhere(line: bytes) -> Counter[str]:
    """One line at every position."""
    return Counter(verdict for place in positions() for verdict in check_line(line, place))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the lines; 0 if the referee had an answer to each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--hex", help="check this one line, in hex, at every position")
    options = parser.parse_args(arguments)
    if options.hex is not None:
        counts = check_everywhere(bytes.fromhex(options.hex))
        print("\n".join(f"{count:>12,}  {verdict}" for verdict, count in counts.items()))
        return 0
    print(f"{len(positions())} positions, seed {options.seed}")
    counts = Counter()
    began = time.process_time()
    batches = -(-options.lines // BATCH)
    for batch in range(batches):
        try:
            with interrupted(STUCK, Failed(f"took more than {STUCK:.0f} s")):
                run_batch(options.seed, batch, counts)
        except Failed as error:
            print(error, file=sys.stderr)
            return 1
        if (batch + 1) % 200 == 0:
            rate = (batch + 1) * BATCH / (time.process_time() - began)
            print(f"{(batch + 1) * BATCH:>12,}  lines, {rate:,.0f} per second", flush=True)
    lines, used = batches * BATCH, time.process_time() - began
    for verdict, count in sorted(counts.items()):
        print(f"{count:>12,}  {verdict}")
    print(f"{lines:,} lines in {used:.0f} s of one core: {lines / used:,.0f} per second")
    return 0


if __name__ == "__main__":
    sys.exit(main())
