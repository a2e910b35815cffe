"""Answers of the API for what people look after: places, pages, documents, sessions, the server."""

from __future__ import annotations

from typing import Literal

import msgspec

from ..exported import AuditEntry, Deletion, MapPoint, MeaningMap
from ..ports import PageRevision, PartitionInfo, SessionInfo
from ..ports.knowledge import DocumentChunk, DocumentInfo, Note, NoteMatch
from ..ports.working import HistoryMessage, MessageWindow
from ..types import Partition, Record
from .wire import Data, Epoch


class PointAnswer(msgspec.Struct):
    id: str
    kind: str
    state: str
    text: str
    time: Epoch | None
    x: float
    y: float


class MapAnswer(msgspec.Struct):
    points: list[PointAnswer]
    without: int

    def map(self, home: Partition) -> MeaningMap:
        return MeaningMap(
            tuple(
                MapPoint(
                    Record(one.id, home, one.kind, one.text, one.time, state=one.state),
                    one.x,
                    one.y,
                )
                for one in self.points
            ),
            self.without,
        )


class PartitionAnswer(msgspec.Struct):
    kind: Literal["private", "group", "agent", "workspace"]
    id: str
    records: int
    last_time: Epoch | None
    name: str = ""  # a server of the version before does not say it


class Partitions(msgspec.Struct):
    workspace: str
    partitions: list[PartitionAnswer]

    def values(self) -> list[PartitionInfo]:
        return [
            PartitionInfo(
                Partition(self.workspace, one.kind, one.id), one.records, one.last_time, one.name
            )
            for one in self.partitions
        ]


class Summary(msgspec.Struct):
    total: int
    kinds: dict[str, int]
    states: dict[str, int]
    mean_confidence: float | None
    expired: int
    growth: dict[str, int]
    enabled: bool


class Revisions(msgspec.Struct):
    revisions: tuple[str, ...]
    history: tuple[PageRevision, ...]


class Audit(msgspec.Struct):
    audit: tuple[AuditEntry, ...]


class Deletions(msgspec.Struct):
    deletions: list[Deletion]


class NoteAnswer(msgspec.Struct):
    path: str
    text: str
    version: int
    updated: Epoch | None
    description: str = ""
    max_chars: int | None = None
    operation: str = ""
    redacted: tuple[str, ...] = ()
    existed: bool = True
    replayed: bool = False

    def note(self) -> Note:
        values = {name: getattr(self, name) for name in self.__struct_fields__}
        return Note(**(values | {"updated": self.updated or 0.0}))


class Notes(msgspec.Struct):
    notes: list[NoteAnswer]

    def values(self) -> list[Note]:
        return [one.note() for one in self.notes]


class Matches(msgspec.Struct):
    matches: list[NoteMatch]


class Written(msgspec.Struct):
    note: NoteAnswer | None


class DocumentAnswer(msgspec.Struct):
    id: str
    name: str
    title: str
    media_type: str
    sha256: str
    size: int
    chunks: int
    state: Literal["importing", "ready"]
    added: Epoch | None
    folder: str
    original: bool
    summary: str
    summary_by: str
    warnings: tuple[str, ...]
    metadata: Data

    def info(self) -> DocumentInfo:
        values = {name: getattr(self, name) for name in self.__struct_fields__}
        return DocumentInfo(**(values | {"added": self.added or 0.0}))


class Documents(msgspec.Struct):
    documents: list[DocumentAnswer]


class Added(msgspec.Struct):
    document: DocumentAnswer | None


class Chunks(msgspec.Struct):
    chunks: list[DocumentChunk]


class Window(msgspec.Struct):
    messages: list[Data]
    tokens: int
    budget: int | None
    level: Literal["none", "trim", "summarise", "extract"]
    summarised: int
    left_out: int
    shortened: tuple[str, ...]

    def window(self) -> MessageWindow:
        return MessageWindow(**{name: getattr(self, name) for name in self.__struct_fields__})


class HistoryAnswer(msgspec.Struct):
    number: int
    id: str
    time: Epoch | None
    message: Data
    original: Data | None = None

    def value(self) -> HistoryMessage:
        time = self.time or 0.0
        return HistoryMessage(self.number, self.id, time, self.message, self.original)


class History(msgspec.Struct):
    messages: list[HistoryAnswer]


class Popped(msgspec.Struct):
    message: HistoryAnswer | None


class SessionAnswer(msgspec.Struct):
    session: str
    messages: int
    last_time: Epoch | None

    def info(self) -> SessionInfo:
        return SessionInfo(self.session, self.messages, self.last_time or 0.0)


class Sessions(msgspec.Struct):
    sessions: list[SessionAnswer]


class Counters(msgspec.Struct):
    """Each moves with every write."""

    records: int


class Growth(msgspec.Struct):
    growth: dict[str, dict[str, int]]


class AddedCount(msgspec.Struct):
    added: int


class Accepted(msgspec.Struct):
    accepted: bool


class Summarised(msgspec.Struct):
    summarised: bool


class SuccessRate(msgspec.Struct):
    success_rate: float


class State(msgspec.Struct):
    state: str


class Diff(msgspec.Struct):
    diff: str


class Jobs(msgspec.Struct):
    jobs: list[Data]


class LedgerRows(msgspec.Struct):
    rows: list[Data]


class Waiting(msgspec.Struct):
    waiting: int


class Check(msgspec.Struct):
    result: str


class StatusAnswer(msgspec.Struct):
    version: str
    enabled: bool
    embedder: Data
    details: Data | None
