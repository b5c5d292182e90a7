"""What the kernel offers to everybody who asks."""

import ctypes
import os
import struct
import sys
import time

from kit import raid
from system import LIBC, call, checked, in_a_child


def namespaces(targets):
    new_user = 0x10000000
    checked(LIBC.unshare(new_user))
    return "is root in a namespace"


def mount_a_file_system(targets):
    new_user, new_mounts, private = 0x10000000, 0x00020000, (1 << 18) | (1 << 14)
    checked(LIBC.unshare(new_user | new_mounts))
    checked(LIBC.mount(b"none", b"/", None, private, None))
    checked(LIBC.mount(b"tmpfs", b"/tmp", b"tmpfs", 0, None))
    return True


def change_its_personality(targets):
    without_random_addresses = 0x0040000
    checked(LIBC.personality(without_random_addresses))
    return True


def ring(targets):
    checked(call("io_uring_setup", 4, ctypes.create_string_buffer(256)))
    return "makes system calls unseen"


def bpf(targets):
    call("bpf", 0, ctypes.create_string_buffer(struct.pack("IIIII", 2, 4, 4, 1, 0), 128), 128)
    return "loads programs into the kernel"


def performance_counters(targets):
    attributes = struct.pack("IIQ", 1, 128, 0) + bytes(112)
    call("perf_event_open", ctypes.create_string_buffer(attributes, 128), -1, 0, -1, 0)
    return "counts what others do"


def page_faults(targets):
    call("userfaultfd", 0)
    return "holds the kernel up"


def compare(targets):
    call("kcmp", os.getpid(), os.getppid(), 2, 0, 0)
    return "looks into the parent's tables"


def trace_a_child(targets):
    def traced(_):
        checked(LIBC.ptrace(0, 0, None, None))
        return True

    return in_a_child(traced)(targets)


def become_root(targets):
    os.setuid(0)
    return True


def change_the_root(targets):
    os.chroot("/")
    return True


def set_the_clock(targets):
    time.clock_settime(time.CLOCK_REALTIME, time.time())
    return True


def make_a_device(targets):
    path = f"/tmp/{targets['mark']}-device"
    os.mknod(path, 0o20600, os.makedev(1, 1))
    os.unlink(path)
    return True


def set_uid_programs(targets):
    """Whether a program with the set-uid bit would get its owner's rights."""
    get_no_new_privs = 39
    return None if checked(LIBC.prctl(get_no_new_privs, 0, 0, 0, 0)) else "they are of use"


def other_identity(targets):
    return None if os.getuid() else "runs as root"


BOTS = {
    "runs_as_root": other_identity,
    "makes_a_user_namespace": in_a_child(namespaces),
    "mounts_a_file_system": in_a_child(mount_a_file_system),
    "changes_its_personality": in_a_child(change_its_personality),
    "sets_up_an_io_uring": ring,
    "uses_bpf": bpf,
    "uses_performance_counters": performance_counters,
    "uses_userfaultfd": page_faults,
    "compares_itself_with_its_parent": compare,
    "traces_a_child": trace_a_child,
    "becomes_root": in_a_child(become_root),
    "changes_its_root": in_a_child(change_the_root),
    "sets_the_clock": in_a_child(set_the_clock),
    "makes_a_device": make_a_device,
    "may_use_set_uid_programs": set_uid_programs,
}


if __name__ == "__main__":
    raid(BOTS[sys.argv[1]])
