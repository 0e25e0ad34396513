"""What a worker gives up before it runs an answer: namespaces, users, capabilities, resources.

Linux calls that Python lacks, by ctypes. Stands alone: a warm parent holds it, the course doesn't
import it. bubblewrap has built the room (files, no network); here each worker gets a room in it
of its own, so that no two answers, and no answer and its parent, see or reach each other.
"""

import contextlib
import ctypes
import functools
import os
import resource
import struct
import sys
from typing import Any

NEWNS, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET = (
    0x00020000,
    0x04000000,
    0x08000000,
    0x10000000,
    0x20000000,
    0x40000000,
)
MS_NOSUID, MS_NODEV, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 4096, 16384, 1 << 18
SET_DUMPABLE, SET_SECCOMP, SET_NO_NEW_PRIVS, SET_CHILD_SUBREAPER = 4, 22, 38, 36
# How the kernel names a machine in a filter, and the number there of the first of three calls that
# follow each other: add_key, request_key, keyctl.
KEY_CALLS = {"x86_64": (0xC000003E, 248), "aarch64": (0xC00000B7, 217)}
NOBODY = 65534
CUT_OFF = 70  # the exit code of a worker that can't reach the referee any more
UNWANTED = "no longer wanted"  # why a guard ends a worker that the referee has done with
LINUX = sys.platform.startswith("linux")


class Refused(OSError):
    """The system does not allow a protection; the others still hold."""


def _call(name: str, *args: Any) -> None:
    """Call the C library; Refused if it says no."""
    if not LINUX:
        raise Refused(f"{name} is only there on Linux")
    if getattr(_libc(), name)(*args) != 0:
        number = ctypes.get_errno()
        raise Refused(number, f"{name}: {os.strerror(number)}")


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def adopt_orphans() -> None:
    """Let what this process's descendants leave behind become its own children, to be ended."""
    with contextlib.suppress(Refused):
        _call("prctl", SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def own_processes(network: bool) -> bool:
    """Give the next child a process table (and a network) of its own; whether that worked."""
    try:
        _call("unshare", NEWPID | NEWIPC | (NEWNET if network else 0))
    except Refused:
        return False
    return True


def process_table() -> int | None:
    """A handle on the process table that this process is in; None where there is no such thing."""
    with contextlib.suppress(OSError):
        return os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
    return None


def back_to(table: int | None) -> bool:
    """Let the next child be in this process table again; whether that worked."""
    with contextlib.suppress(Refused):
        if table is not None:
            _call("setns", table, NEWPID)
            return True
    return False


def forget(table: int | None) -> None:
    """Close the handle, in a worker."""
    if table is not None:
        os.close(table)


def own_keys() -> None:
    """Leave the keyring of whoever grades for an empty one, for all processes from here on."""
    with contextlib.suppress(Refused):
        _libc().syscall(_key_calls()[1] + 2, 1, None)


def no_keys() -> None:
    """Have the system refuse all calls about keys: what lies in a keyring outlives a worker."""
    machine, first = _key_calls()
    steps = [
        (0x20, 0, 0, 4),  # the machine: a worker may also make the calls of an older one
        (0x15, 0, 5, machine),  # not ours: refuse
        (0x20, 0, 0, 0),  # the number of the call
        (0x35, 0, 2, first),  # before these: allow
        (0x25, 0, 2, first + 2),  # one of them: refuse
        (0x35, 1, 0, 0x40000000),  # theirs by another table: refuse
        (0x06, 0, 0, 0x7FFF0000),  # allow
        (0x06, 0, 0, 0x00050001),  # refuse, with EPERM
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = struct.pack("HP", len(steps), ctypes.addressof(code))
    _call("prctl", SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    _call("prctl", SET_SECCOMP, 2, program, 0, 0)


def _key_calls() -> tuple[int, int]:
    machine = os.uname().machine if LINUX else sys.platform
    if machine not in KEY_CALLS:
        raise Refused(f"calls about keys are not known by number on {machine}")
    return KEY_CALLS[machine]


def own_streams() -> None:
    """No input and no output, by a handle that no other process shares."""
    null = os.open(os.devnull, os.O_RDWR)
    for handle in (0, 1, 2):
        os.dup2(null, handle)
    os.close(null)


def own_files(megabytes: int) -> None:
    """Empty /tmp and /dev/shm of a limited size, and a /proc that shows this worker alone."""
    _call("unshare", NEWNS)
    _mount("none", "/", None, MS_REC | MS_PRIVATE)
    try:
        _mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV)
    except Refused:  # as an ordinary user: then none at all, rather than that of others
        _mount("tmpfs", "/proc", "tmpfs", MS_NOSUID | MS_NODEV, "size=0,nr_inodes=1,mode=555")
    size = f"size={megabytes}m,nr_inodes=2000,mode=1777"
    packages = [path for path in sys.path if path.startswith("/tmp/") and os.path.isdir(path)]
    if packages:
        _mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, size)
    for at, path in enumerate(packages):  # a course that lives in /tmp: its packages stay
        _bind(path, f"/dev/shm/packages{at}")
    _mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, size)
    for at, path in enumerate(packages):
        _bind(f"/dev/shm/packages{at}", path)
    _mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, size)
    os.chdir("/tmp")


def _bind(source: str, target: str) -> None:
    """Show `source` at `target` too."""
    os.makedirs(target, exist_ok=True)
    _mount(source, target, None, MS_BIND | MS_REC)


def _mount(what: str, where: str, kind: str | None, flags: int, data: str | None = None) -> None:
    texts = [text.encode() if text is not None else None for text in (what, where, kind, data)]
    _call("mount", texts[0], texts[1], texts[2], ctypes.c_ulong(flags), texts[3])


def be_nobody() -> None:
    """If we are root, become a user that owns nothing; and never gain rights again."""
    if os.getuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    if LINUX:
        _call("prctl", SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        _call("prctl", SET_DUMPABLE, 1, 0, 0, 0)  # else /proc/self would belong to root


def last_user_namespace() -> None:
    """Enter a user namespace in which no further one can be made.

    In it processes are counted apart from everyone else's, and without a further one an answer can
    mount nothing. (For an ordinary user bubblewrap has done this: --disable-userns.)
    """
    user, group = os.getuid(), os.getgid()
    _call("unshare", NEWUSER)
    for name, text in (
        ("setgroups", "deny"),
        ("gid_map", f"{group} {group} 1"),
        ("uid_map", f"{user} {user} 1"),
    ):
        _write(f"/proc/self/{name}", text)
    _write("/proc/sys/user/max_user_namespaces", "0")


def drop_capabilities() -> None:
    """Give up what a user namespace may have given."""
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # version 3, this process
    _call("capset", header, (ctypes.c_uint32 * 6)())


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def limit_resources(limits: dict[str, Any], mapped: int, counted_apart: bool) -> None:
    """CPU time, memory beyond what is there now, processes, files: the system's own limits."""
    cpu = int(limits["total"]) + 1
    wanted = {
        "RLIMIT_CORE": 0,
        "RLIMIT_CPU": cpu,
        "RLIMIT_FSIZE": limits["file"] << 20,
        "RLIMIT_NOFILE": 128,
        "RLIMIT_NPROC": limits["processes"] if counted_apart else None,
        "RLIMIT_AS": mapped + (limits["memory"] << 20),
    }
    for name, value in wanted.items():
        number = getattr(resource, name, None)
        if number is not None and value is not None:
            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(number, (value, value + (5 if name == "RLIMIT_CPU" else 0)))


def _address_space() -> int:
    """Bytes of memory that this process has mapped already."""
    with contextlib.suppress(OSError), open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()
    return 8 << 30


def enter(limits: dict[str, Any], boxed: bool, apart: bool) -> list[str]:
    """Give up everything that can be given up; what was, in words."""
    mapped = _address_space()
    with contextlib.suppress(OSError):
        _write("/proc/self/oom_score_adj", "1000")  # if memory runs out, this goes first
    done = ["processes of its own"] if apart else []
    if boxed:
        own_files(limits["disk"])
        done.append("files of its own")
    root = os.getuid() == 0
    if limits["nobody"]:
        be_nobody()
        done.append("no rights")
    if boxed and root:
        with contextlib.suppress(OSError):
            last_user_namespace()
            done.append("no further namespaces")
    with contextlib.suppress(Refused):
        drop_capabilities()
    # Outside of both, all processes of the user who grades would count, and none could be started.
    limit_resources(limits, mapped, counted_apart=boxed or (root and limits["nobody"]))
    own_streams()
    with contextlib.suppress(Refused):
        no_keys()
        done.append("no keys")
    return [*done, "resource limits"]
