"""Interfaces between the engine and the parts it is built from. Each has one contract suite."""

from __future__ import annotations

from .audit import Deletions, Refusals, Rescan, RescanStep
from .cache import Cache
from .erasure import Clearable, ErasableStore, Leftovers
from .files import FileStore
from .index_rows import Changes, Embedded, IndexRow, IndexSnapshot, PartitionState, Unembedded
from .locks import Locks
from .models import (
    Call,
    CallLedger,
    ChatModel,
    Embedder,
    Ledger,
    LedgerQueue,
    Reranker,
    Shareable,
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

__all__ = [
    "Cache",
    "Call",
    "CallLedger",
    "Changes",
    "ChatModel",
    "Clearable",
    "Deletions",
    "DueSession",
    "Embedded",
    "Embedder",
    "ErasableStore",
    "Facts",
    "FailedJob",
    "FileStore",
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
    "Locks",
    "Outcome",
    "PageFaultLine",
    "PartitionInfo",
    "PartitionState",
    "ProcessBoard",
    "ProfileCatalog",
    "ProfileKey",
    "ProfilePages",
    "ProfileStore",
    "ProfileTransfer",
    "Queue",
    "QueueTransfer",
    "RecalledHashes",
    "Records",
    "Refusals",
    "Reranker",
    "Rescan",
    "RescanStep",
    "Row",
    "SessionMessage",
    "Sessions",
    "Shareable",
    "Store",
    "Tool",
    "Transfer",
    "TransferSnapshot",
    "Unembedded",
    "Vector",
    "VectorTable",
    "WaitingMessage",
]
