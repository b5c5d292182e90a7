"""Facts about each language for the templates, such as its names for the kinds of values."""

from __future__ import annotations

import keyword
from collections.abc import Mapping
from typing import Final, NamedTuple

from arena.kit.shapes import Kind, RecordField, Shape


class Language(NamedTuple):
    """A language that bots can be written in."""

    name: str
    title: str
    ending: str
    """File name extension."""
    types: Mapping[Kind, str]
    """Type of each kind of value; ``{}`` stands for the type it holds, or for its name."""
    main: str
    """Name of the file that starts the bot."""
    command: tuple[str, ...]
    prints: str
    """Sentence that says where the output of a bot is written."""
    hint: str = ""
    """Further advice, as a sentence in Markdown."""
    inner: Mapping[str, str] = {}
    """Names of types within other types, where they differ."""
    build: tuple[tuple[str, ...], ...] = ()
    needs: tuple[tuple[str, str], ...] = ()
    """Required programs with their lowest versions."""
    empty: Mapping[Kind, str] = {}
    """Default for an absent value of each kind, where the templates need one."""
    option: str = 'game.option("figure", 6)'
    """Code that reads an option of the bot."""
    keywords: frozenset[str] = frozenset()
    """Words that cannot name a field; such fields get ``_`` appended."""

    def type(self, shape: Shape) -> str:
        """Return the type of a value."""
        held = self.type(shape.of) if shape.of else shape.name
        return self.types[shape.kind].replace("{}", self.inner.get(held, held))

    def default(self, field: RecordField) -> str:
        """Return the default of a field, used where it is absent."""
        return self.empty.get(field.shape.kind, "")

    def named(self, word: str) -> str:
        """Return the name of a field."""
        return f"{word}_" if word in self.keywords else word


ALIASES: Final[Mapping[str, str]] = {
    "js": "javascript",
    "node": "javascript",
    "c++": "cpp",
    "cc": "cpp",
    "py": "python",
    "golang": "go",
    "rs": "rust",
}
"""Other names of the languages."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BOTH: Final = "Standard output leads to standard error, also that of child processes."

PYTHON: Final = Language(
    name="python",
    title="Python",
    ending="py",
    main="main.py",
    command=("python3", "main.py"),
    prints=_BOTH,
    needs=(("python3", "3.11"),),
    types={
        "text": "str",
        "whole": "int",
        "number": "float",
        "flag": "bool",
        "any": "Any",
        "card": "Card",
        "record": "{}",
        "list": "list[{}]",
        "map": "dict[str, {}]",
        "maybe": "{} | None",
    },
    empty={
        "text": '""',
        "whole": "0",
        "number": "0.0",
        "flag": "False",
        "any": "None",
        "list": "field(default_factory=list)",
        "map": "field(default_factory=dict)",
        "maybe": "None",
    },
    keywords=frozenset(keyword.kwlist),
)
JAVASCRIPT: Final = Language(
    name="javascript",
    title="JavaScript",
    ending="js",
    main="main.js",
    command=("node", "main.js"),
    prints="`console.log` and `process.stdout` write to standard error. "
    "A child process must not inherit standard output: that is the wire.",
    needs=(("node", "14"),),
    types={
        "text": "string",
        "whole": "number",
        "number": "number",
        "flag": "boolean",
        "any": "any",
        "card": "Card",
        "record": "{}",
        "list": "Array<{}>",
        "map": "Object<string, {}>",
        "maybe": "?{}",
    },
)
CPP: Final = Language(
    name="cpp",
    title="C++",
    ending="hpp",
    main="main.cpp",
    command=("build/bot",),
    prints=_BOTH,
    hint="**`-Og`** in `bot.yaml` is built soonest. A bot that searches wants `-O2`.",
    build=(
        ("mkdir", "-p", "build"),
        ("g++", "-std=c++17", "-Og", "-o", "build/bot", "main.cpp"),
    ),
    needs=(("g++", "8"),),
    types={
        "text": "std::string",
        "whole": "long long",
        "number": "double",
        "flag": "bool",
        "any": "Json",
        "card": "Card",
        "record": "{}",
        "list": "std::vector<{}>",
        "map": "std::map<std::string, {}>",
        "maybe": "std::optional<{}>",
    },
    empty={"whole": " = 0", "number": " = 0", "flag": " = false"},
    keywords=_words(
        "alignas alignof and asm auto bool break case catch char class const constexpr continue "
        "default delete do double else enum explicit export extern false final float for friend "
        "goto if inline int long mutable namespace new noexcept not nullptr operator or override "
        "private protected public register requires return short signed sizeof static struct "
        "switch template this throw true try typedef typename union unsigned using virtual void "
        "volatile while xor type at"
    ),
)
GO: Final = Language(
    name="go",
    option='kit.Option(game, "figure", 6)',
    title="Go",
    ending="go",
    main="main.go",
    command=("build/bot",),
    prints=_BOTH,
    build=(("go", "build", "-o", "build/bot", "."),),
    needs=(("go", "1.18"),),
    types={
        "text": "string",
        "whole": "int",
        "number": "float64",
        "flag": "bool",
        "any": "any",
        "card": "Card",
        "record": "{}",
        "list": "[]{}",
        "map": "map[string]{}",
        "maybe": "*{}",
    },
)
JAVA: Final = Language(
    name="java",
    title="Java",
    ending="java",
    main="Main.java",
    command=("java", "-XX:+UseSerialGC", "-cp", "build", "Main"),
    prints="`System.out` writes to standard error. "
    "A child process must not inherit standard output (`inheritIO`): that is the wire.",
    build=(
        ("javac", "-J-XX:+UseSerialGC", "-J-XX:TieredStopAtLevel=1", "-d", "build", "Main.java"),
    ),
    needs=(("javac", "17"), ("java", "17")),
    types={
        "text": "String",
        "whole": "int",
        "number": "double",
        "flag": "boolean",
        "any": "Object",
        "card": "Card",
        "record": "{}",
        "list": "List<{}>",
        "map": "Map<String, {}>",
        "maybe": "Optional<{}>",
    },
    inner={"int": "Integer", "double": "Double", "boolean": "Boolean"},
    keywords=_words(
        "abstract assert boolean break byte case catch char class clone const continue default do "
        "double else enum extends final finalize finally float for getClass goto hashCode if "
        "implements import instanceof int interface long native new notify notifyAll package "
        "private protected public return short static strictfp super switch synchronized this "
        "throw throws toString transient try void volatile wait while true false null at"
    ),
)
RUST: Final = Language(
    name="rust",
    title="Rust",
    ending="rs",
    main="main.rs",
    command=("build/bot",),
    prints=_BOTH,
    hint="**`-C opt-level=1`** in `bot.yaml` is built soonest. A bot that searches wants 3.",
    build=(
        ("mkdir", "-p", "build"),
        (
            *("rustc", "--edition=2021", "-C", "opt-level=1", "-C", "panic=abort"),
            *("-o", "build/bot", "main.rs"),
        ),
    ),
    needs=(("rustc", "1.58"),),
    types={
        "text": "String",
        "whole": "i64",
        "number": "f64",
        "flag": "bool",
        "any": "Json",
        "card": "Card",
        "record": "{}",
        "list": "Vec<{}>",
        "map": "BTreeMap<String, {}>",
        "maybe": "Option<{}>",
    },
    keywords=_words(
        "abstract as async await become box break const continue crate do dyn else enum extern "
        "false final fn for gen if impl in let loop macro match mod move mut override priv pub "
        "ref return self static struct super trait true try type typeof union unsafe unsized use "
        "virtual where while yield"
    ),
)

_ALL: Final = (PYTHON, JAVASCRIPT, CPP, GO, JAVA, RUST)
LANGUAGES: Final[Mapping[str, Language]] = {each.name: each for each in _ALL}
"""Languages by name, in the order of ``arena new-bot``."""
