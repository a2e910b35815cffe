"""The default install opens no internet socket and leaves nothing in the user's home folder, not
even from inside a native library.

The process under test is put behind a seccomp filter (Linux) that kills it with SIGSYS at the first
`socket` call for an internet address family. A name look-up needs such a socket, too.
"""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import socket
import struct
import subprocess
import sys
from pathlib import Path

import pytest

SOCKET_CALL = {"x86_64": 41, "aarch64": 198}
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
TRAP, ALLOW = 0x00030000, 0x7FFF0000
CALL_NUMBER_AT, FIRST_ARGUMENT_AT = 0, 16
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, MODE_FILTER = 22, 38, 2

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in SOCKET_CALL,
    reason="the seccomp filter is written for Linux on x86_64 and aarch64",
)

USE = """
import sys
from taishi import Memory, Scope
scope = Scope(user="u1")
with Memory.open(sys.argv[1]) as memory:
    memory.end_turn(scope, new_info="I moved to Cork. 我昨天搬到了科克。", sender_name="Ann")
    memory.drain()
    found = memory.recall(scope, "where does Ann live? 住在哪里？", deadline=30)
    assert found.level == "hybrid", found.level
    assert memory.context(scope, "where does Ann live?")
"""
DIAL = "import socket; socket.socket(socket.AF_INET)"


def _forbid_internet_sockets() -> None:
    """Runs in the child, between fork and exec; the filter outlives both."""
    program = [
        (LOAD, 0, 0, CALL_NUMBER_AT),
        (JUMP_IF_EQUAL, 0, 4, SOCKET_CALL[platform.machine()]),
        (LOAD, 0, 0, FIRST_ARGUMENT_AT),
        (JUMP_IF_EQUAL, 1, 0, socket.AF_INET),
        (JUMP_IF_EQUAL, 0, 1, socket.AF_INET6),
        (RETURN, 0, 0, TRAP),
        (RETURN, 0, 0, ALLOW),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in program))
    header = struct.pack("HxxxxxxP", len(program), ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if libc.prctl(PR_SET_SECCOMP, MODE_FILTER, header, 0, 0):
        raise OSError(ctypes.get_errno(), "this kernel takes no seccomp filter")


def _run(program: str, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=_forbid_internet_sockets,
        env={**kept, "HOME": str(home)},
    )


def test_O1_the_trap_catches_a_socket(tmp_path: Path) -> None:
    assert _run(DIAL, tmp_path).returncode == -signal.SIGSYS


@pytest.mark.model
def test_O1_the_default_install_tells_nobody_anything(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    ended = _run(USE, home, str(tmp_path / "data"))
    assert (ended.returncode, ended.stderr) == (0, "")
    assert list(home.rglob("*")) == []
