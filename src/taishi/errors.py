"""Every error Taishi raises on purpose. Each message says what to do next.

TaishiError
├── InputError            what the caller passed cannot be used
│   ├── RefusedError      a write that the rules do not let in; it is recorded
│   │   └── AuthorityError more than this writer may say or decide
│   ├── ScopeError        no scope, or a scope that contradicts itself
│   ├── TimeError         a time that cannot be read
│   ├── DocumentError     a document that cannot be read: encrypted, damaged, too large
│   └── VersionError      a note was changed since it was read
├── SettingsError         a settings file or variable that cannot be used
├── StorageError          the data folder or the database cannot be used
│   ├── CorruptError      a file is damaged; nothing was overwritten
│   ├── BusyError         another process holds the lock for too long
│   ├── DiskError         the disk is full or the database's file is gone; it may work later
│   │   └── ReadOnlyError the data folder can be read but not written
│   └── TakenError        another job already wrote a record with this id
├── QueueError            a job could not be accepted
├── ModelError            an embedder, chat model or reranker failed
│   ├── ModelDownError    it does not answer at all; what needs it waits
│   └── ModelMissingError its files or its settings are not there
├── ForbiddenError        the key that was shown does not reach that far
│   └── UnknownKeyError   no key, or none that opens this door
├── MissingExtraError     an optional package is not installed; carries the pip line
└── ClosedError           the memory was closed
"""

from __future__ import annotations


class TaishiError(Exception):
    """Base of every error raised on purpose."""


class InputError(TaishiError, ValueError):
    """What the caller passed cannot be used."""


class RefusedError(InputError):
    """A write that the rules do not let in. `reason` is one word: "too_long", "rejected" (a person
    said that it is not so) or "authority". `Memory.refusals` lists it."""

    def __init__(self, message: str, reason: str = "rejected") -> None:
        super().__init__(message)
        self.reason = reason


class AuthorityError(RefusedError):
    """More than this writer may say or decide; a person may."""

    def __init__(self, message: str, reason: str = "authority") -> None:
        super().__init__(message, reason)


class ScopeError(InputError):
    """No scope, or one that contradicts itself. Never read as "everything"."""


class TimeError(InputError):
    """A time that cannot be read."""


class DocumentError(InputError):
    """A document that cannot be read: encrypted, damaged, too large, of an unknown format."""


class VersionError(InputError):
    """A note was changed since it was read; read it again and repeat the change."""


class SettingsError(TaishiError):
    """A settings file or variable that cannot be used."""


class StorageError(TaishiError):
    """The data folder or the database cannot be used."""


class CorruptError(StorageError):
    """A file is damaged. It is left as it is; nothing new is put in its place."""


class BusyError(StorageError):
    """Another process held the database for longer than we wait."""


class DiskError(StorageError):
    """The disk is full, fails, or the database's file is gone. No fault of what was asked for: the
    same may work later."""


class ReadOnlyError(DiskError):
    """The data folder can be read, but not written."""


class TakenError(StorageError):
    """Another job already wrote a record with this id; take the next one."""


class QueueError(TaishiError):
    """A job could not be accepted durably."""


class ModelError(TaishiError):
    """An embedder, chat model or reranker failed."""


class ModelDownError(ModelError):
    """A model's endpoint does not answer. No fault of the job's: it waits and is tried again."""


class ModelMissingError(ModelError):
    """A model's files or settings are not there."""


class ForbiddenError(TaishiError):
    """The key that was shown does not reach that far."""


class UnknownKeyError(ForbiddenError):
    """No key, or none that opens this door."""


class MissingExtraError(TaishiError):
    """An optional package is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional package: pip install 'taishi[{extra}]'")
        self.extra = extra


class ClosedError(TaishiError):
    """The memory was closed; open it again."""
