"""``arena ruling``: what the organiser of a run rules on its bots and games."""

from __future__ import annotations

import getpass
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import msgspec

from arena.cli.command import command
from arena.cli.common import AsJson, RunFolder
from arena.cli.terminal.console import out, print_document, say
from arena.runs.growth.rulings import OF_BOTS, OF_GAMES, RunRuling, Verb, are_places, told
from arena.runs.live import locked
from arena.runs.manifest import Manifest, read_manifest
from arena.runs.reader import StoredGame, StoredRun
from arena.tournament.run import rule
from arena.values.bad_input import BadInput
from arena.values.option import Arg, Opt
from arena.values.problems import check_entrant, quote
from arena.values.schema import RunAnswer
from arena.views.game.find import find
from arena.views.standings.counted import is_scored
from arena.views.standings.standings import FORMS, table_of, write_tables

_LIST: Final = "list"
_VERBS: Final = (*(each.value for each in Verb), _LIST)


class MadeRuling(msgspec.Struct, frozen=True):
    """A ruling with its line."""

    number: int
    created: str
    """UTC, ISO 8601."""
    words: str
    ruling: RunRuling


class RulingsDocument(RunAnswer[tuple[MadeRuling, ...]], frozen=True, tag="arena.rulings/1"):
    """All rulings of a run, in order; the last one is new unless they were only listed."""


@dataclass(frozen=True, kw_only=True)
class RulingOptions:
    """Rule on a bot or a game, with a reason.

    A ruling is a line of entries.jsonl that nothing removes, and all tables and pages state it.
    Stored games stay as they are, and rounds that were drawn stand. Nobody may be playing the run.
    VERB: disqualify or readmit a BOT; annul a GAME (it counts for nobody), replay it (the next
    arena run plays it again) or adjudicate it; comment; undo the ruling of a NUMBER; list.

    \b
    arena ruling runs/cup disqualify anna --annul --reason "plays by network"
    arena ruling runs/cup replay 17 --reason "the power failed"
    arena ruling runs/cup adjudicate 17 --places 2,1 --reason "wrong card data"
    arena ruling runs/cup undo 3 --reason "the appeal was right"
    arena ruling runs/cup list
    """

    folder: RunFolder
    verb: Annotated[str, Arg("What to rule.", metavar="VERB", one_of=_VERBS)]
    what: Annotated[str, Arg("The bot, game or ruling.", metavar="BOT|GAME|NUMBER")] = ""
    reason: Annotated[str, Opt("Why; everybody sees it.", metavar="TEXT")] = ""
    author: Annotated[str, Opt("Who rules. Default: your user name.", metavar="NAME")] = ""
    annul: Annotated[bool, Opt("Of a disqualified bot no game counts for anybody.")] = False
    from_now: Annotated[bool, Opt("What a disqualified bot has played stands.")] = False
    places: Annotated[
        str, Opt("Places of an adjudicated game, by seat, such as 2,1.", metavar="PLACES")
    ] = ""
    as_json: AsJson = False


def make_ruling(options: RulingOptions) -> None:
    """Make a ruling, or list all. Raises BadInput and StoreError."""
    if options.verb == _LIST:
        if options.what or options.reason:
            raise BadInput("list: found more behind it, expected nothing")
        _tell(options, read_manifest(options.folder), only=0)
        return
    if not options.reason.strip():
        raise BadInput("--reason: missing, expected why; everybody sees it")
    read_manifest(options.folder)  # else a lock would make the folder
    with locked(options.folder):
        run = StoredRun(options.folder)
        ruling = _ruling(run, options)
        manifest = rule(options.folder, ruling)
        _write_tables(options.folder)
    _tell(options, manifest, only=len(manifest.changes))
    if ruling.verb is Verb.REPLAY:
        say("arena run plays the game again")


def _ruling(run: StoredRun, options: RulingOptions) -> RunRuling:
    """Return the ruling that was asked for. Raises BadInput if it cannot be made."""
    if run.manifest.is_fixed:
        raise BadInput(f"{run.folder}: {_fixed(run.manifest)}")
    verb = Verb(options.verb)
    _check_beside(options, verb)
    ruling = RunRuling(
        verb=verb,
        author=options.author.strip() or getpass.getuser(),
        reason=options.reason.strip(),
        annuls=options.annul,
    )
    if verb in OF_BOTS:
        check_entrant("BOT", options.what, run.manifest.field.identities, "a bot of this run")
        if options.annul and not run.manifest.kind.annuls:
            raise BadInput(f"--annul: {_FOLLOWED}, expected --from-now")
        ruling = msgspec.structs.replace(ruling, bot=options.what)
    elif verb in OF_GAMES:
        ruling = _of_game(run, options, ruling)
    elif verb is Verb.UNDO:
        if not options.what.isdecimal():
            raise BadInput(f"NUMBER: found {quote(options.what)}, expected that of a ruling")
        _check_undoing(run, number := int(options.what))
        ruling = msgspec.structs.replace(ruling, undoes=number)
    try:
        return msgspec.convert(msgspec.to_builtins(ruling), RunRuling)
    except msgspec.ValidationError as error:
        raise BadInput(f"--reason, --author: {error}") from None


_FOLLOWED: Final = "rounds were drawn from the points of its games"


def _fixed(manifest: Manifest) -> str:
    if manifest.shard is not None:
        return "holds a shard of a run; rule on the whole run, once it is merged"
    return "is not ended by its schedule, so nothing of it can be ruled on"


def _check_beside(options: RulingOptions, verb: Verb) -> None:
    """Raise BadInput for options that do not go with the verb, or that it lacks."""
    if verb is Verb.DISQUALIFY and options.annul == options.from_now:
        raise BadInput("disqualify: expected one of --annul and --from-now")
    for name, given, wanted in (
        ("--annul", options.annul, Verb.DISQUALIFY),
        ("--from-now", options.from_now, Verb.DISQUALIFY),
        ("--places", options.places, Verb.ADJUDICATE),
    ):
        if given and verb is not wanted:
            raise BadInput(f"{name}: found it with {verb}, expected it only with {wanted}")
    needs = verb is not Verb.COMMENT
    if needs != bool(options.what):
        what = "a bot" if verb in OF_BOTS else "a game" if verb in OF_GAMES else "a ruling"
        raise BadInput(f"{verb}: expected {what if needs else 'nothing'} behind it")


def _check_undoing(run: StoredRun, number: int) -> None:
    """Raise BadInput if a ruling is about a game whose result can no longer be another one."""
    manifest = run.manifest
    made = dict(manifest.field.made)
    while number in made and made[number].undoes:
        number = made[number].undoes
    game = made[number].game if number in made else ""
    place = run.schedule.number(game) if game else None
    if place is None:
        return
    settled = manifest.kind.settled(manifest.field, run.schedule, place)
    if not settled and made[number].verb is Verb.REPLAY and _is_told(run, place):
        settled = "its deal is published, and games of today followed from what stands"
    if settled:
        raise BadInput(f"GAME: {game}: {settled}")


def _is_told(run: StoredRun, number: int) -> bool:
    """Return whether the run has published the deal of a game before its end."""
    manifest = run.manifest
    return number < manifest.kind.published_games(manifest.changes, run.schedule)


def _of_game(run: StoredRun, options: RulingOptions, ruling: RunRuling) -> RunRuling:
    """Return the ruling with its game and the result that stands. Raises BadInput."""
    game = _game(run, options.what)
    spec, manifest = game.result.spec, run.manifest
    where, verb = f"GAME: {spec.game_id}", ruling.verb
    if verb is Verb.ANNUL:
        if not manifest.kind.annuls:
            raise BadInput(f"{where}: {_FOLLOWED}, expected replay or adjudicate")
        if not manifest.is_over and game.number >= run.schedule.numbers_by_round()[-1].start:
            raise BadInput(f"{where}: its round has not ended, expected replay or adjudicate")
    elif settled := manifest.kind.settled(manifest.field, run.schedule, game.number):
        raise BadInput(f"{where}: {settled}")
    away = manifest.field.left | run.withdrawals().withdrawn.keys()
    if verb is Verb.REPLAY and (gone := away.intersection(spec.entrants)):
        raise BadInput(f"{where}: {min(gone)} plays no more, so it cannot be played again")
    if verb is Verb.REPLAY and _is_told(run, game.number):
        raise BadInput(f"{where}: its deal is published, so it cannot be played again")
    places: tuple[int, ...] = ()
    if verb is Verb.ADJUDICATE:
        discipline = run.discipline(spec.discipline)
        if discipline.rules.seats == 1 or is_scored(discipline):
            raise BadInput(f"{where}: it is rated by its score, expected annul or replay")
        places = _places(options.places, len(spec.entrants))
    return msgspec.structs.replace(
        ruling, game=spec.game_id, digest=game.result.digest, places=places
    )


def _game(run: StoredRun, what: str) -> StoredGame:
    """Return a game by its id or number. Raises BadInput."""
    game_id = find(run, what).stored.result.spec.game_id
    return next(game for game in run.stored() if game.result.spec.game_id == game_id)


def _places(text: str, seats: int) -> tuple[int, ...]:
    words = text.replace(",", " ").split()
    places = tuple(int(word) for word in words if word.isdecimal() and len(word) < seats + 2)
    if len(places) != len(words) or not are_places(places, seats):
        such = ",".join(map(str, range(1, seats + 1)))
        expected = f"a place for each of {seats} seats, such as {such}"
        raise BadInput(f"--places: found {quote(text)}, expected {expected}; equal ones share it")
    return places


def _write_tables(folder: Path) -> None:
    """Write the tables that the folder holds once more. Raises StoreError."""
    forms = [form for form in FORMS if (folder / f"standings.{form}").exists()]
    if forms:
        write_tables(folder, table_of(StoredRun(folder)), forms)


def _tell(options: RulingOptions, manifest: Manifest, *, only: int) -> None:
    """Print the rulings of a run, or the one with the number ``only``."""
    created = {change.number: change.created for change in manifest.changes}
    rulings = manifest.field.made
    made = [
        MadeRuling(number, created[number], words, ruling)
        for (number, ruling), (_, words) in zip(rulings, told(rulings), strict=True)
    ]
    if options.as_json:
        print_document(RulingsDocument(run=manifest.title, data=tuple(made), warnings=()))
        return
    for each in made:
        if only in (0, each.number):
            out(f"{each.created[:16].replace('T', ' ')} {each.words}")
    if not made:
        say(f"{options.folder}: no rulings")


COMMAND: Final = command(make_ruling)
