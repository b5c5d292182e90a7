"""The hostile bots and what is to become of them: one row each, plain data.

The bots themselves are in ``tests/bots/hostile``.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Final, NamedTuple

NONE, LIMITS, LANDLOCK, BUBBLEWRAP = "none", "limits", "landlock", "bubblewrap"
LEVELS: Final = (NONE, LIMITS, LANDLOCK, BUBBLEWRAP)
CONFINED: Final = LEVELS[1:]
NEVER: Final = "never"

GROUPS: Final = {
    "t": "timing and life cycle",
    "p": "pipes",
    "m": "contents of messages",
    "o": "order of messages",
    "r": "resources",
    "x": "spying and tampering",
    "f": "fairness",
}


class Pace(Enum):
    """Under which clock a bot plays."""

    PATIENT = "patient"
    """No limit that the machine's speed could reach: the verdict has another reason than time."""
    QUICK = "quick"
    """Half a second for an answer, three for the start."""
    FROZEN = "frozen"
    """Patient, and bots stand still while they are not asked."""
    KILLED = "killed"
    """Arena and its workers are killed in the middle of the game, and arena is started again."""


class Row(NamedTuple):
    """One bot."""

    group: str
    file: str
    bot: str
    verdict: str = "ok"
    """The kind of its fault, or ``ok``; with a stroke between them where either is right."""
    through: str | None = None
    """The strictest level at which its attack goes through, or NEVER; None: it attacks nothing."""
    root: str | None = None
    """The same where arena is root, so that every bot is a user of its own; None: no difference."""
    maybe: bool = False
    """Whether the kernel's settings may refuse the attack where it would go through."""
    pace: Pace = Pace.PATIENT
    at: dict[str, str] | None = None
    """The verdict at levels where it is another one."""
    uncounted: dict[str, Any] | None = None
    """What differs where no cgroup limits a bot."""
    shared: dict[str, Any] | None = None
    """What differs where neither a cgroup limits it nor is it a user of its own."""
    unstopped: dict[str, Any] | None = None
    """What differs where no cgroup can stop a bot."""
    levels: tuple[str, ...] = LEVELS
    seen: bool = False
    """Whether the attack went through is what the harness finds afterwards, not what the bot says:
    in a sandbox it may have reached a copy."""
    limits: dict[str, Any] | None = None
    """What differs from the usual limits."""
    quiet: bool = True
    """False: with a slow opponent, so that there is time between its questions."""

    told: int = 0
    """So many bytes more are written to it when the game starts."""
    few: bool = False
    """Whether it is one of those that stand for all in the test suite."""

    @property
    def name(self) -> str:
        """``life.py:hangs``"""
        return f"{self.file}:{self.bot}"


def _rows(group: str, file: str, verdict: str, names: str, **more: Any) -> list[Row]:
    """Bots of one verdict. A star marks those that stand for all in the test suite."""
    return [
        Row(group, file, name.lstrip("*"), verdict, few=name.startswith("*"), **more)
        for name in names.split()
    ]


def _raids(file: str, through: str, names: str, **more: Any) -> list[Row]:
    """Bots that spy or tamper, and play honestly."""
    return _rows("x", file, "ok", names, through=through, **more)


LIFE: Final = [
    *_rows("t", "life.py", "ok", "*honest slow starts_slowly *stays_after_bye exits_at_over"),
    *_rows("t", "life.py", "ok", "leaves_its_main_thread becomes_another_program"),
    *_rows("t", "life.py", "startup", "hangs_at_start hangs_before_reading", pace=Pace.QUICK),
    *_rows("t", "life.py", "startup", "starts_late", pace=Pace.QUICK),
    *_rows("t", "life.py", "startup", "exits_at_start exits_before_ready prints_a_banner"),
    *_rows("t", "life.py", "startup", "speaks_another_protocol wants_the_unknown"),
    *_rows("t", "/no/such/program", "startup", "is_missing"),
    *_rows("t", "zoo.c", "startup", "is_no_program"),
    *_rows("t", "life.py", "timeout", "hangs hangs_in_mid_game *burns drips", pace=Pace.QUICK),
    *_rows("t", "life.py", "timeout", "drips_an_answer answers_late", pace=Pace.QUICK),
    *_rows("t", "life.py", "timeout", "*ignores_sigterm stops_itself", pace=Pace.QUICK),
    *_rows("t", "life.py", "crash", "exits_with_0 exits_with_1 kills_itself aborts *segfaults"),
    *_rows("t", "life.py", "crash", "answers_and_exits exits_in_half_a_line"),
    *_rows("t", "life.py", "crash", "fails_with_a_traceback"),
    *_rows("t", "zoo.c", "ok", "honest leaves_its_main_thread undoes_its_death_signal"),
    *_rows("t", "zoo.c", "crash", "divides_by_zero jumps_to_nowhere dies_of_a_real_time_signal"),
    *_rows("t", "zoo.c", "timeout", "blocks_all_signals", pace=Pace.QUICK),
    *_rows("t", "zoo.js", "ok", "*honest stays_after_bye"),
    *_rows("t", "zoo.js", "crash", "throws"),
    *_rows("t", "zoo.js", "timeout", "never_answers_asynchronously", pace=Pace.QUICK),
]

PIPES: Final = [
    *_rows("p", "pipes.py", "timeout", "closes_stdout closes_stdin *closes_all", pace=Pace.QUICK),
    *_rows("p", "pipes.py", "timeout", "points_stdout_elsewhere", pace=Pace.QUICK),
    *_rows("p", "pipes.py", "timeout", "never_reads", pace=Pace.QUICK, told=400_000),
    *_rows("p", "pipes.py", "timeout", "floods_blank_lines", pace=Pace.QUICK),
    *_rows("p", "pipes.py", "timeout", "floods_stderr_and_hangs", pace=Pace.QUICK),
    *_rows("p", "pipes.py", "ok", "closes_stderr *floods_stderr_and_plays floods_after_the_game"),
    *_rows("p", "pipes.py", "ok", "writes_300_kb_to_stderr shrinks_its_pipes grows_its_pipes"),
    *_rows("p", "pipes.py", "ok", "sets_its_pipes_non_blocking"),
    *_rows("p", "pipes.py", "overflow", "floods_without_a_line_end floods_spaces"),
    *_rows("p", "pipes.py", "malformed", "floods_lines"),
    *_rows("p", "pipes.py", "protocol", "floods_guesses"),
    *_rows("p", "pipes.py", "crash", "leaves_its_pipes_to_a_child"),
    *_rows("p", "zoo.c", "overflow", "*floods_without_a_line_end"),
    *_rows("p", "zoo.c", "malformed", "floods_lines"),
    *_rows("p", "zoo.c", "ok", "floods_stderr_and_plays"),
    *_rows("p", "zoo.js", "overflow", "floods_without_a_line_end"),
]

MESSAGES: Final = [
    *_rows("m", "messages.py", "ok", "says_nothing_else ends_lines_with_crlf sends_blank_lines"),
    *_rows("m", "messages.py", "ok", "sends_line_separators sends_unknown_fields"),
    *_rows("m", "messages.py", "ok", "sends_a_long_info sends_terminal_codes_as_info"),
    *_rows("m", "messages.py", "ok", "*sends_a_line_at_the_limit"),
    *_rows("m", "messages.py", "overflow", "sends_a_line_over_the_limit sends_too_many_spaces"),
    *_rows("m", "messages.py", "malformed", "sends_invalid_utf_8 sends_overlong_utf_8"),
    *_rows("m", "messages.py", "malformed", "sends_utf_16 sends_a_byte_order_mark sends_a_nul"),
    *_rows("m", "messages.py", "malformed", "sends_a_control_character sends_plain_text"),
    *_rows("m", "messages.py", "malformed", "sends_an_object_behind sends_a_list sends_null"),
    *_rows("m", "messages.py", "malformed", "sends_a_comment sends_single_quotes"),
    *_rows("m", "messages.py", "malformed", "*nests_30000_levels nests_30000_levels_unclosed"),
    *_rows("m", "messages.py", "malformed", "nests_65_levels sends_60000_digits_as_info"),
    *_rows("m", "messages.py", "malformed", "sends_60000_digits sends_1e999 sends_nan"),
    *_rows("m", "messages.py", "malformed", "sends_infinity *repeats_a_key repeats_a_key_inside"),
    *_rows("m", "messages.py", "malformed", "sends_half_a_surrogate sends_a_text_as_action"),
    *_rows("m", "messages.py", "malformed", "sends_a_fraction_as_action sends_0_0_as_action"),
    *_rows("m", "messages.py", "malformed", "sends_true_as_action sends_null_as_action"),
    *_rows("m", "messages.py", "malformed", "sends_no_action sends_no_id sends_a_number_as_id"),
    *_rows("m", "messages.py", "malformed", "sends_an_unknown_type sends_an_unknown_action"),
    *_rows("m", "messages.py", "malformed", "sends_an_action_of_wrong_types"),
    *_rows(
        "m", "messages.py", "malformed", "sends_the_goodbye_back sends_an_action_with_10000_cards"
    ),
    *_rows("m", "messages.py", "illegal", "sends_a_huge_index sends_a_negative_index"),
    *_rows("m", "messages.py", "illegal", "sends_an_index_of_80_bits"),
    *_rows("m", "messages.py", "illegal", "sends_an_action_with_too_many_cards"),
    *_rows("m", "messages.py", "protocol", "sends_another_id is_ready_again"),
]

ORDER: Final = [
    *_rows("o", "order.py", "protocol", "*answers_before_it_is_asked answers_with_ready"),
    *_rows("o", "order.py", "protocol", "*answers_twice answers_the_last_question"),
    *_rows("o", "order.py", "protocol", "guesses_the_next_question is_ready_twice"),
    *_rows("o", "order.py", "protocol", "answers_again_later", quiet=False),
    *_rows("o", "order.py", "malformed", "prints_while_others_think", quiet=False),
    *_rows("o", "order.py", "ok", "answers_over"),
]

_OVER: Final = dict.fromkeys(CONFINED, "limit")
"""Found to be over its limit, and killed."""
_IN_FILES: Final = {LIMITS: "limit"}
"""Found to be over its limit where there can be files in memory at all."""
_EITHER: Final = dict.fromkeys(CONFINED, "ok/limit")
"""The kernel kills one of its processes, or all."""
_CONDEMNED: Final = {"at": {LIMITS: "limit", LANDLOCK: "limit"}}

RESOURCES: Final = [
    *_rows("r", "resources.py", "ok", "leaves_a_daemon *leaves_a_quiet_daemon"),
    *_rows("r", "resources.py", "ok", "leaves_a_daemon_without_a_name leaves_twenty_sessions"),
    *_rows("r", "resources.py", "ok", "leaves_a_stopped_child is_traced_by_its_child"),
    *_rows("r", "resources.py", "crash", "leaves_a_daemon_and_exits"),
    *_rows(
        "r", "resources.py", "ok", "*outlives_arena", through=NONE, root=NEVER, pace=Pace.KILLED
    ),
    *_rows("r", "resources.py", "ok", "*forks keeps_zombies", through=NONE, shared=_CONDEMNED),
    *_rows("r", "resources.py", "ok", "starts_threads", through=NONE, shared=_CONDEMNED),
    *_rows("r", "resources.py", "ok", "takes_memory", through=NONE),
    *_rows("r", "resources.py", "ok", "*takes_shared_memory", through=NONE, at=_OVER),
    *_rows("r", "resources.py", "ok", "takes_memory_in_children", through=NONE, at=_EITHER),
    *_rows(
        "r",
        "resources.py",
        "ok",
        "hides_its_memory_in_files",
        through=NONE,
        at=_IN_FILES,
        shared={"through": LIMITS, "at": None},
    ),
    *_rows("r", "resources.py", "ok", "*hides_its_memory", through=NONE, at=_OVER),
    *_rows("r", "resources.py", "ok", "*takes_memory_in_files", through=NONE, at=_IN_FILES),
    *_rows("r", "resources.py", "ok", "*writes_a_big_file", through=NONE),
    *_rows(
        "r",
        "resources.py",
        "ok",
        "writes_over_the_size_of_a_file",
        through=NONE,
        at={LIMITS: "crash", BUBBLEWRAP: "crash"},
    ),
    *_rows("r", "resources.py", "ok", "writes_many_files", through=LIMITS),
    *_rows("r", "resources.py", "ok", "*leaves_a_deep_tree leaves_empty_files"),
    *_rows("r", "resources.py", "ok", "leaves_links_and_pipes swaps_its_folders"),
    *_rows("r", "resources.py", "ok", "opens_descriptors", through=NONE),
    *_rows("r", "resources.py", "ok", "raises_its_limits", through=NEVER),
    *_rows("r", "resources.py", "ok", "may_dump_core", through=NONE, maybe=True),
    *_rows(
        "r",
        "resources.py",
        "limit",
        "uses_up_its_processor_time",
        levels=CONFINED,
        limits={"cpu": 1.0},
    ),
    *_rows(
        "r",
        "resources.py",
        "limit",
        "ignores_the_end_of_its_processor_time",
        levels=CONFINED,
        uncounted={"at": {BUBBLEWRAP: "crash/limit"}},  # its time is then known to nobody
        limits={"cpu": 1.0},
    ),
    *_rows("r", "resources.py", "ok", "starts_programs"),
    *_rows("r", "zoo.c", "ok", "*forks_in_a_chain forks_in_chains"),
    *_rows("r", "zoo.c", "ok", "takes_memory", through=NONE),
    *_rows("r", "zoo.c", "ok", "takes_shared_memory", through=NONE, at=_OVER),
    *_rows("r", "zoo.js", "ok", "takes_memory", through=NONE),
    *_rows("r", "zoo.js", "ok", "leaves_a_child"),
    # Node may hang for ever when it gets no more threads
    *_rows("r", "zoo.js", "ok/timeout", "starts_threads"),
]

SPYING: Final = [
    # of others
    *_raids("spying.py", NEVER, "reads_its_environment inherits_descriptors"),
    *_raids("kernel.py", NEVER, "runs_as_root"),
    *_raids(
        "spying.py", LIMITS, "*reads_others_environment reads_the_opponents_environment", root=NEVER
    ),
    *_raids("spying.py", LIMITS, "reads_command_lines"),
    *_raids("spying.py", LIMITS, "reads_a_private_file reads_the_run_folder", root=NEVER),
    *_raids("spying.py", LIMITS, "*reads_a_public_file reads_the_list_of_users"),
    *_raids("spying.py", LIMITS, "*reads_the_opponents_source", root=NEVER),
    *_raids("spying.py", LIMITS, "reads_its_parents_memory", root=NEVER, maybe=True),
    *_raids("spying.py", LIMITS, "reads_its_parents_memory_by_call", root=NEVER, maybe=True),
    *_raids(
        "spying.py", LIMITS, "opens_the_opponents_memory traces_its_parent", root=NEVER, maybe=True
    ),
    *_raids("kernel.py", LIMITS, "compares_itself_with_its_parent", root=NEVER, maybe=True),
    *_raids("spying.py", NEVER, "opens_devices"),
    *_raids("talking.py", NEVER, "types_at_the_terminal"),
    *_raids(
        "spying.py",
        LIMITS,
        "*signals_its_parent signals_its_opponent signals_everybody",
        root=NEVER,
    ),
    *_raids("spying.py", LIMITS, "takes_the_opponents_input *answers_for_the_opponent", root=NEVER),
    *_raids("spying.py", LIMITS, "*limits_its_parent slows_its_parent pins_its_parent", root=NEVER),
    *_raids("spying.py", LIMITS, "*leaves_its_core *reads_others_scheduling"),
    *_raids("spying.py", LIMITS, "reads_others_processor_time"),
    *_raids("spying.py", LIMITS, "leaves_its_cgroup", root=NEVER, maybe=True),
    *_raids("spying.py", NEVER, "raises_its_priority runs_in_real_time escapes_the_memory_killer"),
    # network and other ways to talk
    *_raids(
        "talking.py",
        LIMITS,
        "*connects_by_tcp listens_by_tcp *sends_by_udp connects_to_a_socket_file",
    ),
    *_raids(
        "talking.py",
        LIMITS,
        "*connects_to_an_abstract_socket sends_by_a_paired_socket talks_to_netlink",
    ),
    *_raids("talking.py", LIMITS, "adds_a_key opens_a_virtual_socket", maybe=True),
    *_raids("talking.py", NEVER, "opens_a_raw_socket"),
    *_raids("talking.py", LIMITS, "*locks_a_shared_file watches_a_shared_file"),
    # what is counted for all together
    *_raids("counting.py", LIMITS, "*talks_by_shared_memory talks_by_shared_pages"),
    *_raids("counting.py", LIMITS, "talks_by_room_on_the_disk"),
    *_raids("counting.py", BUBBLEWRAP, "talks_by_counting_processes"),
    *_raids("counting.py", BUBBLEWRAP, "talks_by_waking_each_other"),
    *_raids("counting.py", LIMITS, "*remembers_by_numbers_of_memory"),
    *_raids("counting.py", LIMITS, "remembers_by_numbers_of_sockets", maybe=True),
    *_raids("counting.py", LIMITS, "remembers_by_numbers_of_processes", maybe=True),
    *_raids("counting.py", BUBBLEWRAP, "remembers_by_numbers_of_pipes"),
    *_raids("counting.py", LANDLOCK, "remembers_by_times_of_files", root=LIMITS, maybe=True),
    # what the next one finds
    *_raids("spying.py", LIMITS, "*remembers_by_the_page_cache"),
    *_raids("talking.py", LIMITS, "*leaves_files_for_the_next", seen=True),
    *_raids("talking.py", LIMITS, "writes_to_its_source", root=NEVER, seen=True),
    *_raids("talking.py", LIMITS, "writes_to_the_run_folder", root=NEVER, seen=True),
    *_raids("talking.py", LIMITS, "writes_to_the_opponents_folder", root=NEVER),
    *_raids("talking.py", LIMITS, "leaves_shared_memory leaves_a_message_queue"),
    *_raids("builds.py", NEVER, "*is_built_by_another"),
    # the kernel
    *_raids("kernel.py", LIMITS, "*makes_a_user_namespace mounts_a_file_system", maybe=True),
    *_raids("kernel.py", LIMITS, "changes_its_personality"),
    *_raids("kernel.py", LIMITS, "traces_a_child sets_up_an_io_uring", maybe=True),
    *_raids("kernel.py", LIMITS, "uses_bpf uses_performance_counters uses_userfaultfd", maybe=True),
    *_raids("kernel.py", NEVER, "becomes_root changes_its_root sets_the_clock makes_a_device"),
    *_raids("kernel.py", NONE, "may_use_set_uid_programs"),
    *_rows(
        "x",
        "zoo.c",
        "ok",
        "calls_by_the_old_gate",
        through=LIMITS,
        maybe=True,
        at={LANDLOCK: "crash", BUBBLEWRAP: "crash"},
    ),
    *_rows("x", "zoo.c", "ok", "calls_with_the_x32_bit", through=LIMITS, maybe=True),
    *_rows("x", "zoo.c", "ok", "clones_into_namespaces", through=LIMITS, maybe=True),
    *_rows("x", "zoo.js", "ok", "connects_by_tcp", through=LIMITS),
]

FAIRNESS: Final = [
    *_rows("f", "fairness.py", "ok", "ponders", through=BUBBLEWRAP, quiet=False),
    *_rows(
        "f",
        "fairness.py",
        "ok",
        "ponders_while_stopped ponders_in_a_child wakes_itself",
        through=NEVER,
        pace=Pace.FROZEN,
        quiet=False,
    ),
    *_rows("f", "fairness.py", "ok", "steps_back"),
    *_rows("f", "fairness.py", "timeout", "sleeps_too_long", pace=Pace.QUICK),
    *_rows("f", "fairness.py", "timeout", "starves_itself_with_threads", pace=Pace.QUICK),
    *_rows("f", "fairness.py", "timeout", "*starves_itself_with_children", pace=Pace.QUICK),
    *_rows("f", "fairness.py", "timeout", "starves_itself_with_daemons", pace=Pace.QUICK),
]

ROWS: Final = (*LIFE, *PIPES, *MESSAGES, *ORDER, *RESOURCES, *SPYING, *FAIRNESS)
