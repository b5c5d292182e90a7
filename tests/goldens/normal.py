"""What differs from one time to the next, and what stands for it in a golden.

Dates, versions, facts of the machine, what was drawn without a seed, and whatever follows from how
long something took.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import arena

_QUOTE: Final = r'(?:\\?"|&#34;|&quot;)'
_TIME: Final = r"\d[\d,]*(?:\.\d+)? (?:µs|ms|s|min|h|days?)\b"
_MEASURED: Final = (
    "think_us|wall_us|played_at|waited_us|rate|left|read|offset|length|seconds|bytes"
    "|games_per_second|usual|slowest|games_stored|us"
)

_COSTS: Final = "median_us|p95_us|longest_us|slowest_us|cpu_us|cpu_games|memory_bytes"
"""What bots took, where it was measured at all."""

_IS_MEASURED: Final = re.compile(_MEASURED).fullmatch

PATTERNS: Final[tuple[tuple[re.Pattern[str], str], ...]] = tuple(
    (re.compile(pattern, re.MULTILINE), instead)
    for pattern, instead in (
        # dates and versions
        (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?( ?UTC|Z|\+00:00)?", "<date>"),
        (rf'(\barena(?: |":\s*"|</dt><dd>)){re.escape(arena.__version__)}', r"\1<version>"),
        (r"^(arena <version>) \([0-9a-f]{8}(, changed)?\)$", r"\1"),
        (rf'("package": "arena",\s+"version": "){re.escape(arena.__version__)}', r"\1<version>"),
        # what is drawn: the salt of a commitment, the id of a question
        (r"(\| \d+ \| `)[0-9a-f]{64}(` \|)", r"\1<commitment>\2"),  # a row of a card
        (r"(commitment(?:</th>\n)?.*?)[0-9a-f]{64}(\">[0-9a-f]{12}…)?", r"\1<commitment>"),
        (r"(\| `)[0-9a-f]{64}(?=` \|)", r"\1<commitment>"),
        (r'("salt": ?")[0-9a-f]+', r"\1<salt>"),
        (rf"({_QUOTE}id{_QUOTE}: {_QUOTE})[0-9a-f]{{16}}\b", r"\1<id>"),
        # digests of scripts, which a golden of their own lists
        (r"(?:'|&#39;|&#x27;)sha256-[\w+/=]+(?:'|&#39;|&#x27;)", "<digest>"),
        # measured, in JSON and XML
        (rf'("(?:{_MEASURED})": ?\s*)(?:[\d.e-]+|\[[\d\s,.]*\])', r"\1<measured>"),
        (rf'("(?:{_COSTS})": ?\s*)(?:[\d.]+|null)', r"\1<measured>"),
        (r'^("[^"]*","costs",.*?,\d+)(?:,(?:[\d.]+|"")){6}((?:,"")*)$', r"\1,<measured>\2"),
        (  # one or the other, as processes live long enough to be measured or not
            r"^(- |<li>)?(cpu/game: of all|MiB of memory: the|processor and memory were not).*\n",
            "",
        ),
        (
            r"(time per move, processor and memory\n)[^!]*?(?=(?:- )?wall time of)",
            r"\1<measured>\n",
        ),
        (r'( time=|games\.stored" value=)"[\d.]+"', r'\1"<measured>"'),
        # progress, of which there is more on a slow machine
        (r"^.*games/s(?!.*elapsed).*left.*\n", ""),
        (r"^LLR .* block \d+ .*games/s.*\n", ""),
        (r"\d+(\.\d+)? games/s  left \d+:\d\d:\d\d(.*)  elapsed \d+:\d\d:\d\d", r"<rate>\2"),
        (r"elapsed \d+:\d\d:\d\d", "elapsed <time>"),
        (r"^\d+/\d+ games prepared\n", ""),
        # of the machine
        (r"(>|  )Linux,? .*?Python [\d.]+(?:  \d+ cores?)?", r"\1<machine>"),
        (r'("cores": )\d+', r"\1<cores>"),
        (r"\d+ workers?(; nothing was started)?$", r"<workers>\1"),
        # a match has games in hand when it is decided
        (r"^\d+ games (verified|are stored$)", r"<count> games \1"),
        (r"; \d+ more (is|are) stored and not counted", ""),
        # how long bots thought, and what follows
        (r'^(\d+(?:,"[^"\n]*"){3},(?:\d+|""),\d+,)\d+(?=[,\n])', r"\1<measured>"),
        (r"thinking time: .*", "thinking time: <measured>"),
        (r"(<dt>time per move</dt><dd)[^<]*", r"\1><measured>"),
        (r"^time per move +99 %.*\n-+ .*\n(?:.+(?: [µm]?s|–)\n)+", "<times per move>\n"),
        (r"(?<=  )waited \d.*?(?=\"|$)", "waited <measured>"),
        (r"\b\d+(\.\d+)? kB\b", "<size> kB"),
        (r"\b\d[\d.,]* games a second", "<rate> games a second"),
    )
)
"""Applied in this order, to every text."""

_OF_TIMES: Final[tuple[tuple[re.Pattern[str], str], ...]] = tuple(
    (re.compile(pattern, re.MULTILINE), instead)
    for pattern, instead in (
        (_TIME, "<time>"),
        (r"\( ?<time>\)", "(<time>)"),
        (r" {2,}", "  "),
        (r"-{3,}", "---"),
    )
)
"""In what plan and games say of a run: widths of columns follow from times."""

_BEHIND_PATH: Final = re.compile(r"(<here>\S*) +#")
"""How far a remark is pushed by a path of this machine, depends on that."""
_FOUND_BY_DOCTOR: Final = re.compile(r"^(  \S.*?)  .*", re.MULTILINE)
_TIMES_OF_PAGE: Final = re.compile(r'<section [^>]*id="times".*?</section>', re.DOTALL)
_COSTS_OF_PAGE: Final = re.compile(r"<summary>Time per move, proc.*?</details>", re.DOTALL)
_COST: Final = re.compile(r'( data-key="[\d.e-]*")?>([\d.]+|–)(?=</td>)')
"""What was not measured has no key."""
_MOVES: Final = re.compile(
    r"<svg.*?</svg>|(?<=data-key=\")[\d.e-]+|(?<=>)(&lt;)?[\d.,]+( µs| ms| s| %)"
)


def normal(text: str, places: Mapping[str, str]) -> str:
    """The text with paths (``places``: path to word) and patterns replaced."""
    for path, word in places.items():
        text = text.replace(path, word)
    text = _BEHIND_PATH.sub(r"\1  #", text)
    for pattern, instead in PATTERNS:
        text = pattern.sub(instead, text)
    if re.match(r"\$ arena (plan [^-]|games [^-]|replay \w+\n)", text):
        for pattern, instead in _OF_TIMES:
            text = pattern.sub(instead, text)
    if text.startswith("$ arena doctor\n"):
        text = _FOUND_BY_DOCTOR.sub(r"\1  <found>", text)
    text = _COSTS_OF_PAGE.sub(lambda found: _COST.sub("><measured>", found[0]), text)
    return _TIMES_OF_PAGE.sub(lambda found: _MOVES.sub("<measured>", found[0]), text)


def steady(value: Any) -> Any:
    """JSON to be indented, as how it is folded follows from how long its numbers are.

    Measured numbers are replaced, and turning points that are slow moves left out.
    """
    if isinstance(value, dict):
        if {*value} == {"names", "disciplines", "rows"}:  # a list of games, with slowest moves
            rows = ([*row[:10], row[10] and "<measured>", *row[11:]] for row in value["rows"])
            value = {**value, "rows": [*rows]}
        return {
            key: "<measured>"
            if key == "spent" or (_IS_MEASURED(key) and _is_number(item))
            else steady(item)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [steady(item) for item in value if not _is_slow_move(item)]
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) or (
        isinstance(value, list) and all(map(_is_number, value))
    )


def _is_slow_move(value: Any) -> bool:
    return isinstance(value, dict) and value.get("kind") == "slow"
