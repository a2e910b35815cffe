"""What a long piece of work did: import, backup, rebuild, rescan, a deletion and its proof."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line of an export that was left out, and why."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of the lines of an export, by type: `added`; `same`, as they were here already;
    `kept`, as something else is here under the same id; `replaced`; `forgotten`, as it was deleted
    here since; and which were bad."""

    added: Mapping[str, int]
    same: Mapping[str, int]
    kept: Mapping[str, int]
    replaced: Mapping[str, int]
    forgotten: Mapping[str, int]
    bad: tuple[BadLine, ...]
    dry_run: bool


@dataclass(frozen=True, slots=True)
class Backup:
    """A copy of the whole folder: where, how much, and what its database holds."""

    path: str
    files: int
    bytes: int
    jobs: int
    records: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class FieldChange:
    field: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Change:
    """One learned record that a rebuild adds, changes or removes (`op`), and what differs."""

    op: str
    kind: str
    id: str
    text: str
    fields: tuple[FieldChange, ...] = ()


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a rebuild did, or with `dry_run` would do: events that were read again; learned records
    `added`, `changed` and `removed`, by kind; pages written; records whose index entries were made
    again; and the first of the changes."""

    events: int
    added: Mapping[str, int]
    changed: Mapping[str, int]
    removed: Mapping[str, int]
    pages: int
    indexed: int
    changes: tuple[Change, ...]
    dry_run: bool


@dataclass(frozen=True, slots=True)
class Rescanned:
    """What a rescan by newer redaction rules looked at and changed: records; other texts
    (messages, summaries of sessions, errors of models); pages and their snapshots; jobs. `left`
    are pages that could not be read, and why."""

    looked: int
    records: int
    texts: int
    pages: int
    jobs: int
    left: tuple[str, ...] = ()

    @property
    def changed(self) -> int:
        return self.records + self.texts + self.pages + self.jobs


@dataclass(frozen=True, slots=True)
class Remnant:
    """Something of a forgotten person that is still there: where, and what."""

    place: str
    what: str


@dataclass(frozen=True, slots=True)
class ErasureProof:
    """What was looked at after a `forget`, and what was found; true if that is nothing.

    `elsewhere` are the same words in what other people said or wrote, which is theirs and stays.
    """

    places: tuple[str, ...]
    files: int
    bytes: int
    phrases: int
    found: tuple[Remnant, ...]
    elsewhere: tuple[Remnant, ...] = ()

    def __bool__(self) -> bool:
        return not self.found


@dataclass(frozen=True, slots=True)
class Deletion:
    """One deletion. `what` is "scope", "record", "derived" (withdrawn, as its source was deleted),
    "copy" (of what was deleted, in another workspace), "rebuild" (not borne out by the events),
    "rescan" (texts from which newer redaction rules took something), or "import" (one that brought
    things back)."""

    time: float
    actor: str
    door: str
    what: str
    kind: str
    scope: str
    removed: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """One write that was not let in. `reason` is "too_long", "rejected", "authority" or
    "claim"."""

    time: float
    actor: str
    door: str
    reason: str
    kind: str
    scope: str
