"""The line that says why a program ended, in traces that were really written."""

from __future__ import annotations

import pytest

from arena.views.last_words import crash_summary

NODE = """/bots/mine/main.js:3
  throw new Error("no such card");
  ^

Error: no such card
    at Interface.<anonymous> (/bots/mine/main.js:3:9)
    at Interface.emit (node:events:517:28)

Node.js v20.11.0
"""
NODE_WITH_FIELDS = """node:fs:601
  handleErrorFromBinding(ctx);
  ^

Error: ENOENT: no such file or directory, open 'net.bin'
    at Object.openSync (node:fs:601:3)
    at Object.<anonymous> (/bots/mine/main.js:1:15) {
  errno: -2,
  syscall: 'open',
  code: 'ENOENT'
}

Node.js v18.19.0
"""
JAVA = """Exception in thread "main" java.lang.IllegalStateException: lost count
\tat Main.choose(Main.java:10)
\tat Main.main(Main.java:4)
Caused by: java.lang.ArithmeticException: / by zero
\tat Main.count(Main.java:14)
\t... 2 more
"""
BY_ZERO = "Caused by: java.lang.ArithmeticException: / by zero"
RUST = """
thread 'main' panicked at src/main.rs:12:9:
index out of bounds: the len is 3 but the index is 7
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
"""
RUST_WITH_PLACES = """thread 'main' (4711) panicked at src/main.rs:12:9:
no card
stack backtrace:
   0: rust_begin_unwind
             at /rustc/90b35a/library/std/src/panicking.rs:652:5
   1: mine::main
note: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.
"""
GO_STACK = """runtime: goroutine stack exceeds 1000000000-byte limit
fatal error: stack overflow

runtime stack:
runtime.throw({0x4a1f0b?, 0x0?})
\t/usr/lib/go/src/runtime/panic.go:1067 +0x48 fp=0x7f sp=0x7e pc=0x46

goroutine 1 [running]:
main.deep(0x1?)
\t/bots/mine/main.go:15 +0x2a fp=0xc0 sp=0xc1 pc=0x48
...additional frames elided...
"""
SANITIZER = """==7==ERROR: AddressSanitizer: stack-overflow on address 0x7ffd (pc 0x55)
    #0 0x55 in deep(int) main.cpp:14
SUMMARY: AddressSanitizer: stack-overflow main.cpp:14 in deep(int)
Shadow bytes around the buggy address:
  Left alloca redzone:     ca
==7==ABORTING
"""
GO = """panic: runtime error: invalid memory address or nil pointer dereference
[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x47e4a2]

goroutine 1 [running]:
main.choose(...)
\t/bots/mine/main.go:7
main.main()
\t/bots/mine/main.go:12 +0x2a
exit status 2
"""
PYTHON = """Traceback (most recent call last):
  File "/bots/mine/main.py", line 3, in <module>
    raise ValueError("no card")
ValueError: no card
"""
CPP = "terminate called after throwing an instance of 'std::out_of_range'\n  what():  map::at\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (NODE, "Error: no such card"),
        (NODE_WITH_FIELDS, "Error: ENOENT: no such file or directory, open 'net.bin'"),
        (JAVA, BY_ZERO),
        (f"Picked up JAVA_TOOL_OPTIONS: -Xmx1g\n{JAVA}", BY_ZERO),
        ("Picked up JAVA_TOOL_OPTIONS: -Xmx1g\n", ""),
        ("lost count\nNOTE: Picked up JDK_JAVA_OPTIONS: -Xmx1g\n", "lost count"),
        (
            RUST,
            "thread 'main' panicked at src/main.rs:12:9: "
            "index out of bounds: the len is 3 but the index is 7",
        ),
        (RUST_WITH_PLACES, "thread 'main' (4711) panicked at src/main.rs:12:9: no card"),
        (GO, "panic: runtime error: invalid memory address or nil pointer dereference"),
        (PYTHON, "ValueError: no card"),
        (CPP, "std::out_of_range: map::at"),
        (SANITIZER, "SUMMARY: AddressSanitizer: stack-overflow main.cpp:14 in deep(int)"),
        (GO_STACK, "fatal error: stack overflow"),
        ("thinking\nmy last words\n", "my last words"),
        ("-- ply 12\nmy last words\n-- ply 14\n", "my last words"),
        ("-- ply 12\n", "-- ply 12"),
        ("a map {\n}\n", "}"),
        ("}", "}"),
        ("", ""),
        ("\n\n", ""),
    ],
)
def test_the_reason_is_found(text: str, expected: str) -> None:
    assert crash_summary(text) == expected
