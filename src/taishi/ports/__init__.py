"""Interfaces between the engine and the parts it is built from. Each has one contract suite."""

from __future__ import annotations

from .candidates import (
    CandidateDetails,
    CandidateRequest,
    Candidates,
    CandidateSource,
    Expander,
    RecordFilter,
    SearchSnapshot,
    VectorSearch,
)
from .index_rows import Changes, Embedded, IndexRow, IndexSnapshot, PartitionState, Unembedded
from .locks import Locks
from .models import (
    Call,
    ChatModel,
    Embedder,
    Ledger,
    Pending,
    QueryEmbedder,
    Reranker,
    Tool,
    Vector,
)
from .profiles import ProfileStore
from .queue import Lease, Queue
from .sessions import DueSession, Sessions, WaitingMessage
from .store import Facts, Store
from .transfer import Outcome, Row, Transfer, TransferSnapshot

__all__ = [
    "Call",
    "CandidateDetails",
    "CandidateRequest",
    "CandidateSource",
    "Candidates",
    "Changes",
    "ChatModel",
    "DueSession",
    "Embedded",
    "Embedder",
    "Expander",
    "Facts",
    "IndexRow",
    "IndexSnapshot",
    "Lease",
    "Ledger",
    "Locks",
    "Outcome",
    "PartitionState",
    "Pending",
    "ProfileStore",
    "QueryEmbedder",
    "Queue",
    "RecordFilter",
    "Reranker",
    "Row",
    "SearchSnapshot",
    "Sessions",
    "Store",
    "Tool",
    "Transfer",
    "TransferSnapshot",
    "Unembedded",
    "Vector",
    "VectorSearch",
    "WaitingMessage",
]
