"""Bots for the toy table: ``python toys.py NAME``.

They play honestly but for the one thing that the name tells. Others for it are in ``hostile``.
"""

import json
import os
import select
import signal
import sys
import threading
import time

from hostile.kit import answer, main, play, ready, send, write


def sleep(message=None):
    time.sleep(60)


def for_ever(data, descriptor=1, pause=0.0):
    while True:
        os.write(descriptor, data)
        time.sleep(pause)


def line(message, action=0):
    return json.dumps({"type": "action", "id": message["id"], "action": action}).encode() + b"\n"


def drip(message):
    for byte in line(message):
        time.sleep(0.02)
        write(bytes((byte,)))


def burn_with_children(message):
    for _ in range(4):
        if os.fork() == 0:
            break
    while True:
        pass


def spin(message):
    until = time.process_time() + 0.3
    while time.process_time() < until:
        pass
    answer(message)


def nap(message):
    time.sleep(0.45)
    answer(message)


def nap_while_children_burn(message):
    for _ in range(2 * os.cpu_count()):
        if os.fork() == 0:
            while True:
                pass
    nap(message)


def leave_a_child(then):
    if os.fork() == 0:
        then()
    os._exit(7)


def leave_a_daemon(message=None):
    if os.fork() == 0:
        os.setsid()
        if daemon := os.fork():
            os.write(2, b"daemon %d\n" % daemon)
            os._exit(0)
        sleep()
    os.wait()


DIFFERENCES = {
    "honest": {},
    # At the start
    "answers_early": {"start": lambda m: send(type="action", id="0123456789abcdef", action=0)},
    "answers_with_ready": {
        "hello": lambda m: write(
            b'{"type":"ready","protocol":1}\n{"type":"action","id":"","action":0}\n'
        )
    },
    "late_ready": {"hello": lambda m: (time.sleep(5), ready(m))},
    "leaves_a_daemon": {"start": leave_a_daemon},
    "talks_at_start": {"hello": lambda m: (os.write(2, b"loading the model\n"), ready(m))},
    "wrong_protocol": {"hello": lambda m: send(type="ready", protocol=99)},
    # Right answers
    "blank_lines_and_crlf": {
        "act": lambda m: write(b"\r\n\n" + line(m).replace(b"\n", b"\r\n\n \r\n"))
    },
    "sleeps": {"act": nap},
    "sleeps_while_children_burn": {"act": nap_while_children_burn},
    "spins": {"act": spin},
    "takes_the_second": {"act": lambda m: write(line(m, 1))},
    # More than answers
    "floods_guesses": {"act": lambda m: write(b"".join(line(m, k) for k in range(50)))},
    "prints_while_thinking": {"act": lambda m: (write(b"score +3\n"), answer(m))},
    "writes_after_over": {"over": lambda m: answer({"id": "0"})},
    # No answers
    "burns_with_children": {"act": burn_with_children},
    "drip": {"act": drip},
    "drip_forever": {"act": lambda m: for_ever(b"\n", pause=0.02)},
    "floods_stderr": {"act": lambda m: for_ever(b"x" * 65536, 2)},
    "floods_stdout": {"act": lambda m: for_ever(b"x" * 65536)},
    "hang": {"act": sleep},
    "stop_self": {"act": lambda m: os.kill(os.getpid(), signal.SIGSTOP)},
    # Ends
    "answer_then_exit": {"act": lambda m: (answer(m), os._exit(4))},
    "exit_0": {"act": lambda m: os._exit(0)},
    "exit_1": {"act": lambda m: sys.exit("my last words")},
    "forked_child_keeps_the_pipes": {"act": lambda m: leave_a_child(sleep)},
    "grandchild_floods": {"act": lambda m: leave_a_child(lambda: for_ever(b" " * 65535 + b"\n"))},
    "half_line_then_exit": {"act": lambda m: (write(b'{"type":"action","id":"'), os._exit(0))},
    "signal_self": {"act": lambda m: os.kill(os.getpid(), signal.SIGKILL)},
}


def exit_at_start():
    sys.exit("no model file")


hang_at_start = sleep


def leaves_a_daemon_at_start():
    leave_a_daemon()
    sys.exit(1)


def never_reads():
    os.read(0, 4096)
    ready(None)
    sleep()


def closes_stdin():
    os.read(0, 4096)
    os.close(0)
    ready(None)
    sleep()


def ignores_sigterm():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    play(act=sleep)


def floods_stderr_meanwhile():
    written = 0

    def flood():
        nonlocal written
        while True:
            written += os.write(2, b"x" * 65536)

    def wait_and_answer(message):
        """Not before more than a pipe holds was read."""
        enough = written + 4 * 65536
        while written < enough:
            time.sleep(0.001)
        answer(message)

    threading.Thread(target=flood, daemon=True).start()
    play(act=wait_and_answer)


def sets_its_pipes_non_blocking():
    for descriptor in range(3):
        os.set_blocking(descriptor, False)
    held = b""
    while select.select([0], [], []) and (data := os.read(0, 65536)):
        *lines, held = (held + data).split(b"\n")
        for line in lines:
            if line.startswith(b'{"type":"hello"'):
                ready(None)
            elif line.startswith(b'{"type":"act"'):
                answer({"id": line.split(b'"id":"')[1].split(b'"')[0].decode()})


if __name__ == "__main__":
    main(globals() | DIFFERENCES)
