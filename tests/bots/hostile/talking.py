"""Network and other ways to talk, and what the next one or somebody else will find."""

import fcntl
import os
import socket
import sys
from pathlib import Path

from kit import raid
from system import call, opponent

# Network and other ways to talk


def tcp(targets):
    with socket.create_connection(("127.0.0.1", targets["tcp"]), 5) as connection:
        connection.sendall(targets["mark"].encode())
    return "connected"


def tcp_server(targets):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.listen()
    return "listens"


def udp(targets):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(targets["mark"].encode(), ("127.0.0.1", targets["udp"]))
    return "sent"


def unix_path(targets):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(targets["unix"])
    return "connected"


def unix_abstract(targets):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect("\0" + targets["abstract"])
    return "connected"


def paired_socket(targets):
    """One of a pair of its own, which can send to others too."""
    pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        pair[0].sendto(targets["mark"].encode(), targets["letters"])
    finally:
        for end in pair:
            end.close()
    return "sent"


def netlink(targets):
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as route:
        route.bind((0, 0))
    return "talks to the kernel's routing"


def virtual_socket(targets):
    socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM).close()
    return "could talk to the host of a virtual machine"


def raw_socket(targets):
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close()
    return "reads packets"


def key_ring(targets):
    user_ring, unlink = -4, 9
    key = call("add_key", b"user", targets["mark"].encode(), b"x", 1, user_ring)
    call("keyctl", unlink, key, user_ring)
    return "left a key for others of its user"


def file_lock(targets):
    """Two who may read one file can talk by who holds its lock."""
    with open(os.__file__) as shared:
        fcntl.flock(shared, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return "locked a file of the system"


def file_watch(targets):
    """Two who may read one file can talk by who opens it."""
    watch = call("inotify_init1", 0)
    try:
        call("inotify_add_watch", watch, os.__file__.encode(), 0x20)
    finally:
        os.close(watch)
    return "watched a file of the system"


def tty_input(targets):
    with open("/dev/tty") as terminal:
        fcntl.ioctl(terminal, 0x5412, b"x")
    return "typed at the terminal"


# What the next one, or somebody else, will find


def leaving(targets, *folders):
    left = []
    for folder in folders:
        try:
            Path(folder, targets["mark"]).write_text("remember me")
        except OSError:
            continue
        left.append(folder)
    return f"left a file in {', '.join(left)}" if left else None


def files_in_common_places(targets):
    return leaving(targets, "/tmp", "/var/tmp", "/dev/shm", "/run/lock", "/dev/mqueue")


def files_in_the_run_folder(targets):
    with open(Path(targets["run_folder"], "run.json"), "a") as file:
        file.write(" ")
    return "wrote to the run folder"


def own_source(targets):
    """For its next game: what it starts from, not the copy it runs in."""
    return leaving(targets, targets["sources"]) or leaving(targets, targets["source"])


def opponents_folder(targets):
    return leaving(targets, f"/proc/{opponent()}/cwd")


def shared_segment(targets):
    """It would stay after its end, so it is removed at once."""
    create = 0o1000
    call("shmget", targets["key"], 4096, create | 0o666)
    return "left shared memory"


def message_queue(targets):
    create = os.O_CREAT | os.O_RDWR
    call("mq_open", targets["mark"].encode(), create, 0o600, None)
    return "left a message queue"


BOTS = {
    "connects_by_tcp": tcp,
    "listens_by_tcp": tcp_server,
    "sends_by_udp": udp,
    "connects_to_a_socket_file": unix_path,
    "connects_to_an_abstract_socket": unix_abstract,
    "sends_by_a_paired_socket": paired_socket,
    "talks_to_netlink": netlink,
    "opens_a_virtual_socket": virtual_socket,
    "opens_a_raw_socket": raw_socket,
    "adds_a_key": key_ring,
    "locks_a_shared_file": file_lock,
    "watches_a_shared_file": file_watch,
    "types_at_the_terminal": tty_input,
    "leaves_files_for_the_next": files_in_common_places,
    "writes_to_the_run_folder": files_in_the_run_folder,
    "writes_to_its_source": own_source,
    "writes_to_the_opponents_folder": opponents_folder,
    "leaves_shared_memory": shared_segment,
    "leaves_a_message_queue": message_queue,
}


if __name__ == "__main__":
    raid(BOTS[sys.argv[1]])
