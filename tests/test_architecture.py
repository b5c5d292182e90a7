"""Who may know whom. Read from the source, so that no import can hide in a function."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from arena import extensions

ROOT: Final = Path(__file__).parents[1]
GAMES: Final = ROOT / "arena" / "games"
OWN: Final = ROOT / "arena" / "extensions" / "games"
VIEWS: Final = ROOT / "arena" / "views"

FLOORS: Final[tuple[dict[str, set[str]], ...]] = (
    {"values": set()},
    {
        "extensions": {"values"},
        "referee.protocol": {"values"},
        "hosting": {"values"},
        "ratings": {"values"},
    },
    {"games": {"values", "extensions"}},
    {
        "referee.records": {"values", "games"},
        "schedule": {"values", "games", "extensions"},
        "entrants": {"values", "hosting", "extensions"},
    },
    {
        "referee": {"values", "games", "referee.protocol", "hosting", "referee.records"},
        "runs.config": {"values", "games", "schedule", "entrants", "hosting"},
    },
    {
        "runs": {
            *("values", "games", "referee.records", "schedule", "entrants", "hosting"),
            *("runs.config", "extensions"),
        }
    },
    {
        "tournament": {
            *("values", "games", "schedule", "entrants", "hosting"),
            *("referee", "runs.config", "runs", "extensions"),
        }
    },
    {
        "views": {
            *("values", "ratings", "games", "referee.records", "schedule"),
            *("runs.config", "runs", "extensions"),
        },
    },
    {
        "cli": {
            *("values", "referee.protocol", "hosting", "games"),
            *("referee.records", "schedule", "entrants", "runs.config", "runs", "tournament"),
            *("views", "extensions"),
        }
    },
    {"__main__": {"cli"}, "__init__": set(), "testing": set()},
)
"""From the ground up: what each room may know besides itself and the version in ``arena``.

Extensions may know every room. ``extensions`` is the module that finds them.
"""

MAY_KNOW: Final = {room: known for floor in FLOORS for room, known in floor.items()}

DOORS: Final = {
    "standings": {
        *("measured", "standings", "tables", "counted"),
        "ratings_table",
        *("headline", "run_view"),
    },
    "game": {"find", "replay", "rows", "text"},
}
"""Of each view, the modules that other views may know."""
OF_A_TERMINAL: Final = {"typer", "rich", "curses", "readline", "termios", "tty"}
"""What only the command line may use."""

TITLES: Final = frozenset(path.name for path in OWN.iterdir() if (path / "rules").is_dir())
ANNOUNCED: Final = frozenset(path.parent.name for path in OWN.glob("*/game.py"))
"""The games of ``TITLES``, and those whose rules are a library of others."""
FAMILIES: Final = frozenset(path.parent.name for path in OWN.glob("*/family.py"))
"""Families of games whose rules are a library of others."""
NOT_FOR_RULES: Final = {
    "asyncio",
    "concurrent",
    "datetime",
    "io",
    "json",
    "logging",
    "multiprocessing",
    "os",
    "pathlib",
    "random",
    "secrets",
    "select",
    "socket",
    "subprocess",
    "sys",
    "tempfile",
    "threading",
    "time",
    "yaml",
}


_LOOKED_AT: Final = {"time", "os", "signal"}
"""Modules of which some functions are not for everybody."""


class Source(NamedTuple):
    """What the rules below ask of a file."""

    imports: frozenset[str]
    """Every module, relative names made absolute."""
    names: frozenset[tuple[str, str]]
    """Modules with each name that is imported from them; a module itself has none."""
    calls: frozenset[str]
    """Functions that are called by their bare names."""
    used: frozenset[str]
    """What is used of modules, as ``time.time``."""
    words: frozenset[str]
    """Texts of a single word."""


@cache
def read(path: Path) -> Source:
    """Parsed once for all rules; the tree, which is large, is not kept."""
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    found = frozenset(_imports(nodes, path.relative_to(ROOT).parts[:-1]))
    calls = (node.func for node in nodes if isinstance(node, ast.Call))
    return Source(
        frozenset(module for module, _ in found),
        found,
        frozenset(called.id for called in calls if isinstance(called, ast.Name)),
        frozenset(
            f"{node.value.id}.{node.attr}"
            for node in nodes
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in _LOOKED_AT
        ),
        frozenset(
            node.value
            for node in nodes
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and node.value.isidentifier()
        ),
    )


def _imports(nodes: Iterable[ast.AST], package: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else ()
            module = ".".join((*above, *(node.module or "").split(".")))
            yield from (_module(module, alias.name) for alias in node.names)


def _module(module: str, name: str) -> tuple[str, str]:
    """``from module import name``: the name may be a module itself."""
    path = ROOT.joinpath(*module.split("."), name)
    is_module = path.is_dir() or path.with_suffix(".py").is_file()
    return (f"{module}.{name}", "") if is_module else (module, name)


def sources(folder: str) -> Iterator[tuple[Path, Source]]:
    """Every module below the folder; there are some."""
    paths = sorted((ROOT / folder).rglob("*.py"))
    assert paths
    return ((path, read(path)) for path in paths)


def offenders(found: Iterable[tuple[Path, Iterable[str]]]) -> dict[str, list[str]]:
    """The files in which something was found, and what; nothing else."""
    return {str(path.relative_to(ROOT)): sorted(what) for path, what in found if what}


def part(module: str) -> str:
    """The room of arena that a module belongs to; empty for ``arena`` itself, or an extension."""
    words = module.split(".")[1:]
    inner = ".".join(words[:2])
    return inner if inner in MAY_KNOW or words[:1] == ["extensions"] else "".join(words[:1])


def room_of(path: Path) -> str:
    """The room of a module of arena."""
    return (
        part(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
        or path.stem
    )


def of_arena(source: Source) -> set[str]:
    return {module for module in source.imports if module.partition(".")[0] == "arena"}


def titles(source: Source) -> set[str]:
    """The games that it imports, or names as a program would."""
    found = (module.split(".") for module in of_arena(source))
    imported = {words[3] for words in found if words[1:3] == ["extensions", "games"] and words[3:]}
    return (imported | source.words) & TITLES


def test_imports_are_read_completely() -> None:
    found = read(ROOT / "arena" / "tournament" / "worker.py").imports
    assert found >= {
        "arena.hosting.machine.orphans",
        "arena.tournament.executor",
        "arena.games.registry",
        "os",
    }
    assert "tests.toy" in read(ROOT / "tests" / "referee" / "scripted.py").imports
    assert "tests.games.games" in read(ROOT / "tests" / "games" / "titles.py").imports


def test_offenders_are_named() -> None:
    path = ROOT / "arena" / "cli" / "__init__.py"
    assert offenders([(path, {"b", "a"}), (ROOT, set())]) == {"arena/cli/__init__.py": ["a", "b"]}


def test_parts_know_only_what_lies_below_them() -> None:
    def beyond(path: Path, source: Source) -> set[str]:
        own = room_of(path)
        if own not in MAY_KNOW:  # an extension
            return set()
        return {part(module) for module in of_arena(source)} - {"", own} - MAY_KNOW[own]

    assert offenders((path, beyond(path, source)) for path, source in sources("arena")) == {}


def test_what_the_table_allows_is_used() -> None:
    used: dict[str, set[str]] = {room: set() for room in MAY_KNOW}
    for path, source in sources("arena"):
        if (own := room_of(path)) in used:
            used[own] |= {part(module) for module in of_arena(source)} - {"", own}
    assert used == MAY_KNOW


def test_the_table_points_downward_and_is_that_of_the_map() -> None:
    below: set[str] = set()
    for floor in FLOORS:
        for room, known in floor.items():
            assert known <= below, room
        below |= floor.keys()
    rooms: list[set[str]] = []
    for row in re.findall(
        r"^\| *\d* \| \[.*", (ROOT / "ARCHITECTURE.md").read_text(), re.MULTILINE
    ):
        number, named = row.split("|")[1:3]
        linked = re.findall(r"\(arena/([\w/]+)(?:\.py)?\)", named)
        found = {name.replace("/", ".") for name in linked}
        rooms = [found, *rooms] if number.strip() else [rooms[0] | found, *rooms[1:]]
    assert rooms == [set(floor) for floor in FLOORS[:-1]] + [{"extensions"}]


EXTENSIONS: Final = {each.name: each for each in extensions.own().extensions}


def undeleted(paths: Iterable[str]) -> set[str]:
    """The paths without those of extensions that are not here."""
    lacking = re.compile(rf"extensions/(?!{'|'.join(EXTENSIONS)})")
    return {path for path in paths if not lacking.match(path)}


def test_an_extension_imports_the_core_and_what_it_needs() -> None:
    """No room of the core knows an extension: that is what the test above holds."""

    def beyond(path: Path, source: Source) -> set[str]:
        found = (module.split(".") for module in of_arena(source))
        others = {words[2] for words in found if words[1:2] == ["extensions"] and words[2:]}
        (name, *_) = path.relative_to(ROOT / "arena" / "extensions").parts
        allowed = {name, *EXTENSIONS[name].needs} if name in EXTENSIONS else set()
        return others - allowed

    found = sources("arena/extensions")
    assert offenders((path, beyond(path, source)) for path, source in found) == {}


def test_a_view_is_entered_by_its_doors() -> None:
    def inside(path: Path, source: Source) -> Iterator[str]:
        own = path.relative_to(VIEWS).parts[0]
        for module in of_arena(source):
            words = module.split(".", 3)
            other, door = words[2:3], ".".join(words[3:])
            is_foreign = words[1:2] == ["views"] and other != [own] and {*other} <= {*DOORS}
            if other and is_foreign and door not in DOORS[other[0]]:
                yield module

    assert {path.name for path in VIEWS.iterdir() if (path / "__init__.py").is_file()} == {*DOORS}
    known = ((path, set(inside(path, source))) for path, source in sources("arena/views"))
    assert offenders(known) == {}


def test_only_the_command_line_knows_a_terminal() -> None:
    def terminal(source: Source) -> set[str]:
        modules = {module.partition(".")[0] for module in source.imports}
        return modules & OF_A_TERMINAL | source.calls & {"print", "input"}

    used = ((path, terminal(source)) for path, source in sources("arena"))
    of_commands = {"cli", "commands", "terminal"}
    below = (each for each in used if not of_commands & {*each[0].relative_to(ROOT).parts})
    # The number of unread bytes of a pipe is a constant of termios.
    known = undeleted({"referee/channel.py": "", "extensions/authors/check/endings.py": ""})
    assert offenders(below) == {f"arena/{path}": ["termios"] for path in known}


def test_a_game_is_known_by_itself_alone() -> None:
    """Whoever plays or shows it has it from the registry, which has it from its extension."""

    def others(path: Path, source: Source) -> set[str]:
        return titles(source) - set(path.relative_to(ROOT / "arena").parts[2:3])

    assert {"dragonheart", "dragonkrak"} < TITLES
    known = ((path, others(path, source)) for path, source in sources("arena"))
    assert offenders(known) == {}
    assets = [
        each for kind in ("js", "css", "html") for each in (ROOT / "arena").rglob(f"*.{kind}")
    ]
    named = (
        (path, {name for name in TITLES if name in path.read_text("utf-8")}) for path in assets
    )
    assert (
        offenders((path, found - {*path.relative_to(OWN.parent).parts}) for path, found in named)
        == {}
    )


def test_the_extension_brings_every_game_that_is_there() -> None:
    place = "arena.extensions.games"
    brought = EXTENSIONS["games"]
    assert brought.games == {name: f"{place}.{name}.game:GAME" for name in ANNOUNCED}
    assert brought.families == {name: f"{place}.{name}.family:FAMILY" for name in FAMILIES}


PUBLISHED: Final = {"End", "Schedule", "Game", "Ply", "Run", "Standings", "Table"}
"""Names of published schemas, and of what programs import, with a second meaning in arena."""


@pytest.mark.extensions
def test_a_class_name_has_one_meaning() -> None:
    """Games may give equal names to what means the same in each of them."""
    homes: dict[str, list[str]] = {}
    templates = (
        ROOT / "arena" / "extensions" / "authors" / "kit" / "templates"
    )  # parts of bots, which are not imported
    for path in sorted((ROOT / "arena").rglob("*.py")):
        if not path.is_relative_to(templates):
            for name in re.findall(r"^ *class (\w+)", path.read_text("utf-8"), re.MULTILINE):
                homes.setdefault(name, []).append(str(path.relative_to(ROOT)))

    def is_parallel(paths: list[str]) -> bool:
        games = [path.split("/")[3] for path in paths if path.startswith("arena/extensions/games/")]
        return len({*games} & (ANNOUNCED | FAMILIES)) == len(paths)

    several = {name: paths for name, paths in homes.items() if len({*paths}) > 1}
    assert {name for name, paths in several.items() if not is_parallel(paths)} == PUBLISHED


PROCESSES: Final = {
    "hosting/process.py": "starts and ends bots",
    "hosting/machine/orphans.py": "ends what bots left behind",
    "hosting/machine/procfs.py": "ends what it finds by /proc",
    "hosting/workspace/leftovers.py": "asks ps for processes, where there is no /proc",
    "hosting/sandbox/launcher.py": "becomes the bot",
    "hosting/sandbox/warm.py": "keeps a launcher that starts bots sooner",
    "games/probe.py": "imports packages of others in a child first",
    "entrants/toolchains.py": "asks programs for their versions, and rustup for its toolchain",
    "runs/disk.py": "asks whether a process is there",
    "hosting/machine/spawn.py": "starts workers",
    "tournament/pool.py": "waits for workers",
    "extensions/sources/build.py": "ends a build that takes too long",
    "extensions/sources/git.py": "runs git",
    "extensions/ladder/bounded.py": "runs git for repositories of strangers, and notices",
    "extensions/machines/relay.py": "waits for the host beside a worker of Dask's",
    "extensions/machines/survey.py": "runs arena doctor beside a worker of Dask's",
    "extensions/browser/terminal/screen.py": "stops itself, for Ctrl-Z",
    "extensions/browser/table/tournament.py": "ends the bots of a table that a person leaves",
}
"""The modules that may start, become or end a process, and what they do so for."""


def test_who_starts_and_ends_processes_is_listed() -> None:
    """Bots are started by hosting alone: it confines them."""
    ways = re.compile(
        r"os\.(kill|exec|spawn|posix_spawn|fork|system|popen)|signal\.\w+_send_signal"
    )
    found = {
        str(path.relative_to(ROOT / "arena"))
        for path, source in sources("arena")
        if "subprocess" in source.imports or any(map(ways.match, source.used))
    }
    assert found == undeleted(PROCESSES)


DECIDE: Final = {"events", "executor", "dispatch", "run", "session", "progress"}
"""Modules of tournament/ that know nothing of what starts and feeds processes of this machine."""


@pytest.mark.parametrize("module", sorted(DECIDE))
def test_what_decides_does_not_know_what_plays(module: str) -> None:
    """Another executor can take the place of the local one."""
    known = read(ROOT / "arena" / "tournament" / f"{module}.py").imports
    local = {each for each in known if each.startswith("arena.tournament.")}
    assert local <= {f"arena.tournament.{name}" for name in DECIDE}


NAME_KINDS: Final = {
    "runs/config/disciplines.py": "games of teams are played as matches",
    "runs/field.py": "a round that was paired is a schedule of listed pairings",
    "extensions/rounds/kinds/stages.py": "a round robin can be a stage",
    "extensions/browser/table/tournament.py": "asks for a match",
    "extensions/matches/terms.py": "asks for a match",
}
"""Modules that name a single kind of schedule, each with the reason."""


def test_kinds_of_schedules_are_named_where_there_is_a_reason() -> None:
    shared = {f"arena.schedule.kinds.{name}" for name in ("kind", "registry")}
    named = (
        (path, {each for each in source.imports - shared if "schedule.kinds." in each})
        for path, source in sources("arena")
        if not path.is_relative_to(ROOT / "arena" / "schedule" / "kinds")
    )
    assert offenders(named).keys() == {f"arena/{path}" for path in undeleted(NAME_KINDS)}


def test_rules_have_no_clock_no_files_and_no_chance_of_their_own() -> None:
    pure = [*((OWN / title / "rules") for title in TITLES), GAMES / "base.py", GAMES / "luck.py"]
    used = (
        (
            path,
            {module.partition(".")[0] for module in source.imports} & NOT_FOR_RULES
            | source.calls & {"open", "print"},
        )
        for path, source in (*sources("arena/games"), *sources("arena/extensions/games"))
        if any(path.is_relative_to(each) for each in pure)
    )
    assert offenders(used) == {}


def test_rules_do_not_know_how_they_are_shown() -> None:
    upwards = {f"arena.games.{name}" for name in ("board", "game", "registry")}

    def above(source: Source) -> set[str]:
        known = of_arena(source)
        shown = re.compile(r"\.(board|choices|text)\b")
        return {each for each in known if shown.search(each)} | known & upwards

    shown = (
        (path, above(source))
        for path, source in sources("arena/extensions/games")
        if "rules" in path.relative_to(OWN).parts[1:2]
    )
    assert offenders(shown) == {}


def test_bots_need_nothing_of_arena_but_the_rules() -> None:
    def more(source: Source) -> set[str]:
        rules = ("arena.games.", "arena.extensions.games.")
        return {each for each in of_arena(source) if not each.startswith(rules)}

    of_rules = {"arena.values.results"}
    used = ((path, more(source) - of_rules) for path, source in sources("bots"))
    assert offenders(used) == {}


def test_durations_are_not_measured_on_a_clock_that_may_be_set() -> None:
    """So the clock of the machine may jump; it only tells when a run began."""
    of_files = {"cache.py", "intake.py", "leftovers.py"}  # they look at the age of files
    used = (
        (path, source.used & {"time.time", "time.time_ns", "time.localtime"})
        for path, source in sources("arena")
        if path.name not in of_files
    )
    assert offenders(used) == {}


@pytest.mark.extensions
def test_the_map_and_the_page_for_contributors_name_what_there_is() -> None:
    """Rooms, modules and their members; NAME stands for whatever one adds."""

    def is_there(word: str) -> bool:
        path, _, name = word.partition(".")
        module = (ROOT / "arena" / path).with_suffix(".py")
        if name and module.is_file():
            text = module.read_text()
            return all(
                re.search(rf"^ *(class |def )?{part}\b", text, re.MULTILINE)
                for part in name.split(".")
            )
        return module.is_file() or (ROOT / "arena" / path).is_dir() or (ROOT / word).exists()

    named = re.findall(
        r"`([a-z_]+(?:/[a-z_]+)+(?:\.[A-Za-z_.]+)?)/?`", (ROOT / "ARCHITECTURE.md").read_text()
    )
    named += re.findall(
        r"`((?:arena|tests|docs)/[\w/.-]+)`", (ROOT / "CONTRIBUTING.md").read_text()
    )
    assert len(named) > 50
    assert {word for word in undeleted(named) if "NAME" not in word and not is_there(word)} == set()


def test_docstrings_name_modules_that_exist() -> None:
    """A dotted name that begins like a module leads to one, perhaps to a word of it."""
    others = r"""\w+\.(jsonl?|yaml|toml|md|py|FORM)|schedule\.(kind|stages)
        |arena\.(boards|facts.*|families)
        |arena\.families|page\.listing\.folder"""  # files, keys, scripts, an entry point
    texts = {path.relative_to(ROOT): path.read_text() for path in (ROOT / "arena").rglob("*.py")}
    suffixes: dict[tuple[str, ...], list[str]] = {}
    for path, text in texts.items():
        name = tuple(part for part in path.with_suffix("").parts if part != "__init__")
        for size in range(1, len(name)):
            suffixes.setdefault(name[-size:], []).append(text)

    def leads(word: str) -> bool:
        parts = tuple(word.removeprefix("arena.").split("."))
        own = re.compile(rf"(?<!\.)\b{parts[-1]}\b")
        return parts in suffixes or any(own.search(text) for text in suffixes.get(parts[:-1], ()))

    wrong = {
        f"{path}: {word}"
        for path, text in texts.items()
        for word in re.findall(r"``((?:[a-z_]+\.)+\w+)``", text)
        if (word.split(".")[0],) in suffixes
        and not re.fullmatch(others, word, re.VERBOSE)
        and not leads(word)
    }
    assert sorted(wrong) == []


def test_no_command_knows_another() -> None:
    """What several commands need lies beside them in ``cli``, or below."""

    def others(path: Path, source: Source) -> set[str]:
        own = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        commands = {each for each in source.imports if each.startswith("arena.cli.commands.")}
        return commands - {own}

    known = ((path, others(path, source)) for path, source in sources("arena/cli/commands"))
    assert offenders(known) == {}


def test_no_modules_import_each_other() -> None:
    """Not in a larger circle either; an import within a function counts too."""
    known = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): source
        for path, source in sources("arena")
    }
    graph = {name: of_arena(source) & known.keys() - {name} for name, source in known.items()}
    assert list(TopologicalSorter(graph).static_order())


PACKAGES: Final = sorted(MAY_KNOW.keys() - {"__main__", "__init__", "testing", "extensions"})
LIBRARIES: Final = {"ratings", "hosting", "referee.protocol"}
"""Rooms that could be packages of their own: their public names are listed too."""


@cache
def used_from_outside() -> dict[str, dict[str, set[str]]]:
    """Return what other rooms import, by room and module; a module itself has no names."""
    found: dict[str, dict[str, set[str]]] = {room: {} for room in PACKAGES}
    for path, source in sources("arena"):
        own = room_of(path)
        for module, name in source.names:
            room = part(module) if module.partition(".")[0] == "arena" else ""
            if room in found and room != own:
                inner = module.removeprefix(f"arena.{room}").removeprefix(".")
                found[room].setdefault(inner, set()).update({name} - {""})
    return found


def public(room: str) -> dict[str, set[str]]:
    """Return the public modules of a room, and of a library their names, from its docstring."""
    folder = ROOT / "arena" / room.replace(".", "/")
    is_module = not folder.is_dir()
    text = (folder.with_suffix(".py") if is_module else folder / "__init__.py").read_text()
    listed = (ast.get_docstring(ast.parse(text)) or "").partition("\n\nPublic ")[2]
    lines = [line for line in listed.splitlines() if line.startswith("    ")]
    if is_module:
        return {"": {name for line in lines for name in re.findall(r"\w+", line)}}
    if room not in LIBRARIES:
        return {module: set() for line in lines for module in re.findall(r"[\w.]+", line)}
    found: dict[str, set[str]] = {}
    names: set[str] = set()
    for line in lines:
        if line.startswith(" " * 8):
            names.update(re.findall(r"\w+", line))
        else:
            names = found[line.strip()] = set()
    return found


@pytest.mark.extensions
@pytest.mark.parametrize("room", PACKAGES)
def test_other_rooms_import_what_is_public(room: str) -> None:
    """What is listed and used by nobody is not public."""
    used = used_from_outside()[room]
    assert not {name for names in used.values() for name in names if name.startswith("_")}
    if room in LIBRARIES:
        assert public(room) == used
    else:
        assert sorted(public(room)) == sorted({*used} - {""})


def test_no_folder_is_long() -> None:
    """``arena`` itself has a row of the map for each entry."""
    folders = {path.parent for path in (ROOT / "arena").rglob("*.py")} - {ROOT / "arena"}
    entries = {
        str(folder.relative_to(ROOT)): len([*folder.iterdir()]) - (folder / "__pycache__").is_dir()
        for folder in folders
    }
    assert {folder: count for folder, count in entries.items() if count > 16} == {}
