"""The machine: processes, threads, memory, disk, descriptors. All sizes are in the targets."""

import contextlib
import ctypes
import mmap
import os
import resource
import signal
import subprocess
import sys
import threading
import time

from kit import answer, attempt, main, play, raid
from life import burn, sleep

MIB = 1 << 20


def daemon(then=sleep, signals=()):
    """Leave this process's group and session, and its parent."""
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        for number in signals:
            signal.signal(number, signal.SIG_IGN)
        then()
        os._exit(0)
    os.wait()


def close_pipes():
    null = os.open("/dev/null", os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)


# Processes


def leaves_a_daemon():
    play(start=lambda message: daemon())


def leaves_a_quiet_daemon():
    """Nothing leads from it to its bot: no pipe, no session, no signal but the one."""

    def hide():
        close_pipes()
        burn()

    catchable = set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP, 32, 33}
    play(start=lambda message: daemon(hide, catchable))


def leaves_a_daemon_without_a_name():
    """Another program, with an empty environment."""

    def hide():
        close_pipes()
        os.execve("/bin/sleep", [" ", "600"], {})

    play(start=lambda message: daemon(hide))


def outlives_arena():
    """As its child, while it lives itself; under a name that only the harness looks for."""

    def start(message):
        if os.fork():
            sleep()
        os.setsid()
        close_pipes()
        ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)
        os.execve("/bin/sleep", [message["bot_options"]["mark"], "600"], {})

    play(start=start)


def leaves_a_daemon_and_exits():
    def act(message):
        daemon()
        os._exit(3)

    play(act=act)


def leaves_twenty_sessions():
    def start(message):
        for _ in range(20):
            if os.fork() == 0:
                os.setsid()
                sleep()

    play(start=start)


def leaves_a_stopped_child():
    def start(message):
        if os.fork() == 0:
            os.setsid()
            os.kill(os.getpid(), signal.SIGSTOP)

    play(start=start)


def is_traced_by_its_child():
    """A traced process cannot be reaped before its tracer ends."""

    def start(message):
        parent, seize = os.getpid(), 0x4206
        if os.fork() == 0:
            os.setsid()
            ctypes.CDLL(None).ptrace(seize, parent, None, None)
            sleep()

    play(start=start)


def forks_without_end(targets):
    """One child after another, all of them kept."""
    wanted, born = 4 * targets["processes"], 0
    children = []
    try:
        while born < wanted:
            child = os.fork()
            if child == 0:
                time.sleep(5)
                os._exit(0)
            children.append(child)
            born += 1
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    return f"{born} children"


def zombies(targets):
    wanted = 4 * targets["processes"]
    for _ in range(wanted):
        if os.fork() == 0:
            os._exit(0)
    time.sleep(1)
    return f"{wanted} zombies"


def threads(targets):
    """With small stacks, so that it is not memory that ends it."""
    threading.stack_size(1 << 18)
    wanted, end = 4 * targets["processes"], threading.Event()
    started = []
    try:
        for _ in range(wanted):
            thread = threading.Thread(target=end.wait)
            thread.start()
            started.append(thread)
        time.sleep(1)  # for who looks now and then
    finally:
        end.set()
        for thread in started:
            thread.join()
    return f"{wanted} threads"


# Memory


def private_memory(targets):
    return f"{len(bytes(targets['memory'] * 3 // 2)) // MIB} MiB"


def fill(memory):
    for at in range(0, len(memory), 4096):
        memory[at] = 1


def shared_memory(targets):
    memory = mmap.mmap(-1, targets["memory"] * 3 // 2)
    fill(memory)
    time.sleep(1)  # for who looks now and then
    return f"{len(memory) // MIB} MiB"


def hide():
    """Keep others of the same user from looking into this process."""
    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)


def hidden_memory(targets):
    hide()
    return shared_memory(targets)


def childrens_memory(targets):
    """No child takes more than it may; all together do."""
    children = []
    try:
        for _ in range(4):
            ready, write = os.pipe()
            child = os.fork()
            if child == 0:
                memory = bytearray(targets["memory"] // 2)
                fill(memory)
                os.write(write, b"1")
                sleep()
            children.append(child)
            os.close(write)
            if not os.read(ready, 1):
                return None
        time.sleep(1)
        gone = [child for child in children if os.waitpid(child, os.WNOHANG)[0]]
    finally:
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
    return None if gone else f"4 times {targets['memory'] // 2 // MIB} MiB"


def memory_files(targets):
    """Files in memory that are mapped nowhere, none longer than a file may be."""
    piece, held = targets["disk"], 0
    files = []
    while held < targets["memory"] * 3 // 2:
        files.append(os.memfd_create("x"))
        held += os.write(files[-1], b"x" * piece)
    time.sleep(1)
    return f"{held // MIB} MiB in {len(files)} files"


def hidden_files(targets):
    hide()
    return memory_files(targets)


# Disk and descriptors


def places():
    return [os.getcwd(), os.environ.get("TMPDIR", "/tmp"), "/tmp", "/var/tmp", "/dev/shm"]


def big_file(targets):
    """One file of more than it may hold, wherever there is a place."""
    got = []
    for place in dict.fromkeys(places()):
        path = os.path.join(place, f"{targets['mark']}-big")
        try:
            with open(path, "wb") as file:
                for _ in range(2 * targets["disk"] // MIB):
                    file.write(b"x" * MIB)
        except OSError:
            pass
        else:
            got.append(place)
        finally:
            if os.path.exists(path):
                os.unlink(path)
    return f"{2 * targets['disk'] // MIB} MiB in {len(got)} places" if got else None


def writes_a_big_file():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    raid(big_file)


def writes_over_the_size_of_a_file():
    """SIGXFSZ ends it, as the system does by default."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    play(start=lambda message: attempt(big_file, message["bot_options"]))


def many_files(targets):
    """Together more than one file may hold; none of them is more."""
    place, paths = places()[1], []
    try:
        for number in range(4):
            paths.append(os.path.join(place, f"{targets['mark']}-{number}"))
            with open(paths[-1], "wb") as file:
                file.write(b"x" * (targets["disk"] // 2))
    finally:
        for path in paths:
            if os.path.exists(path):
                os.unlink(path)
    return f"4 times {targets['disk'] // 2 // MIB} MiB"


def leaves_a_deep_tree():
    """In its own places: folders in folders that nobody may enter."""

    def start(message):
        for place in places()[:2]:
            try:
                home = os.open(place, os.O_RDONLY)
                deepest = home
                for _ in range(500):
                    os.mkdir("d", dir_fd=deepest)
                    below = os.open("d", os.O_RDONLY, dir_fd=deepest)
                    if deepest != home:
                        os.fchmod(deepest, 0)
                        os.close(deepest)
                    deepest = below
            except OSError:
                continue

    play(start=start)


def leaves_empty_files():
    def start(message):
        for place in places()[:2]:
            try:
                for number in range(1000):
                    os.close(os.open(f"{place}/{number}", os.O_CREAT | os.O_WRONLY))
            except OSError:
                continue

    play(start=start)


def leaves_links_and_pipes():
    """Whoever removes its places must neither follow nor open what is there."""

    def start(message):
        for place in places()[:2]:
            try:
                os.symlink(message["bot_options"]["shelf"], f"{place}/link")
                os.mkfifo(f"{place}/pipe")
                os.mkdir(f"{place}/folder")
                os.symlink("/", f"{place}/folder/root")
                os.chmod(f"{place}/folder", 0)
            except OSError:
                continue

    play(start=start)


def swaps_its_folders():
    """Puts links to what others own in the place of its own folders."""

    def start(message):
        for place in places()[:2]:
            try:
                os.rename(place, f"{place}-away")
                os.symlink(message["bot_options"]["shelf"], place)
            except OSError:
                continue

    play(start=start)


def descriptors(targets):
    wanted = 2 * targets["files"]
    held = [os.open("/dev/null", os.O_RDONLY) for _ in range(wanted)]
    for descriptor in held:
        os.close(descriptor)
    return f"{wanted} descriptors"


def higher_limits(targets):
    """More than it was given, of whatever there is a limit on."""
    for name in ("NOFILE", "NPROC", "DATA", "FSIZE", "CPU", "CORE"):
        what = getattr(resource, f"RLIMIT_{name}")
        hard = resource.getrlimit(what)[1]
        if hard != resource.RLIM_INFINITY:
            try:
                resource.setrlimit(what, (hard + 1, hard + 1))
            except (OSError, ValueError):
                continue
            return name
    return None


def core_file(targets):
    """Whether a crash would write its memory to disk."""
    limit = resource.getrlimit(resource.RLIMIT_CORE)[1]
    return None if limit == 0 else f"core files of {limit} bytes"


def uses_up_its_processor_time():
    play(act=burn)


def ignores_the_end_of_its_processor_time():
    """Burns on, through the signal that it is enough, until the one that cannot be ignored."""
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    play(act=burn)


def starts_programs():
    """A shell and what it starts, honest but many."""

    def act(message):
        subprocess.run(["/bin/sh", "-c", "true | cat"], stdin=subprocess.DEVNULL, check=True)
        answer(message)

    play(act=act)


RAIDS = {
    "forks": forks_without_end,
    "keeps_zombies": zombies,
    "starts_threads": threads,
    "takes_memory": private_memory,
    "takes_shared_memory": shared_memory,
    "hides_its_memory": hidden_memory,
    "takes_memory_in_children": childrens_memory,
    "takes_memory_in_files": memory_files,
    "hides_its_memory_in_files": hidden_files,
    "writes_many_files": many_files,
    "opens_descriptors": descriptors,
    "raises_its_limits": higher_limits,
    "may_dump_core": core_file,
}


if __name__ == "__main__":
    sys.setrecursionlimit(500)
    raid(RAIDS[sys.argv[1]]) if sys.argv[1] in RAIDS else main(globals())
