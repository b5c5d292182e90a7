"""Check of a bot: what a competition would find, found before it.

The check plays real games with real processes, through the project's own referee, which is
unkind within what protocol.md allows. Authors and ladders that admit bots use the same check.
"""

from __future__ import annotations

import contextlib
import re
import shlex
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Final

import msgspec

from arena.entrants.manifest import MANIFEST_FILE, has_manifest, load_bot
from arena.entrants.names import (
    RevisionError,
    SchemeError,
    builtin_folder,
    is_builtin,
    split,
    take_out,
)
from arena.extensions.authors.bots import BuildableBot, Setting, find_bot
from arena.extensions.authors.check.bench import Bench, Scene
from arena.extensions.authors.check.diagnosis import of_end, of_unasked
from arena.extensions.authors.check.endings import NEAR, SilenceReason, is_near, tells_of_network
from arena.extensions.authors.check.fault_injection import NO_INJECTION, Injection
from arena.extensions.authors.check.finding import (
    AdviceLanguage,
    CaseOutcome,
    CheckCase,
    Finding,
    Name,
    Report,
    Weight,
    advice,
    language_of,
    link,
    own_advice,
    own_file,
    snippets,
)
from arena.extensions.authors.check.table import (
    AGAIN_CASE,
    CASES,
    GAME_CASE,
    GAMES_OF_A_PROCESS,
    MANIFEST_CASE,
    START_CASE,
    TABLES_CASE,
    TOGETHER,
    VARIANTS,
    WANTS_CASE,
    CheckGame,
    CheckPace,
    Opponents,
    Variant,
    disciplines,
    games_of_variant,
    rotation,
    strange_games,
    work,
)
from arena.extensions.authors.trial.listening import Diagnosis
from arena.games.installed import GameError
from arena.hosting.sandbox import probes
from arena.hosting.sandbox.isolation import SANDBOX, Isolation, IsolationError, Level
from arena.referee.protocol import Part
from arena.runs.config.texts import clock_texts
from arena.values.problems import ConfigError, Problem, either
from arena.values.results import RulesSpec, TimeControl

_ANOTHER_DEAL: Final = 100
_FAULTS_FOLLOWED: Final = 3
"""Number of faults in a case after which the case is left."""
_LOOPS_FOLLOWED: Final = 2
"""Number of endless loops after which no more games are tried."""

_BY_CIRCUMSTANCE: Final = frozenset(
    {
        *(Name.CRASH, Name.EXITS, Name.SILENT, Name.TOO_SLOW, Name.WAITS),
        *(Name.MALFORMED, Name.NOT_JSON, Name.NOT_AN_OBJECT, Name.UNKNOWN_TYPE),
        *(Name.NO_ACTION, Name.ACTION_TYPE, Name.UNKNOWN_ACTION, Name.ILLEGAL_ACTION),
        *(Name.NO_ID, Name.STALE_ID, Name.WRONG_ID),
    }
)
"""Faults that may be caused by the seat, the table, the game or its number in the process."""
_UNASKED: Final = frozenset(
    {
        *(Name.PRINT, Name.ANSWERS_START, Name.ANSWERS_OVER),
        *(Name.ANSWERS_TWICE, Name.ANSWERS_UNASKED),
    }
)
"""Faults of a line that is mistaken for an answer at any point of the exchange."""

_FORMS: Final = _UNASKED | {
    *(Name.MALFORMED, Name.NOT_JSON, Name.NOT_AN_OBJECT, Name.UNKNOWN_TYPE),
    *(Name.NO_ACTION, Name.ACTION_TYPE, Name.UNKNOWN_ACTION),
    *(Name.NO_ID, Name.ID_TYPE, Name.STALE_ID, Name.WRONG_ID),
}
"""Faults that an unasked line commits when it is read as an answer."""

CaseListener = Callable[[str, int, int, float | None], object]
"""Callback before each case: name, number from 1, number of cases, and estimated seconds left.

The estimate is None while it is not known.
"""


def best_level(text: str, wanted: str | None) -> Level:
    """Return the isolation level at which to check. Raises IsolationError.

    ``wanted``: the level asked for; None: the sandbox if the machine has it and the bot can be put
    into it, else the best available.
    """
    if wanted is not None:
        return probes.resolve(wanted)
    limits = Isolation.LIMITS.value
    for each in (SANDBOX, limits) if _folder(text) else (limits,):
        try:
            return probes.resolve(each)
        except IsolationError:
            continue
    return probes.resolve(Isolation.NONE.value)


def check(
    text: str,
    level: Level,
    *,
    games: Sequence[str] = (),
    seed: str = "1",
    setting: Setting | None = None,
    on_case: CaseListener = lambda case, number, total, left: None,
    tables: Sequence[RulesSpec] = (),
    cases: Collection[str] = CASES,
    on_broken: Callable[[GameError], object] = lambda error: None,
) -> Report:
    """Check the bot in a folder, or a command, named as for ``arena run -g``.

    ``games``: the ones to be played; empty: all that the bot plays; ``tables``: only these instead.
    ``cases``: the members of CASES to try, BUILT_ON among them. ``on_case``: called before each
    case, see ``CaseListener``. ``on_broken`` gets the error of each game of the bot that cannot be
    loaded; the game is left out. Equal arguments give equal reports, apart from the exchanges, as
    long as the bot behaves the same.

    Raises ConfigError if there is no such bot, ValueError if it plays none of the games, and
    IsolationError or PoolError if the machine does not let it be checked.
    """
    return _Check(
        text, level, tuple(games), seed, setting or Setting(), on_case, tables, cases, on_broken
    ).report()


class _Check:
    def __init__(
        self,
        text: str,
        level: Level,
        games: tuple[str, ...],
        seed: str,
        setting: Setting,
        on_case: CaseListener,
        tables: Sequence[RulesSpec],
        cases: Collection[str],
        on_broken: Callable[[GameError], object],
    ) -> None:
        self._on_broken = on_broken
        self._tables_asked = tables
        self._cases = [case for case in CASES if case in cases]
        self._text = text
        self._folder = _folder(text)
        """Folder of the bot's files, found before any bot runs: a later sweep could kill git."""
        self._level = level
        self._games = games
        self._seed = seed
        self._setting = setting
        self._on_case = on_case
        self._name = text
        self._words: tuple[str, ...] = ()
        self._language: AdviceLanguage | None = None
        self._findings: list[Finding] = []
        self._outcomes: dict[str, CaseOutcome] = {}
        self._case = ""
        self._is_readable = False
        """True if the bot's manifest is valid."""
        self._listens = False
        """True if the referee waits after every line, as for a bot that reads lines one by one.

        Also for a bot that writes unasked lines: else the next lines would be blamed.
        """
        self._loops = 0
        """Number of scenes that ended because no answer came at all."""
        self._pace = CheckPace(time.monotonic)
        self._bench: Bench

    def report(self) -> Report:
        self._begin(MANIFEST_CASE)
        self._know()
        try:
            isolation = Isolation(self._level.value)
            candidate = find_bot(self._text, isolation, self._setting.readable)
            self._is_readable = True
            self._name = candidate.name if candidate.bot is not None else self._text
            self._specs = disciplines(candidate, self._games, self._on_broken)
            if self._tables_asked:
                asked = self._tables_asked
                self._specs = [each for each in asked if candidate.plays(each.name, each.seats)]
            self._find_problems(strange_games(candidate))
            if not self._specs:
                self._refuse(candidate)
                return self._reported()
            self._bench = Bench(candidate, self._level, self._setting, self._seed)
            with self._bench.opened():
                self._play(candidate)
        except ConfigError as error:
            if not self._folder:
                raise
            self._find_problems(
                [
                    (_name_of_problem(problem, is_build=self._is_readable), problem)
                    for problem in error.problems
                ]
            )
        return self._reported()

    def _find_problems(self, problems: Sequence[tuple[Name, Problem]]) -> None:
        """Record all problems of the manifest, grouped by name."""
        for name in dict.fromkeys(name for name, _ in problems):
            lines = [_problem_text(problem) for each, problem in problems if each is name]
            self._find(Diagnosis(name, "\n".join(lines)))

    def _refuse(self, candidate: BuildableBot) -> None:
        """Raise ValueError if the bot plays none of the games asked for."""
        if self._games or self._tables_asked or not self._findings:
            plays = sorted({spec.name for spec in disciplines(candidate, ())})
            which = f"it plays {either(plays)}" if plays else "it plays no game that is known"
            typos = "".join(f"; {line}" for f in self._findings for line in f.what.splitlines())
            raise ValueError(f"{candidate.name} plays none of the games: {which}{typos}")

    def _reported(self) -> Report:
        order = [Weight.FAULT, Weight.HINT]
        return Report(
            self._name,
            self._level,
            self._seed,
            self._language or "",
            tuple(sorted(self._findings, key=lambda each: order.index(each.weight))),
            tuple(
                CheckCase(case, self._outcomes.get(case, CaseOutcome.SKIPPED))
                for case in self._cases
            ),
            self._games,
            clock_option(self._setting.control, pondering=self._setting.pondering),
        )

    def _know(self) -> None:
        """Find the command and its language, also for a bot that cannot be started."""
        stated, build, program = "", tuple[tuple[str, ...], ...](), ""
        with contextlib.suppress(ConfigError, ValueError):
            if self._folder:
                manifest = load_bot(Path(self._folder)).manifest
                self._words, stated, build = manifest.own_command, manifest.language, manifest.build
                program = own_file(self._words[0], self._folder)
            else:
                self._words = tuple(shlex.split(self._text))
                program = next(iter(self._words), "")
        self._language = language_of(stated, self._words, build, program)

    def _play(self, candidate: BuildableBot) -> None:
        base = self._first_game()
        if base is None:
            return
        match, scene = base
        wants = scene.session.wants if scene.session is not None else ()
        self._pace.plan(work(self._cases, match, self._specs, self._seed, len(wants)))
        claims = candidate.claims_determinism
        if TOGETHER.case in self._cases:
            self._vary(TOGETHER, match)
        is_repeatable = AGAIN_CASE in self._cases and self._again(match, scene, claims=claims)
        for variant in VARIANTS:
            if variant.case in self._cases:
                self._vary(variant, match)
        if TABLES_CASE in self._cases:
            self._tables(match)
        if WANTS_CASE in self._cases and is_repeatable and scene.session is not None:
            self._wants(sorted(wants))

    # the cases

    def _first_game(self) -> tuple[CheckGame, Scene] | None:
        """Return the first game played without a fault, out of the first table of each game."""
        self._begin(START_CASE)
        firsts = {spec.name: spec for spec in reversed(self._specs)}
        tried: list[tuple[CheckGame, Scene]] = []
        for spec in sorted(firsts.values(), key=self._specs.index):
            match = CheckGame(spec, 0, 0)
            scene = self._scene([match], Injection(listens=True))
            tried.append((match, scene))
            if scene.session is None:
                break
            if self._case == START_CASE:
                self._begin(GAME_CASE)
            if scene.is_well:
                break
        match, scene = tried[-1]
        for each, failed in tried[:-1] if scene.is_well else tried[:1]:
            self._look_at(failed, each)
            if (found := failed.diagnosis) is None:
                continue
            if scene.is_well and found.name in _BY_CIRCUMSTANCE:
                found = found.caused_by(Name.OTHER_GAME)
            self._find(found, failed, each)
        if scene.is_well:
            self._look_at(scene, match)
            return match, scene
        return None

    def _again(self, match: CheckGame, first: Scene, *, claims: bool) -> bool:
        """Play ``match`` again with the same seed and return whether the game is the same.

        ``claims``: true if the bot's manifest states that it is deterministic.
        """
        self._begin(AGAIN_CASE)
        scene = self._scene([match], self._injection())
        if not scene.is_well:
            self._fault(scene)
            return False
        if scene.played[0].actions == first.played[0].actions:
            return True
        what = "with the same cards, the same seed and the same opponents it played otherwise"
        claim = ", though its bot.yaml states deterministic: true" if claims else ""
        self._find(Diagnosis(Name.NOT_REPEATABLE, what + claim), scene, match)
        return False

    def _vary(self, variant: Variant, base: CheckGame) -> None:
        self._begin(variant.case)
        matches = [] if self._is_stuck else games_of_variant(variant, base, self._specs, self._seed)
        if not matches:
            self._outcomes[variant.case] = CaseOutcome.SKIPPED
            return
        scene = self._scene(matches, self._injection(variant.injection))
        self._look_at(scene, matches[-1])
        found = scene.diagnosis
        if found is None:
            return
        plain = [match._replace(against=Opponents.ANY) for match in matches]
        if found.name in _UNASKED:
            self._find(found, scene, scene.match)
        elif self._scene(plain, Injection(listens=self._listens or variant is TOGETHER)).is_well:
            self._listens |= variant is TOGETHER
            found = found._replace(what=f"{variant.case}: {found.what}")
            self._find(found.caused_by(self._cause_of(variant)), scene, scene.match)
        elif scene.match is not None:
            self._attribute(scene, found, scene.match, base)
        else:
            self._find(found, scene)

    def _cause_of(self, variant: Variant) -> Name:
        """Return the name for a fault of a variant that the plain game does not show."""
        is_known = any(each.name is Name.OTHERS_FAULT for each in self._findings)
        if variant.name is Name.ENDED_AT_ONCE and is_known:
            return Name.OTHERS_FAULT  # the other bot's fault ends such a game
        return variant.name

    def _tables(self, base: CheckGame) -> None:
        self._begin(TABLES_CASE)
        left = rotation(self._specs, GAMES_OF_A_PROCESS)
        if self._is_stuck:
            self._outcomes[TABLES_CASE] = CaseOutcome.SKIPPED
        for _ in range(_FAULTS_FOLLOWED):
            if self._is_stuck:
                return
            scene = self._scene(left, self._injection())
            self._look_at(scene, left[max(0, len(scene.played) - 1)])
            if scene.match is None or scene.diagnosis is None:
                self._fault(scene)
                return
            self._attribute(scene, scene.diagnosis, scene.match, base)
            left = left[len(scene.played) :]
            if not left:
                return

    def _attribute(self, scene: Scene, found: Diagnosis, match: CheckGame, base: CheckGame) -> None:
        """Record a fault in a series of games with its cause, if the cause can be found."""
        number = len(scene.played)
        if found.name in _BY_CIRCUMSTANCE and (name := self._cause(match, base, number)):
            found = found.caused_by(name)
        self._find(found, scene, match, number)

    def _cause(self, match: CheckGame, base: CheckGame, number: int) -> Name | None:
        """Return the difference of ``match`` from games without a fault that explains its fault.

        Returns None if none is known. ``number``: number of the game in its process, from 1.
        """
        if number > 1 and self._is_well(match):
            return Name.LATER_GAME
        if self._is_stuck:
            return None
        other = match._replace(deal=match.deal + _ANOTHER_DEAL)
        first, other_first = match._replace(seat=0), other._replace(seat=0)
        if match.seat and self._is_well(first):
            is_seat = not self._is_well(other) and self._is_well(other_first)
            return Name.OTHER_SEAT if is_seat else None
        if self._is_stuck or self._is_well(other_first):
            return None
        if match.rules.name != base.rules.name:
            tables = [s for s in self._specs if s.name == match.rules.name and s != match.rules]
            if not any(
                self._is_stuck or self._is_well(CheckGame(spec, 0, match.deal)) for spec in tables
            ):
                return Name.OTHER_GAME
        return Name.TABLE_SIZE if match.rules != base.rules else None

    def _scene(
        self,
        matches: Sequence[CheckGame],
        injection: Injection,
        wants: Sequence[frozenset[Part] | None] = (),
    ) -> Scene:
        began = self._pace.now()
        scene = self._bench.scene(matches, injection, wants)
        costs = scene.talk.costs() if scene.talk is not None else []
        starting = costs[0].wall / 1e9 if costs else 0.0
        self._pace.add(self._pace.now() - began, starting, len(scene.played))
        unasked = next((each.name for each in self._findings if each.name in _UNASKED), None)
        if unasked is not None and scene.diagnosis is not None and scene.diagnosis.name in _FORMS:
            scene = scene._replace(diagnosis=scene.diagnosis.caused_by(unasked))
        if scene.session is not None and scene.talk is not None:
            self._loops += scene.talk.why is SilenceReason.NOT_READING
        return scene

    @property
    def _is_stuck(self) -> bool:
        """True if further waits for the bot would take minutes and show nothing new."""
        return self._loops >= _LOOPS_FOLLOWED

    def _is_well(self, match: CheckGame) -> bool:
        return self._scene([match], self._injection()).is_well

    def _wants(self, parts: Sequence[Part]) -> None:
        """Check at every table whether the bot plays the same without each of ``parts``."""
        self._begin(WANTS_CASE)
        all_parts, unused = frozenset(parts), set(parts)
        if self._is_stuck:
            self._outcomes[WANTS_CASE] = CaseOutcome.SKIPPED
            return
        for spec in self._specs:
            tried = [part for part in parts if part in unused]
            for part in tried:
                match = CheckGame(spec, spec.seats - 1, 0)
                wants = [None, all_parts - {part}]
                scene = self._scene([match, match], self._injection(), wants)
                games = scene.played
                if not scene.is_well or games[0].actions != games[1].actions:
                    unused.discard(part)
            if not unused:
                return
        if unused:
            names = ", ".join(part for part in parts if part in unused)
            what = f"it wants {names}, and played the same games without"
            self._find(Diagnosis(Name.WANTS_UNUSED, what))

    def _injection(self, injection: Injection = NO_INJECTION) -> Injection:
        return injection._replace(listens=self._listens)

    # what is found

    def _begin(self, case: str) -> None:
        self._case = case
        self._outcomes[case] = CaseOutcome.PASSED
        self._pace.begin(case)
        self._on_case(case, self._cases.index(case) + 1, len(self._cases), self._pace.left())

    def _fault(self, scene: Scene) -> None:
        if scene.diagnosis is not None:
            self._find(scene.diagnosis, scene, scene.match, len(scene.played))

    def _look_at(self, scene: Scene, match: CheckGame) -> None:
        """Record the findings of ``scene`` other than its fault."""
        talk = scene.talk
        if talk is None:
            return
        for after, data in talk.talk.unasked:
            self._listens = True
            self._find(of_unasked(after, data, talk.tokens), scene, match)
        if scene.session is None:
            return
        if scene.is_well and not scene.is_alive:
            self._find(of_end(talk), scene, match)
        elif scene.is_well and not scene.is_ended:
            self._find(Diagnosis(Name.STAYS_AFTER_BYE, "it still ran after bye"), scene, match)
        if scene.left:
            what = "processes that it had started still ran when it had ended, or apart from it"
            self._find(Diagnosis(Name.LEAVES_PROCESSES, what), scene, match)
        if scene.is_well and tells_of_network(talk.said()):
            found = Diagnosis(Name.NETWORK, "its standard error shows that it tried the network")
            self._find(found, scene, match, weight=Weight.HINT)
        self._look_at_costs(scene, match)

    def _look_at_costs(self, scene: Scene, match: CheckGame) -> None:
        talk, control, limits = scene.talk, self._setting.control, self._setting.limits
        if talk is None or not scene.is_well:
            return
        slowest = max((cost.cpu or 0 for cost in talk.costs()[1:]), default=0)
        if control.move is not None and slowest > NEAR * control.move * 1e9:
            what = f"an answer took most of the {control.move:g} s that it may take"
            self._find(Diagnosis(Name.NEAR_TIME, what), scene, match)
        if is_near(talk.peak(), limits.memory):
            what = "it used most of the memory that it may use"
            self._find(Diagnosis(Name.NEAR_MEMORY, what), scene, match)

    def _find(
        self,
        found: Diagnosis,
        scene: Scene | None = None,
        match: CheckGame | None = None,
        number: int = 1,
        weight: Weight | None = None,
    ) -> None:
        """Record a finding, unless a finding of that name is recorded already."""
        self._outcomes[self._case] = CaseOutcome.FOUND
        if any(each.name is found.name for each in self._findings):
            return
        general, own = advice()[found.name], own_advice(found.name, self._folder)
        started = scene is not None and scene.session is not None
        talk = scene.talk if scene is not None else None
        exchange: tuple[bytes, ...] = ()
        if talk is not None:
            exchange = talk.exchange() if started else talk.unbegun()
        self._findings.append(
            Finding(
                name=found.name,
                weight=weight or general.weight,
                what=found.what,
                why=general.why,
                mend=found.mend or own.mend,
                code="" if found.mend else self._code(found.name, own.snippet),
                section=general.section.value,
                link=link(general.section),
                case=self._case,
                where=match.where(number) if match is not None and started else None,
                said=found.said,
                exchange=exchange,
            )
        )

    def _code(self, name: Name, snippet: str) -> str:
        program = shlex.quote(self._words[0]) if self._words else "PROGRAM"
        if name is Name.NOT_EXECUTABLE:
            return f"chmod +x {program}"
        if name is Name.BOM_SHEBANG:
            return f"sed -i '1s/^\\xEF\\xBB\\xBF//' {program}"
        if name is Name.CRLF_SHEBANG:
            return f"sed -i 's/\\r$//' {program}"
        if self._language is None:
            return ""
        return snippets(self._language).get(snippet, "")


def _folder(text: str) -> str:
    """Return the folder with the files of the bot that ``text`` names; "" if it has none."""
    if is_builtin(text):
        try:
            return str(builtin_folder(text))
        except SchemeError:
            return ""
    folder, revision = split(text)
    if revision is not None:
        try:
            folder = str(take_out(folder, revision).folder) if folder else ""
        except (ConfigError, RevisionError):
            return ""
    return folder if has_manifest(folder) else ""


def _name_of_problem(problem: Problem, *, is_build: bool) -> Name:
    """Return the name of a finding for a problem of the manifest, or of the build."""
    if problem.path.startswith("needs"):
        return Name.NEEDS_UNMET
    if "is not executable" in problem.found:
        return Name.NOT_EXECUTABLE
    if "was not found" in problem.found and "status" not in problem.found:
        return Name.PROGRAM_MISSING
    return Name.BUILD_FAILED if is_build else Name.BAD_MANIFEST


def _problem_text(problem: Problem) -> str:
    """Return the text of a problem; it does not depend on where the bot's folder is."""
    place = re.search(r"(:\d+)*$", problem.where)
    where = MANIFEST_FILE + (place[0] if place else "")
    return str(msgspec.structs.replace(problem, where=where))


def clock_option(clock: TimeControl, *, pondering: bool) -> str:
    """Return the value of ``--clock`` as ``key: value, …``.

    It is "" for the default time control with pondering.
    """
    if clock == TimeControl() and pondering:
        return ""
    texts = clock_texts(clock, pondering=pondering)
    del texts["pondering"]
    if clock.startup == TimeControl().startup:
        del texts["startup"]
    return ", ".join([*(f"{k}: {v}" for k, v in texts.items()), *["pondering: off"][pondering:]])
