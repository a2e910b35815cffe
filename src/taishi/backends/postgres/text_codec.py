"""Text that PostgreSQL cannot hold: NUL is stored as an escape and comes back as it was.

SQLite keeps NUL in a text, so a store that is copied from one to the other must not change it. The
escape begins with a code point that Unicode assigns to no character, ever.
"""

from __future__ import annotations

from typing import Any

from psycopg.adapt import AdaptersMap, Loader
from psycopg.pq import Format
from psycopg.types.string import StrDumperUnknown

ESCAPE = "\ufdd0"


def to_stored(text: str) -> str:
    if "\x00" not in text and ESCAPE not in text:
        return text
    return text.replace(ESCAPE, f"{ESCAPE}1").replace("\x00", f"{ESCAPE}0")


def from_stored(text: str) -> str:
    if ESCAPE not in text:
        return text
    return text.replace(f"{ESCAPE}0", "\x00").replace(f"{ESCAPE}1", ESCAPE)


class _TextDumper(StrDumperUnknown):
    def dump(self, obj: str) -> bytes:
        return to_stored(obj).encode()


class _TextLoader(Loader):
    def load(self, data: Any) -> str:
        return from_stored(str(data, "utf-8"))


class _BinaryTextLoader(_TextLoader):
    format = Format.BINARY


def register(adapters: AdaptersMap) -> None:
    """Encode every text parameter, and decode every text column."""
    adapters.register_dumper(str, _TextDumper)
    adapters.register_loader("text", _TextLoader)
    adapters.register_loader("text", _BinaryTextLoader)
