"""Ports to models: embedders, rerankers and chat models, and the ledger that counts calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..times import Deadline

Vector = NDArray[np.float32]
T_co = TypeVar("T_co", covariant=True)


class Embedder(Protocol):
    """Text → unit vectors."""

    @property
    def name(self) -> str:
        """Stamped on every vector; another name means vectors that cannot be compared."""

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has. Raises ModelError if a server has to be asked for it."""

    def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> Vector:
        """One unit row per text, in order. Raises ModelError; never returns fewer rows."""

    def close(self) -> None: ...


class Pending(Protocol[T_co]):
    """Work that was begun."""

    @property
    def is_done(self) -> bool: ...

    def result(self, deadline: Deadline) -> T_co:
        """Waits until the deadline, and may compute a part of it in the thread that waits. Raises
        LateError, or what the work raised. May be called again."""


class QueryEmbedder(Protocol):
    """What recall needs of an embedder: questions are embedded while it does other work."""

    def start(self, texts: Sequence[str]) -> Pending[Sequence[Vector]]:
        """Begin to embed questions; the vectors come in their order."""


class CachingEmbedder(QueryEmbedder, Protocol):
    """An embedder in front of which a cache of vectors by text is kept."""

    @property
    def name(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    def queries(self, texts: Sequence[str]) -> Sequence[Vector]: ...

    def embed(
        self, texts: Sequence[str], kind: Literal["query", "document"]
    ) -> Sequence[Vector]: ...

    def cached_texts(self) -> Iterable[str]: ...

    def clear_text(self) -> None:
        """Every text has to be embedded again; whoever computes meanwhile goes on."""

    def close(self) -> None: ...


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
class Completion:
    """A model's own words, and the tokens of the request that brought them."""

    text: str
    prompt_tokens: int
    completion_tokens: int
    seconds: float


class TextModel(Protocol):
    """A language model that answers in its own words: what an evaluation asks for."""

    def complete(self, task: str, messages: Sequence[Mapping[str, str]]) -> Completion:
        """`task` chooses the model. Raises ModelError; ModelDownError if it does not answer."""

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
