"""Names and values as they are stored in a server that others may read and write, too.

A name is a keyed hash: nobody who sees it can tell what was asked, or try out questions. A value
carries a keyed hash of itself and its name: one that was put there by anybody else, or under
another name, is not read.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

NAME_BYTES = 20
SEAL_BYTES = 16
SCOPE_END: Final = "\x1f"  # a key may begin with a scope and this


class Sealing:
    """`secret` is the memory's own, from its store: the same for each of its servers."""

    def __init__(self, secret: bytes) -> None:
        self._names = _hash(b"names", secret, 32)
        self._values = _hash(b"values", secret, 32)
        self.prefix = f"taishi:{_hash(b'memory', secret, 8).hex()}:"

    def name(self, kind: str, key: str) -> str:
        """`taishi:MEMORY:KIND:SCOPE:KEY`, the last two hashed; without a scope, one less."""
        scope, end, _ = key.partition(SCOPE_END)
        within = f"{self._hashed(scope, 8)}:" if end else ""
        return f"{self.prefix}{kind}:{within}{self._hashed(key, NAME_BYTES)}"

    def seal(self, name: str, value: bytes) -> bytes:
        return self._seal(name, value) + value

    def open(self, name: str, sealed: bytes | None) -> bytes | None:
        """None: nothing, or not ours."""
        if sealed is None or self._seal(name, sealed[SEAL_BYTES:]) != sealed[:SEAL_BYTES]:
            return None
        return sealed[SEAL_BYTES:]

    def _hashed(self, text: str, size: int) -> str:
        return _hash(text.encode("utf-8", "surrogatepass"), self._names, size).hex()

    def _seal(self, name: str, value: bytes) -> bytes:
        return _hash(name.encode() + b"\0" + value, self._values, SEAL_BYTES)


def _hash(data: bytes, key: bytes, size: int) -> bytes:
    return blake2b(data, key=key[:64], digest_size=size).digest()
