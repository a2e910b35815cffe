"""Interfaces between the engine and the parts it is built from. Each has one contract suite."""

from __future__ import annotations

from .archive import ArchiveStore
from .audit import Deletions, Refusals, Rescan, RescanStep
from .browse import Browse, ListingFilter, PartitionDigest
from .cache import Cache
from .candidates import (
    CandidateDetails,
    CandidateRequest,
    Candidates,
    CandidateSource,
    Expander,
    Floats,
    Mask,
    RecordFilter,
    RecordsByNumber,
    Rows,
    RunBlocking,
    SearchSnapshot,
)
from .documents import Block, Document, DocumentReader
from .erasure import Clearable, ErasableStore, Leftovers, TextCache
from .files import FileStore
from .index_rows import Changes, Embedded, IndexRow, IndexSnapshot, PartitionState, Unembedded
from .locks import Locks
from .models import (
    CachingEmbedder,
    Call,
    CallLedger,
    ChatModel,
    Embedder,
    Ledger,
    LedgerQueue,
    Pending,
    QueryEmbedder,
    Reranker,
    Tool,
    Vector,
)
from .processes import ProcessBoard
from .profiles import (
    PageFaultLine,
    ProfileCatalog,
    ProfileKey,
    ProfilePages,
    ProfileStore,
    ProfileTransfer,
)
from .queue import FailedJob, JobAdmin, JobQueue, Lease, Queue, QueueTransfer
from .sessions import DueSession, SessionMessage, Sessions, WaitingMessage
from .store import (
    Facts,
    IndexSource,
    Links,
    PartitionInfo,
    RecalledHashes,
    Records,
    Store,
    VectorTable,
)
from .transfer import Outcome, Row, Transfer, TransferSnapshot
from .vector_search import VectorSearch
from .working import Compression, MadeBy, Overview, SessionInfo, StoredMessage, WorkingStore

__all__ = [
    "ArchiveStore",
    "Block",
    "Browse",
    "Cache",
    "CachingEmbedder",
    "Call",
    "CallLedger",
    "CandidateDetails",
    "CandidateRequest",
    "CandidateSource",
    "Candidates",
    "Changes",
    "ChatModel",
    "Clearable",
    "Compression",
    "Deletions",
    "Document",
    "DocumentReader",
    "DueSession",
    "Embedded",
    "Embedder",
    "ErasableStore",
    "Expander",
    "Facts",
    "FailedJob",
    "FileStore",
    "Floats",
    "IndexRow",
    "IndexSnapshot",
    "IndexSource",
    "JobAdmin",
    "JobQueue",
    "Lease",
    "Ledger",
    "LedgerQueue",
    "Leftovers",
    "Links",
    "ListingFilter",
    "Locks",
    "MadeBy",
    "Mask",
    "Outcome",
    "Overview",
    "PageFaultLine",
    "PartitionDigest",
    "PartitionInfo",
    "PartitionState",
    "Pending",
    "ProcessBoard",
    "ProfileCatalog",
    "ProfileKey",
    "ProfilePages",
    "ProfileStore",
    "ProfileTransfer",
    "QueryEmbedder",
    "Queue",
    "QueueTransfer",
    "RecalledHashes",
    "RecordFilter",
    "Records",
    "RecordsByNumber",
    "Refusals",
    "Reranker",
    "Rescan",
    "RescanStep",
    "Row",
    "Rows",
    "RunBlocking",
    "SearchSnapshot",
    "SessionInfo",
    "SessionMessage",
    "Sessions",
    "Store",
    "StoredMessage",
    "TextCache",
    "Tool",
    "Transfer",
    "TransferSnapshot",
    "Unembedded",
    "Vector",
    "VectorSearch",
    "VectorTable",
    "WaitingMessage",
    "WorkingStore",
]
