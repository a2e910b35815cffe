"""Every error Taishi raises on purpose. Each message says what to do next.

TaishiError
├── InputError            what the caller passed cannot be used
│   ├── RefusedError      a write that the rules do not allow; it is logged
│   │   └── AuthorityError this writer may not say or decide that
│   ├── ScopeError        no scope, or a scope that contradicts itself
│   ├── TimeError         a time that cannot be read
│   ├── DocumentError     a document that cannot be read: encrypted, damaged, too large
│   ├── VersionError      a note was changed since it was read
│   └── OperationError    the operation id was already used for something else
├── SettingsError         a settings file or variable that cannot be used
├── StorageError          the data folder or the database cannot be used
│   ├── CorruptError      a file is damaged; nothing was overwritten
│   ├── BusyError         another process held the lock for too long
│   ├── DiskError         the disk is full or the database's file is gone; it may work later
│   │   ├── ReadOnlyError the data folder can be read but not written
│   │   └── UnreachableError the database server, or a remote one, does not answer
│   └── TakenError        another job already wrote a record with this id
├── QueueError            a job could not be accepted
├── ModelError            an embedder, chat model or reranker failed
│   ├── ModelDownError    it does not answer at all; jobs that need it wait
│   └── ModelMissingError its files or settings are missing
├── ForbiddenError        the key does not allow this
│   └── UnknownKeyError   no key, or a key that is unknown, revoked or expired
├── UnsupportedError      not available on a memory behind a server
├── MissingExtraError     an optional package is not installed; carries the line that installs it
└── ClosedError           the memory was closed
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class TaishiError(Exception):
    """Base of every error raised on purpose."""


class InputError(TaishiError, ValueError):
    """What the caller passed cannot be used."""


class RefusedError(InputError):
    """A write that the rules do not allow. `reason` is one word: "too_long", "rejected" (a person
    said that it is not so), "authority" or "claim" (metadata name what is Taishi's own).
    `memory.deletions.refusals` lists it. `limit` is how many characters would have been taken,
    where that is the reason and it is known."""

    def __init__(self, message: str, reason: str = "rejected", limit: int | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        self.limit = limit


class AuthorityError(RefusedError):
    """This writer may not say or decide that; a person may."""

    def __init__(self, message: str, reason: str = "authority", limit: int | None = None) -> None:
        super().__init__(message, reason, limit)


class ScopeError(InputError):
    """No scope, or one that contradicts itself. Never read as "everything"."""


class CursorError(InputError):
    """A cursor that no page returned."""


class NotePathError(InputError):
    """A path that a note cannot have, or not there. `reason` is one word, such as "folder"; an
    interface can say it in its own language. `path` is the one in the way."""

    def __init__(self, message: str, reason: str, path: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.path = path


class TimeError(InputError):
    """A time that cannot be read."""


class DocumentError(InputError):
    """A document that cannot be read: encrypted, damaged, too large, of an unknown format."""


class VersionError(InputError):
    """A note was changed since it was read; read it again and repeat the change. `version` is the
    one that it has now, 0 if it is not there."""

    def __init__(self, message: str, version: int = 0) -> None:
        super().__init__(message)
        self.version = version


class OperationError(InputError):
    """The operation id was already used with other content; use another id."""


class SettingsError(TaishiError):
    """A settings file or variable that cannot be used."""


class UnknownSettingError(SettingsError):
    """A name that no setting has. `source` is where it stands, `nearest` the setting that may be
    meant; an interface can say it in its own language."""

    def __init__(self, source: str, name: str, nearest: str) -> None:
        super().__init__(f"{source}: there is no setting {name!r}; did you mean {nearest!r}?")
        self.source = source
        self.name = name
        self.nearest = nearest


class StorageError(TaishiError):
    """The data folder or the database cannot be used."""


class CorruptError(StorageError):
    """A file is damaged. It is left as it is; nothing new is put in its place."""


class BusyError(StorageError):
    """Another process locked the database for too long."""


class DiskError(StorageError):
    """The disk is full, fails, or the database's file is gone. No fault of what was asked for: the
    same may work later."""


class ReadOnlyError(DiskError):
    """The data folder, or the database at present, can be read, but not written."""


class UnreachableError(DiskError):
    """The server that keeps the data, or serves it, does not answer. The same may work later.

    `refusal`: it runs, and does not let us in; one word for why. Empty: it is silent.
    """

    def __init__(self, *told: object, refusal: str = "") -> None:
        super().__init__(*told)
        self.refusal = refusal


class TakenError(StorageError):
    """Another job already wrote a record with this id; take the next one."""


class QueueError(TaishiError):
    """A job could not be accepted durably."""


class ModelError(TaishiError):
    """An embedder, chat model or reranker failed."""


class ModelDownError(ModelError):
    """A model's endpoint does not answer. No fault of the job's: it waits and is tried again."""


class ModelMissingError(ModelError):
    """A model's files or settings are missing."""


class ForbiddenError(TaishiError):
    """The key does not allow this."""


class UnknownKeyError(ForbiddenError):
    """No key, or a key that is unknown, revoked or expired."""


class UnsupportedError(TaishiError):
    """This kind of memory cannot do that: one on a server does what the REST API has."""


class MissingExtraError(TaishiError):
    """An optional package is not installed; `extra` is "" if it is one that only an installation
    without dependencies can lack."""

    def __init__(self, what: str, extra: str) -> None:
        from .disk.installation import extra_line  # metadata that only this error needs

        lacking = "an optional package" if extra else "packages that are not installed"
        super().__init__(f"{what} needs {lacking}: {extra_line(extra)}")
        self.extra = extra


@contextmanager
def needs_packages(what: str) -> Iterator[None]:
    """For an import of ours that fails where Taishi was installed without its dependencies."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith(str(__package__)):
            raise
        raise MissingExtraError(what, "") from error


class ClosedError(TaishiError):
    """The memory was closed; open it again."""
