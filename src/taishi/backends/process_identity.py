"""Process marks: who wrote a file, and whether that process is certainly dead."""

from __future__ import annotations

import hashlib
import os
import re
import socket
import sys
from functools import lru_cache
from pathlib import Path

MARK = r"([0-9a-f]{12})-\d{1,10}-\d{1,20}"


def process_mark() -> str:
    """`host-pid-start` of this process: tells its death from a reused pid."""
    return _mark_of(os.getpid())


@lru_cache(maxsize=1)  # a fork has a pid of its own
def _mark_of(pid: int) -> str:
    return f"{host_mark()}-{pid}-{_start_time(pid) or 0}"


def certainly_dead(mark: str) -> bool:
    """Whether the process behind `mark` is dead for sure. In doubt (another host, another
    container, no /proc) the answer is False, and its lease has to expire."""
    host, pid_text, start = mark.split("-")
    # On Windows os.kill(pid, 0) does not test for the process but interrupts it.
    if sys.platform == "win32" or host != host_mark():
        return False
    pid = int(pid_text)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        return False
    now_running = _start_time(pid)
    return now_running is not None and start != "0" and now_running != int(start)


def host_mark() -> str:
    """Identifies the space in which a pid is unique: host, boot and (in containers) pid
    namespace."""
    return _host_of(os.getpid())


@lru_cache(maxsize=1)
def _host_of(_pid: int) -> str:
    """For this process; a fork may be in another namespace."""
    parts = [socket.gethostname()]
    try:
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text())
        parts.append(str(Path("/proc/self/ns/pid").readlink()))
    except OSError:
        parts.append("no /proc")  # macOS: one pid space per host
    return hashlib.sha256("\n".join(parts).encode(errors="replace")).hexdigest()[:12]


def _start_time(pid: int) -> int | None:
    """Ticks from boot to the start of `pid`; -1 for a zombie, None where that cannot be read."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    after_name = stat[stat.rfind(b")") + 2 :].split()  # the name may hold spaces and brackets
    return -1 if after_name[0] in (b"Z", b"X") else int(after_name[19])


def is_stranger(mark: str) -> bool:
    """Whether a mark is of another machine, or of this one before a reboot."""
    found = re.fullmatch(MARK, mark, re.ASCII)
    return found is not None and found[1] != host_mark()
