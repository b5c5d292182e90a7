"""Receives submissions: decides which bots enter, and answers their authors.

A bot is copied first, so that nothing changes while it is checked. Each decision is a line of the
book. A submission without a decision has no line and is looked at again: at once if it was not
complete, later if the machine did not let it be checked. A submission at which arena itself fails,
or for which the machine lacks a program, is quarantined until its files or the programs of PATH
change or the ladder is started again. Everything else continues.
"""

from __future__ import annotations

import datetime
import errno
import os
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from arena.entrants.folders import FolderError
from arena.extensions.ladder import intake
from arena.extensions.ladder.admission import Examine, named_place, obstacle
from arena.extensions.ladder.book import (
    AUTHOR_JOINT,
    DECISIONS,
    ON,
    Book,
    BookEvent,
    BotState,
    LadderBot,
    What,
    answer,
    answer_event,
    refused,
)
from arena.extensions.ladder.days import (
    MOST_ENDED,
    Clock,
    Turns,
    Unfinished,
    backed_off,
    day_of,
    text_of,
)
from arena.extensions.ladder.file import Ladder
from arena.extensions.ladder.repositories import SHORT, Repositories
from arena.extensions.ladder.store import (
    Quarantine,
    Quarantined,
    QuarantineEntry,
    VersionStore,
    digest_of,
    place_of,
)
from arena.hosting.sandbox.isolation import IsolationError
from arena.referee.session import MachineTooBusy
from arena.runs.disk import StoreError, cannot_write, writing
from arena.tournament.executor import PoolError
from arena.values.numbers import count

_LOOK_SHARE: Final = 20.0
"""Time between two looks at the folder of submissions, as a multiple of the time of a look."""
_TOUCHED: Final = 60.0
"""Delay until files that were touched, but not changed, are examined again, in seconds."""
_AGAIN: Final = 600.0
"""Delay until a bot is checked again that the machine did not let be checked, in seconds."""
_SOON: Final = 2.0
"""Seconds from the first attempt to copy a bot to the second; times four, up to ``_AGAIN``."""
_FAILED: Final = "the check itself failed, which is no fault of this bot; the organiser knows"
_UNFINISHED: Final = (
    "the ladder was ended {} times while these files were checked",
    "if they take long to build, have them take less: other files are checked",
    "these are checked again when the organiser asks for it, or on another machine",
)
_AGAIN_WHEN: Final = (
    "it is looked at again when its files or the programs of the machine change, and when the "
    "ladder is started again"
)
_WHILE: Final = "it is looked at again when that is no longer so"
_AUTHOR_BYTES: Final = 4096
_SAID_LINES: Final = 200
_MOST_TOLD: Final = 1_000
"""Limit of odd entries that are reported: strangers can make any number of them."""
_OF_THE_MACHINE: Final = (
    *(errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO),
    *(errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN),
)
"""Errors of the machine; they end the ladder, as no submission is to blame."""

Report: TypeAlias = Callable[[str], object]
"""Callback that reports a bug to the organiser, called while the exception is being handled."""


class Reception:
    """The folder of submissions of a ladder, its book and its answers."""

    def __init__(
        self,
        ladder: Ladder,
        clock: Clock,
        examine: Examine,
        say: Callable[[str], None],
        report: Report,
        *,
        still: float,
        file_time: Callable[[], float],
    ) -> None:
        """Open the book, and create the folder of submissions of a new ladder. Raises StoreError.

        ``still`` and ``file_time`` are those of ``keeper.LadderContext``.
        """
        self._ladder = ladder
        self._clock = clock
        self._examine_with = examine
        self._say = say
        self._report = report
        self._still = still
        self._file_time = file_time
        self.book = Book(ladder.folder)
        self._versions = VersionStore(ladder.folder)
        self._unfinished = Unfinished(ladder.folder, clock)
        self._turns = Turns(clock)
        self.quarantine = Quarantine(ladder.folder)
        self.programs = _path_state()
        """State of PATH at the last look."""
        self._quarantined: dict[LadderBot, tuple[object, str]] = {}
        """State of PATH and day when submissions were quarantined in this session."""
        self._undecided: Counter[tuple[str, str]] = Counter()
        """Number of looks without a line in the book, by author and day."""
        self._seen: dict[LadderBot, intake.Stamp] = {}
        """State of submissions that were looked at in this session, with any result."""
        self._waiting: dict[LadderBot, tuple[intake.Stamp, str, int]] = {}
        """Submissions that have to wait for another day or for fewer bots of their author."""
        self._refused: dict[LadderBot, str] = {}
        """Reasons for refusing submissions that cannot be copied."""
        self._held: dict[LadderBot, tuple[intake.Stamp, str]] = {}
        """Files and digests of submissions whose files or name another bot claims at present."""
        self._not_before: dict[LadderBot, float] = {}
        """Earliest next look, in seconds of the clock, at files touched or impossible to check."""
        self._attempts: Counter[LadderBot] = Counter()
        """Failed attempts to copy a bot since one succeeded."""
        self._told: set[str] = set()
        """Odd entries that were reported; each is reported once."""
        self.look_next = 0.0
        """Time of the next look, in seconds of the clock."""
        self.is_settling = False
        """True if a submission is not complete yet."""
        self.is_behind = False
        """True if there was no time yet for a submission."""
        if not self.book.bots:  # else the folder is missing, perhaps with its disk
            with writing(ladder.submissions):
                ladder.submissions.mkdir(exist_ok=True)
        self._repositories = Repositories(ladder, clock, say, report)
        for bot in self.book.bots:
            self.answer_again(bot)

    def has_news(self) -> bool:
        """Return whether a submission can be considered, or the folder of a bot is gone."""
        if self._clock.seconds() < self.look_next:
            return False
        found = self._look()
        return any(self._gone(found)) or any(
            self._turns.is_time(each.bot.author) and self._is_new(each) for each in found.found
        )

    def _look(self) -> intake.IntakeSurvey:
        """Return the contents of the folder of submissions, and set the time of the next look.

        What is due is fetched from repositories before. Raises StoreError.
        """
        self._repositories.look()
        clock, terms = self._clock, self._ladder.file.authors
        began, self.programs = clock.seconds(), _path_state()
        found = intake.look(self._ladder.submissions, terms, self._file_time())
        ended = clock.seconds()
        self.look_next = ended + _LOOK_SHARE * (ended - began)
        return found

    def _gone(self, found: intake.IntakeSurvey) -> list[LadderBot]:
        """Return the bots whose folders are gone.

        An empty folder of submissions suggests that its disk is not mounted; then no bot is gone.
        """
        if not found.authors:
            return []
        there = {each.bot for each in found.found}
        return [
            bot
            for bot, state in self.book.bots.items()
            if state.seen and bot not in there and bot.author not in found.unread
        ]

    def _is_new(self, found: intake.SubmittedFolder) -> bool:
        """Return whether a submission is complete and was not considered in this state yet."""
        is_early = self._clock.seconds() < self._not_before.get(found.bot, 0.0)
        if found.age < self._still or is_early:
            return False
        return not self._is_known(found) or self._has_changed(found.bot)

    def _has_changed(self, bot: LadderBot) -> bool:
        """Return whether PATH has changed since this bot was quarantined."""
        return bot in self._quarantined and self._quarantined[bot][0] != self.programs

    def _is_known(self, found: intake.SubmittedFolder) -> bool:
        """Return whether the files of ``found`` were considered already.

        If they were put off or refused, return whether the reason still holds.
        """
        if found.stamp is None:
            return self._refused.get(found.bot) == found.reason
        if found.bot in self._held and self._held[found.bot][0] == found.stamp:
            return bool(self._obstacle(found.bot, self._held[found.bot][1]))
        is_seen = self._seen.get(found.bot) == found.stamp
        return is_seen or self._waiting.get(found.bot) == self._turn(found.bot, found.stamp)

    def _turn(self, bot: LadderBot, stamp: intake.Stamp) -> tuple[intake.Stamp, str, int]:
        """Return a key that changes when a waiting bot may be tried again.

        It changes with the day and with the number of bots of its author.
        """
        return stamp, day_of(self._clock.now()), self.book.of_author(bot.author)

    def take_in(self, *, has_time: bool = False) -> None:
        """Read the folder of submissions, and check those that are new and complete.

        The checks stop when there is no more time for them, see ``turns``. ``has_time``: nothing
        could be played meanwhile, so at least one submission is considered. Raises StoreError.
        """
        found = self._look()
        for odd in found.odd:
            if odd not in self._told and len(self._told) < _MOST_TOLD:
                self._told.add(odd)
                self._say(f"submissions: {odd}")
        self.is_settling = False
        for bot in self._gone(found):
            if found.authors.get(bot.author, found.age) < self._still:
                self.is_settling = True
            else:
                self._seen.pop(bot, None)
                self.note(bot, What.LEFT, self.book.bots[bot].digest)
        self._release_gone(found)
        self.is_settling |= any(
            each.age < self._still or each.bot in self._attempts for each in found.found
        )
        queue = self._turns.in_order(filter(self._is_new, found.found))
        for number, each in enumerate(queue):
            is_time = has_time and number == 0
            if not self._turns.is_time() and not is_time:
                self._fall_behind(len(queue) - number)
                return
            if not self._turns.is_time(each.bot.author) and not is_time:
                self._tell_to_wait(each.bot, self._until(each.bot.author))
            elif self._is_new(each):  # unless an earlier one of this loop now stands in its way
                with self._turns.taken(each.bot.author):
                    self._consider(each)
        self.is_behind = False

    def _until(self, author: str) -> str:
        """Return a sentence for ``author`` that says until when its checks have to wait."""
        wait = datetime.timedelta(seconds=self._turns.wait(author))
        until = text_of(self._clock.now() + wait)
        return f"checks of {author} took long today; the next begins after {until[:16]} UTC"

    def _fall_behind(self, left: int) -> None:
        if not self.is_behind:
            self._say(f"{count(left, 'submission')} to be checked: some rounds are played first")
        self.is_behind = True

    def _consider(self, found: intake.SubmittedFolder) -> None:
        """Decide on one new, complete submission, or quarantine it. Raises StoreError."""
        if self._is_known(found):  # the machine has changed: its author is not charged again
            _, day = self._quarantined.pop(found.bot)
            self._undecided[found.bot.author, day] -= 1
        try:
            if found.failure is not None:
                raise found.failure
            self._decide(found)
        except StoreError:
            raise
        except Quarantined as case:
            self._note_undecided(found)
            self._say(f"{found.bot.name}: quarantined: {case.said[0]}")
            self.put_into_quarantine(found.bot, case.said)
        except Exception:
            if self._note_undecided(found) <= self._ladder.file.authors.uploads:
                self._report(f"{found.bot.name} is quarantined")
            self.put_into_quarantine(found.bot)

    def _note_undecided(self, found: intake.SubmittedFolder) -> int:
        """Note that the submission ``found`` could not be decided.

        Returns how many submissions of its author could not be decided today.
        """
        bot, today = found.bot, day_of(self._clock.now())
        del self._attempts[bot]
        if found.stamp is None:
            self._refused[bot] = found.reason
        else:
            self._seen[bot] = found.stamp
        self._quarantined[bot] = self.programs, today
        self._undecided[bot.author, today] += 1
        return self._undecided[bot.author, today]

    def put_into_quarantine(
        self, bot: LadderBot, said: Sequence[str] = (), digest: str = ""
    ) -> None:
        """Quarantine ``bot``, and write an answer for its author. Raises StoreError.

        ``said`` is the reason in one line, then more lines; empty for a bug. ``digest`` is that of
        a version admitted before, else empty.
        """
        said = said or (_FAILED,)
        now, state = self._clock.now(), self.book.bots.get(bot, BotState())
        self.quarantine.add(QuarantineEntry(bot.name, text_of(now), said[0], digest))
        others = ON if state.digest not in ("", digest) else ""
        self._answer_to(bot, day_of(now), f"quarantined{others}", [*said, _AGAIN_WHEN])

    def retry(self) -> None:
        """Permit further checks of versions whose checks were abandoned. Raises StoreError."""
        self._unfinished.forget()

    def _release_gone(self, found: intake.IntakeSurvey) -> None:
        """End the quarantine of submissions whose folders are gone. Raises StoreError."""
        if found.authors:
            there = {each.bot.name for each in found.found}
            self.quarantine.release(
                (name, digest)
                for name, digest in self.quarantine.cases
                if not digest
                and name not in there
                and name.partition(AUTHOR_JOINT)[0] not in found.unread
            )

    def _decide(self, found: intake.SubmittedFolder) -> None:
        """Copy the submission ``found`` and decide on the copy.

        If a decision has to wait, the answer to the author says why. Raises StoreError.
        """
        bot = found.bot
        if found.stamp is None:
            self._refuse_unread(bot, found.reason)
            return
        turn = self._turn(bot, found.stamp)
        self._seen.pop(bot, None)
        self._waiting.pop(bot, None)
        self._refused.pop(bot, None)
        self._held.pop(bot, None)
        self._quarantined.pop(bot, None)
        state = self.book.bots.get(bot, BotState())
        if not state.seen and (wait := self._has_to_wait(bot, state)):
            self._waiting[bot] = turn
            self._tell_to_wait(bot, wait)
            return
        copy = Path()
        try:
            with self._versions.taking() as copy:
                intake.take(self._ladder.submissions, found, self._ladder.file.authors, copy)
                digest = digest_of(copy)
                if self._is_decided(bot, digest, copy):
                    self._seen[bot] = found.stamp
                elif self._obstacle(bot, digest):
                    self._held[bot] = found.stamp, digest
                elif self._has_to_wait(bot, state):
                    self._waiting[bot] = turn
                del self._attempts[bot]
                self._release(bot)
        except intake.FolderBusy as busy:
            self._put_off(bot, str(busy))
        except (intake.UnfitFolder, FolderError) as error:
            del self._attempts[bot]
            self._refuse_unread(bot, str(error))
            self._seen[bot] = found.stamp
        except OSError as error:
            raise cannot_write(self._ladder.folder, error) from error

    def _release(self, bot: LadderBot) -> None:
        """End the quarantine of a submission of ``bot``, if there is one. Raises StoreError."""
        self.quarantine.release([(bot.name, "")])

    def _put_off(self, bot: LadderBot, why: str) -> None:
        """Try to copy a bot again later, after four times the delay of the attempt before."""
        self.is_settling = True
        told = f"{bot.name}: cannot be copied: {why}"
        delay, so_far = backed_off(self._attempts, bot, (_SOON, 4, _AGAIN), self._say, told)
        self._not_before[bot] = self._clock.seconds() + delay
        self._tell_to_wait(bot, f"{why}; {so_far}")

    def _refuse_unread(self, bot: LadderBot, reason: str) -> None:
        """Refuse a submission that cannot be copied, and so has no digest."""
        self._refused[bot] = reason
        self._release(bot)
        self._answer_to(bot, day_of(self._clock.now()), f"refused: {reason}")

    def _is_decided(self, bot: LadderBot, digest: str, copy: Path) -> bool:
        """Decide on the submission in the folder ``copy``; return False if that has to wait.

        Raises StoreError, OSError.
        """
        state = self.book.bots.get(bot, BotState())
        if digest == state.seen:
            self._not_before[bot] = self._clock.seconds() + _TOUCHED
            self.answer_again(bot)  # other files may have been refused meanwhile
            return True
        if wait := self._has_to_wait(bot, state):
            self._tell_to_wait(bot, wait)
            return False
        if reason := self._obstacle(bot, digest):
            self._hold(bot, reason)
            return False
        if digest in self.book.owners and place_of(self._ladder.folder, digest).is_dir():
            self.note(bot, What.BACK, digest)
        else:
            self._examine(bot, digest, copy)
        return self.book.bots.get(bot, BotState()).seen == digest

    def _has_to_wait(self, bot: LadderBot, state: BotState) -> str:
        """Return why a submission of ``bot`` cannot be considered now; empty if it can."""
        terms, today = self._ladder.file.authors, day_of(self._clock.now())
        if not state.digest and self.book.of_author(bot.author) >= terms.bots:
            return f"{terms.bots} bots of {bot.author} play, and no more may; take one away"
        looked_at = self.book.uploads(bot.author, today) + self._undecided[bot.author, today]
        if looked_at >= terms.uploads:
            return f"{terms.uploads} versions of {bot.author} were looked at today; tomorrow again"
        return ""

    def _obstacle(self, bot: LadderBot, digest: str) -> str:
        return obstacle(self.book, self._ladder.anchors, bot, digest)

    def _hold(self, bot: LadderBot, reason: str) -> None:
        """Refuse a submission for as long as its files or its name are those of another bot."""
        today = day_of(self._clock.now())
        self._undecided[bot.author, today] += 1
        state = self.book.bots.get(bot, BotState())
        first = refused(has_other=bool(state.digest))
        self._answer_to(bot, today, first, [reason, _WHILE])
        self._say(f"{bot.name}: refused: {reason}")

    def _tell_to_wait(self, bot: LadderBot, why: str) -> None:
        self._answer_to(bot, day_of(self._clock.now()), f"waits: {why}")

    def _examine(self, bot: LadderBot, digest: str, copy: Path) -> None:
        """Check the bot in the folder ``copy``, and admit or refuse it.

        If the machine cannot check it now, it is neither admitted nor refused, and waits. Raises
        StoreError, OSError, Quarantined.
        """
        if (times := self._unfinished.times(digest)) >= MOST_ENDED:
            first, *more = _UNFINISHED
            raise Quarantined([first.format(times), *more])
        author_yaml = intake.author_file(self._ladder.submissions, bot.author, _AUTHOR_BYTES)
        self._say(f"{bot.name}: is checked")
        try:
            with self._unfinished.under_way(digest):
                verdict = self._examine_with(copy, bot)
        except (PoolError, MachineTooBusy) as error:
            self._not_before[bot] = self._clock.seconds() + _AGAIN
            self._say(f"warning: {bot.name} cannot be checked now: {error}")
            return
        except IsolationError as error:
            raise StoreError(f"{bot.name} cannot be checked: {error}") from None
        except OSError as error:
            if error.errno in _OF_THE_MACHINE:
                raise
            raise RuntimeError("the check failed") from error  # no file of arena is unwritable
        if not verdict.fit:
            self._refuse(bot, digest, verdict.said)
            return
        self._versions.keep(copy, digest)
        place, wrong = named_place(author_yaml, self._ladder.folder)
        if wrong:
            told = LadderBot(bot.author, intake.AUTHOR_FILE)
            self._answer_to(told, day_of(self._clock.now()), "cannot be read:", wrong)
        self.note(bot, What.ADMITTED, digest, verdict.said, ranks=place in (None, bot.bot))
        commit = self._repositories.commit(bot.author)
        self._say(f"{bot.name}: admitted{f' (commit {commit[:SHORT]})' if commit else ''}")

    def _refuse(self, bot: LadderBot, digest: str, said: Sequence[str]) -> None:
        self.note(bot, What.REFUSED, digest, said)
        self._say(f"{bot.name}: refused: {said[0]}")

    def note(
        self,
        bot: LadderBot,
        what: What,
        digest: str,
        said: Sequence[str] = (),
        *,
        ranks: bool = True,
    ) -> None:
        """Add an event of ``bot`` to the book, and answer its author.

        ``said``: reason in lines. ``ranks``: see ``BookEvent``.
        """
        self.book.add(
            BookEvent(
                at=text_of(self._clock.now()),
                what=what,
                author=bot.author,
                bot=bot.bot,
                digest=digest,
                reason="\n".join(said[:_SAID_LINES]),
                ranks=ranks,
                commit=self._repositories.commit(bot.author) if what in DECISIONS else "",
            )
        )
        cases, playing = self.quarantine.cases, self.book.bots[bot].digest
        self.quarantine.release(
            key for key in cases if key[0] == bot.name and key[1] not in ("", playing)
        )
        self.answer_again(bot)

    def answer_again(self, bot: LadderBot) -> None:
        """Write an answer about the last event of ``bot`` to its author. Raises StoreError."""
        state = self.book.bots[bot]
        if state.last is not None:
            called = self.book.called(bot, state.last.digest)
            answer_event(self._ladder.folder, state.last, called, has_other=bool(state.digest))

    def _answer_to(self, bot: LadderBot, at: str, first: str, more: Sequence[str] = ()) -> None:
        """Answer an author about something that the book does not contain."""
        answer(self._ladder.folder, bot, at, first, more)


def _path_state() -> tuple[tuple[str, int], ...]:
    """Return the folders of PATH with the times of their last changes, in nanoseconds.

    The result differs once a program was installed, replaced or removed there.
    """
    return tuple((each, _changed(each)) for each in os.environ.get("PATH", "").split(os.pathsep))


def _changed(folder: str) -> int:
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return 0
