"""Texts of a pack about itself, for people."""

from __future__ import annotations

from typing import Final

_INTRODUCTION: Final = {
    True: """\
{run}: the games of {bot}

All games that {bot} played in this run, each as its seat saw it, and what {bot} itself wrote.
Nothing in here comes from another bot, and no card is in here that {bot} was not shown.
""",
    False: """\
{run}: all games

All games of this run as a spectator saw them: what every seat at the table was shown, the
decisions of all included, and no card that some of them did not see.
""",
}

_FILES: Final = {
    True: """\
games/N.jsonl   one game, one JSON object per line:
    start   rules, options, the seat and its bot's seed
    act     a question: observation, events since the last one and legal actions, as the protocol
            has them; then the answer: action, info if the bot sent any, and think_us, the time
            it took in microseconds. "autopilot": the action was played for the bot after its
            fault
    fault   what the bot did wrong, with all that was measured and the end of its standard error
    over    events after the last question, what the seat saw at the end; places, scores, reason
            and the faults of all seats, as in the message "over"
games.jsonl     how each game ended, one per line
stderr.txt      what the bot wrote to its standard error, by game; cut where it was very long
""",
    False: """\
games/N.jsonl   one game, one JSON object per line:
    start   rules, options and, unless they are hidden, the names by seat
    ply     what happened, for all to see; "ply" counts everything that happened, also what
            nobody but one seat saw, so numbers may be missing
    over    places, scores, reason, faults, and the thinking time of each seat in microseconds
games.jsonl     how each game ended, one per line
""",
}

_REST: Final = """\
rules/          each game that was played: rules, options, card data
standings.*     the tables; not in the pack of a bot if names are hidden
manifest.json   the run, its commitment to seed and config, and what this pack leaves out

"ply" is the number by which the organiser finds the place in the full record. Games are left out
while others with the same deal are still to be played ("held_back" in the manifest), and when the
run keeps their records no longer ("expired"). The seed of the run is in no pack.
"""


def readme(run: str, bot: str | None) -> str:
    """Return README.txt of the pack of a bot, or of the public pack."""
    own = bot is not None
    return "\n".join((_INTRODUCTION[own].format(run=run, bot=bot), _FILES[own] + _REST))


_PROOF: Final = """\
{run}: its games with all that was dealt and played

    arena verify . --commitment HEX

with the commitment that was published on the first day (run.json has it too, but that proves
less) deals every game again from its seed, applies every action again, and derives who met whom.
Other commands read it as a run: arena standings, arena replay. What bots wrote for their authors
is not in it, and no time: so it does not prove who was late.
{more}"""
_LADDER: Final = """
entries.jsonl publishes the seed of each round in the line that begins the next one. Of the round
that is being played nothing is in here but who meets whom.
"""


def proof_readme(run: str, *, is_whole: bool) -> str:
    """Return README.txt of a proof.

    ``is_whole``: whether the proof has the seed of the run.
    """
    return _PROOF.format(run=run, more="" if is_whole else _LADDER)
