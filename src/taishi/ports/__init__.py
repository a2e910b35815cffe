"""Interfaces between the engine and the parts it is built from. Each has one contract suite.

The ports whose signatures need numpy are imported when one of their names is first used, so that a
program without vectors of its own, such as the client of a server, does without numpy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .archive import ArchiveStore
from .audit import Deletions, Refusals, Rescan, RescanStep
from .browse import Browse, GrowthCounts, ListingFilter, PartitionDigest
from .cache import Cache
from .copy_mark import CopyMark
from .documents import Block, Document, DocumentReader
from .erasure import Clearable, ErasableStore, Leftovers, StoredBytes, TextCache
from .files import FileStore
from .filter_expression import FilterExpression
from .index_rows import (
    Changes,
    Embedded,
    IndexRow,
    IndexSnapshot,
    Moment,
    PartitionState,
    Unembedded,
)
from .keys import KeyDocument
from .locks import Locks
from .note_receipts import NoteReceipt, NoteReceipts
from .processes import ProcessBoard
from .profiles import (
    PageFaultLine,
    PageRevision,
    ProfileCatalog,
    ProfileKey,
    ProfilePages,
    ProfileStore,
    ProfileTransfer,
)
from .queue import FailedJob, JobAdmin, JobQueue, Lease, Queue, QueueTransfer
from .sessions import DueSession, SessionMessage, Sessions, WaitingMessage
from .shared_state import Claim, OutsideEngine, SharedState, SharedStateError
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
from .working import Compression, MadeBy, Overview, SessionInfo, StoredMessage, WorkingStore

if TYPE_CHECKING:
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
    from .models import (
        CachingEmbedder,
        Call,
        CallLedger,
        ChatModel,
        Completion,
        Embedder,
        Ledger,
        LedgerQueue,
        Pending,
        QueryEmbedder,
        Reranker,
        TextModel,
        Tool,
        Vector,
    )
    from .partition_search import (
        LargePartition,
        NearestQuery,
        PartitionSearch,
        PartitionStatistics,
        RowsInSession,
        SearchTarget,
        TermRow,
        WordsFound,
        WordsQuery,
    )
    from .vector_search import VectorEngine, VectorSearch

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
    "Claim",
    "Clearable",
    "Completion",
    "Compression",
    "CopyMark",
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
    "FilterExpression",
    "Floats",
    "GrowthCounts",
    "IndexRow",
    "IndexSnapshot",
    "IndexSource",
    "JobAdmin",
    "JobQueue",
    "KeyDocument",
    "LargePartition",
    "Lease",
    "Ledger",
    "LedgerQueue",
    "Leftovers",
    "Links",
    "ListingFilter",
    "Locks",
    "MadeBy",
    "Mask",
    "Moment",
    "NearestQuery",
    "NoteReceipt",
    "NoteReceipts",
    "Outcome",
    "OutsideEngine",
    "Overview",
    "PageFaultLine",
    "PageRevision",
    "PartitionDigest",
    "PartitionInfo",
    "PartitionSearch",
    "PartitionState",
    "PartitionStatistics",
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
    "RowsInSession",
    "RunBlocking",
    "SearchSnapshot",
    "SearchTarget",
    "SessionInfo",
    "SessionMessage",
    "Sessions",
    "SharedState",
    "SharedStateError",
    "Store",
    "StoredBytes",
    "StoredMessage",
    "TermRow",
    "TextCache",
    "TextModel",
    "Tool",
    "Transfer",
    "TransferSnapshot",
    "Unembedded",
    "Vector",
    "VectorEngine",
    "VectorSearch",
    "VectorTable",
    "WaitingMessage",
    "WordsFound",
    "WordsQuery",
    "WorkingStore",
]

_WITH_NUMPY = {
    "candidates": (
        "CandidateDetails",
        "CandidateRequest",
        "CandidateSource",
        "Candidates",
        "Expander",
        "Floats",
        "Mask",
        "RecordFilter",
        "RecordsByNumber",
        "Rows",
        "RunBlocking",
        "SearchSnapshot",
    ),
    "models": (
        "CachingEmbedder",
        "Call",
        "CallLedger",
        "ChatModel",
        "Completion",
        "Embedder",
        "Ledger",
        "LedgerQueue",
        "Pending",
        "QueryEmbedder",
        "Reranker",
        "TextModel",
        "Tool",
        "Vector",
    ),
    "partition_search": (
        "LargePartition",
        "NearestQuery",
        "PartitionSearch",
        "PartitionStatistics",
        "RowsInSession",
        "SearchTarget",
        "TermRow",
        "WordsFound",
        "WordsQuery",
    ),
    "vector_search": (
        "VectorEngine",
        "VectorSearch",
    ),
}


def __getattr__(name: str) -> Any:
    for module, names in _WITH_NUMPY.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
