"""Changes to notes that may be repeated: each has an id of its caller's, and a receipt.

A receipt has keyed hashes and numbers only, so that nothing of a removed note is left in it. The
highest version of the notes that are gone is kept beside them: a new note begins above it, so that
a version that somebody read before cannot come back with another text.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from ..errors import InputError, OperationError
from ..language.redaction.redactor import Redactor
from ..ports import NoteReceipt, Store
from ..ports.knowledge import NoteOperation
from ..types import Partition, clean_id

MOST_RECEIPTS = 1024
MAX_FINGERPRINT_CHARS = 1024
_LAST_VERSION = ""  # the key of the highest version of notes that are gone
_HASH_BYTES = 16


@dataclass(frozen=True, slots=True)
class Operation:
    """An id, and what it stands for."""

    id: str
    fingerprint: str


def operation_of(
    id: object, fingerprint: object, redactor: Redactor, *content: object
) -> Operation | None:
    """None if no id was given. Without a fingerprint, the content is one."""
    if fingerprint is not None and not isinstance(fingerprint, str):
        raise InputError(f"fingerprint is text, not {type(fingerprint).__name__}")
    if fingerprint is not None and len(fingerprint) > MAX_FINGERPRINT_CHARS:
        raise InputError(f"fingerprint has at most {MAX_FINGERPRINT_CHARS} characters")
    name = clean_id(id, "operation")
    if name is None:
        if id is not None or fingerprint is not None:
            raise InputError("operation is empty; give the change an id of your own")
        return None
    if redactor.text(name) != name:
        raise InputError("operation looks like a secret; use an id that may be shown, as a UUID")
    return Operation(name, repr(content) if fingerprint is None else fingerprint)


class NoteOperations:
    """For callers that hold the lock of the scope's notes."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def get(self, place: Partition, id: str, fingerprint: str | None) -> NoteOperation | None:
        """OperationError if a fingerprint is given and is another one."""
        receipt = self._store.note_receipts.get(place, self._hash("operation", place, id))
        if receipt is None:
            return None
        if fingerprint is not None:
            self._check(receipt, place, Operation(id, fingerprint))
        return NoteOperation(id, receipt.version, receipt.count)

    def replayed(self, place: Partition, operation: Operation | None) -> NoteOperation | None:
        if operation is None:
            return None
        return self.get(place, operation.id, operation.fingerprint)

    def record(
        self, place: Partition, operation: Operation | None, version: int, count: int
    ) -> None:
        if operation is None:
            return
        key = self._hash("operation", place, operation.id)
        fingerprint = self._hash("fingerprint", place, operation.fingerprint)
        receipt = NoteReceipt(key, fingerprint, version, count)
        self._store.note_receipts.put(place, receipt, MOST_RECEIPTS)

    def last_version(self, place: Partition) -> int:
        receipt = self._store.note_receipts.get(place, _LAST_VERSION)
        return 0 if receipt is None else receipt.version

    def retire(self, place: Partition, version: int) -> None:
        """Notes go that had at most this version."""
        if version > self.last_version(place):
            receipt = NoteReceipt(_LAST_VERSION, "", version, 0)
            self._store.note_receipts.put(place, receipt, MOST_RECEIPTS)

    def _check(self, receipt: NoteReceipt, place: Partition, operation: Operation) -> None:
        if receipt.fingerprint != self._hash("fingerprint", place, operation.fingerprint):
            raise OperationError(
                f"operation {operation.id!a:.60} was already used for another change; use a new id"
            )

    def _hash(self, what: str, place: Partition, text: str) -> str:
        content = f"note {what}\x1f{place}\x1f{text}".encode("utf-8", "surrogatepass")
        key = self._store.deletions.key()
        return hashlib.blake2b(content, key=key, digest_size=_HASH_BYTES).hexdigest()
