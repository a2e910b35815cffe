"""Values of the knowledge base: documents, what a sync did, notes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..types import EMPTY

DocumentState = Literal["importing", "ready"]
MEMORY_FILE = "MEMORY.md"  # the note that a prompt block begins with
SyncAction = Literal["added", "changed", "unchanged", "removed"]


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """A document of the knowledge base, as its manifest has it.

    `sha256` and `size` are those of the file as it was given. `original` says whether its bytes
    are kept: those of a binary format in which a secret was found are not. `folder` names the
    folder that it was synced from. `summary_by` says how `summary` was made: "extract" from its
    first sentences, or "model". `warnings` are what the reader could not read of it, such as
    scanned pages.
    """

    id: str
    name: str
    title: str
    media_type: str
    sha256: str
    size: int
    chunks: int
    state: DocumentState
    added: float
    folder: str = ""
    original: bool = True
    summary: str = ""
    summary_by: str = ""
    warnings: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=lambda: EMPTY)


@dataclass(frozen=True, slots=True)
class DocumentChunk:
    """A passage of a document, as it is searched: `section` are the titles above it."""

    id: str
    number: int
    text: str
    section: tuple[str, ...] = ()
    page: int | None = None


@dataclass(frozen=True, slots=True)
class SyncProblem:
    """A file that was not taken in, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a sync did, by the names of the documents; `problems` were left out, of `warnings` a
    part could not be read."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unchanged: int = 0
    removed: tuple[str, ...] = ()
    problems: tuple[SyncProblem, ...] = ()
    warnings: tuple[SyncProblem, ...] = ()
    chunks: int = 0  # that were written

    @property
    def touched(self) -> int:
        return len(self.added) + len(self.changed) + len(self.removed)


@dataclass(frozen=True, slots=True)
class Note:
    """A page of text under a path. `version` rises with each write and is never used again for
    that path; 0: there is none yet. `operation` is the id that its writer gave the write, if any.

    The last three fields are about the write that returned it: which kinds of secrets it took out
    of the text, whether there was a note under the path before, and whether this repeats the result
    of an earlier write with the same operation id.
    """

    path: str
    text: str
    version: int
    updated: float
    description: str = ""
    max_chars: int | None = None
    operation: str = ""
    redacted: tuple[str, ...] = field(default=(), compare=False)
    existed: bool = field(default=True, compare=False)
    replayed: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class NoteMatch:
    """A note that a search found, by its best passage. `score` is from 0 to 1."""

    path: str
    snippet: str
    score: float
    version: int


@dataclass(frozen=True, slots=True)
class NoteRemoval:
    """How many notes were removed; false if none was. `replayed` as in `Note`."""

    removed: int
    replayed: bool = False

    def __bool__(self) -> bool:
        return self.removed > 0


@dataclass(frozen=True, slots=True)
class NoteOperation:
    """What an operation came to: the version it made (0: it removed), and how many notes there
    were to change."""

    id: str
    version: int
    count: int
