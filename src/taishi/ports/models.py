"""Ports to models: embedders, rerankers and chat models, and the ledger that counts calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]


class Embedder(Protocol):
    """Text → unit vectors.

    `blocks` are the widths of the parts that a vector is made of. A text may leave its later
    blocks zero (an English text in a two-language space), and whoever stores or scans vectors
    may then skip them.
    """

    @property
    def name(self) -> str:
        """Stamped on every vector; another name means vectors that cannot be compared."""

    @property
    def blocks(self) -> tuple[int, ...]: ...

    def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> Vector:
        """One unit row per text, in order. Raises ModelError; never returns fewer rows."""

    def close(self) -> None: ...


@runtime_checkable
class Shareable(Protocol):
    """What an embedder has, too, that computes right here: who waits for a vector can help."""

    def help(self) -> bool:
        """Do a part of a question that is being embedded in another thread; whether there was
        one. It takes milliseconds, and asks neither a disk nor a network for anything."""


class Reranker(Protocol):
    """How well each text answers a query, by a model that reads both together (Q4)."""

    @property
    def name(self) -> str: ...

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score per text, in order, about 0 to 1; more is better. Raises ModelError."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that a model is made to call: the only form in which models answer us."""

    name: str
    description: str
    parameters: Mapping[str, Any]  # a JSON schema of type object


class ChatModel(Protocol):
    """A language model that answers with structured data."""

    def structured(
        self, task: str, messages: Sequence[Mapping[str, str]], tool: Tool
    ) -> dict[str, Any]:
        """The arguments of the tool, checked against its schema.

        `task` is one of settings' chat tasks and chooses the model. Raises ModelError with the
        model's own words; the caller may try again later.
        """

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Call:
    """One request to a model, for the ledger (H5)."""

    task: str
    model: str
    ok: bool
    seconds: float
    prompt_tokens: int
    completion_tokens: int
    mode: str
    cost: float = 0.0
    error: str = ""


class Ledger(Protocol):
    """Where calls to models are counted (H5)."""

    def add(self, call: Call) -> None: ...


class LedgerQueue(Ledger, Protocol):
    """A ledger that collects calls in memory, for callers that must not wait for a disk."""

    @property
    def is_empty(self) -> bool: ...

    def flush(self) -> None:
        """Write the collected calls to the ledger behind it."""


class CallLedger(Ledger, Protocol):
    """A ledger that can be read."""

    def totals(self, since_day: str | None = None) -> list[dict[str, Any]]:
        """A row for each day (UTC), task, model and mode, newest day first."""
