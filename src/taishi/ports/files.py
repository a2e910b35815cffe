"""Port to a store of files: bytes under a key, as in an object store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ..errors import InputError
from .erasure import Clearable

MAX_KEY_BYTES = 1024


class FileStore(Clearable, Protocol):
    """Whole files by key. A key is a path of names, such as `documents/42/page-1.png`; one that
    could mean anything else is refused with an InputError by every implementation alike."""

    @property
    def where(self) -> str:
        """Its address; empty: in the data folder, whose files are searched and backed up."""

    def put(self, key: str, data: bytes) -> None:
        """Durable when this returns. Readers see the old file or the new one, whole."""

    def get(self, key: str) -> bytes | None: ...

    def exists(self, key: str) -> bool: ...

    def delete(self, key: str) -> bool:
        """True if there was such a file. Safe to repeat."""

    def list(self, prefix: str = "") -> Sequence[str]:
        """The keys that begin with these characters, in order."""

    def link(self, key: str, seconds: float) -> str | None:
        """An address that gives the file to anybody for so long; None: there is no such file, or
        the store gives no addresses."""


def checked_key(key: str) -> str:
    """The key, or InputError. Keys come from outside: no empty, `.` or `..` name, no backslash, no
    control character, nothing that UTF-8 cannot write."""
    try:
        size = len(key.encode())
    except (AttributeError, UnicodeError):
        raise InputError(f"{key!a:.60} is not a valid path: pass text") from None
    names = key.split("/")
    if any(name in ("", ".", "..") for name in names) or any(
        c == "\\" or ord(c) < 32 or ord(c) == 127 for c in key
    ):
        raise InputError(
            f"{key!a:.60} is not a valid path: use names separated by single slashes, "
            "without . or .. among them"
        )
    if size > MAX_KEY_BYTES:
        raise InputError(f"a key of {size} bytes is too long; use at most {MAX_KEY_BYTES}")
    return key
