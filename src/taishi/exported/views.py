"""What a person looks at: evidence, pages of records, versions, the map by meaning, an audit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..types import Record

NOT_EVIDENCE = ("missing", "page")


@dataclass(frozen=True, slots=True)
class Source:
    """One piece of evidence.

    `kind` is "event" or "turn" (a record), "message" (what somebody said in a turn), "person"
    (somebody wrote it or decided it by hand), "model" (a model wrote it with a tool), "host" (the
    program kept it word for word), "tool" (a tool ran), "missing" (a record that is not there any
    more), or "page" (it stands on the page and no fact says it). `text` is empty where this scope
    may not see it.
    """

    kind: str
    id: str = ""
    text: str = ""
    time: float | None = None
    who: str | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """A claim and what it rests on; of a page, one claim for each line."""

    id: str
    kind: str
    text: str
    sources: tuple[Source, ...]
    claims: tuple[Evidence, ...] = ()

    @property
    def is_orphan(self) -> bool:
        """Whether it, or a line of it, rests on nothing that is there."""
        if self.kind == "profile":
            return any(one.is_orphan for one in self.claims)
        return all(one.kind in NOT_EVIDENCE for one in self.sources)


@dataclass(frozen=True, slots=True)
class Page:
    """Some records, oldest first. `next` gives the following ones; None: there are no more.

    A page may be shorter than asked for, even empty, and still have a `next`.
    """

    records: tuple[Record, ...]
    next: str | None = None


@dataclass(frozen=True, slots=True)
class Version:
    """What a record said, and until when. The one that holds has no `until`."""

    id: str
    text: str
    state: str
    until: float | None = None


@dataclass(frozen=True, slots=True)
class MapPoint:
    """A record and where it lies by meaning, each from -1 to 1."""

    record: Record
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class BlockTokens:
    """What a prompt block costs, as the counter of its budget counts. `sections` and the `frame`
    (fence, and what the whole counts more or less than its parts) add up to `total`."""

    total: int
    limit: int
    frame: int
    sections: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class MeaningMap:
    """Records by meaning; near ones say similar things. `without` have no vector (yet)."""

    points: tuple[MapPoint, ...] = ()
    without: int = 0


@dataclass(frozen=True, slots=True)
class PageFault:
    """Something wrong with the file of a page; `kind` is one of those that `doctor` explains."""

    file: str
    line: int
    kind: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class IntentDecision:
    """What a question was taken for (Q5), by "rules" or a "model": the factor of each kind that it
    favours, and all that it asks for: kinds, "working", "scratchpad", "shared"."""

    name: str
    by: str
    favours: Mapping[str, float]
    asks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One act on an entry of shared memory. `by` is `person`, `host`, `agent:ID` or, for a chat
    without an agent, `chat:` and a hash; `role` is agent, coordinator, person or host."""

    at: str
    did: str
    by: str
    role: str
    door: str
    reason: str
