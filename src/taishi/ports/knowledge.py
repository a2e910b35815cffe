"""Values of the knowledge base: documents, what a sync did, notes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..types import EMPTY

DocumentState = Literal["importing", "ready"]
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
    """A living document. `version` counts its writes; 0: there is none yet."""

    path: str
    text: str
    version: int
    updated: float
