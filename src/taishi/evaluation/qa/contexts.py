"""What each system gives the answerer: our block, the top chunks, or the whole conversation."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ...language.token_count import estimate_tokens
from ...memory import Memory
from ...ports import Embedder
from ..baselines import Dense
from ..cases import Corpus, Question
from .conversation import chunks, newest_time, scope_of, transcript
from .prompt_files import language_of

OURS = "taishi"
FULL = "full-context"
RAG = "rag"
BASELINES = (FULL, RAG)
DEADLINE_SECONDS = 30.0  # a shorter one would measure the machine, not the memory


@dataclass(frozen=True, slots=True)
class Limits:
    """How much each system may show: tokens of the block and of the window, chunks of the RAG."""

    max_tokens: int
    window: int
    top_k: int


@dataclass(frozen=True, slots=True)
class Context:
    """`left_out`: messages of a conversation that did not fit the window."""

    text: str = field(repr=False)
    recall_ms: float | None = None
    left_out: int = 0

    def described(self) -> dict[str, object]:
        return {
            "context_tokens": estimate_tokens(self.text),
            "context_sha256": hashlib.sha256(self.text.encode("utf-8", "replace")).hexdigest(),
            "recall_ms": self.recall_ms,
            "left_out": self.left_out,
        }


class Contexts:
    """The systems over one conversation. Chunks are embedded and the transcript is made when the
    first question needs them."""

    def __init__(
        self, corpus: Corpus, memory: Memory, embedder: Embedder | None, limits: Limits
    ) -> None:
        self._corpus = corpus
        self._memory = memory
        self._embedder = embedder
        self._limits = limits

    def of(self, system: str, question: Question) -> Context:
        if system == OURS:
            return self._block(question)
        return self._full if system == FULL else self._nearest(question.query)

    def asked_at(self, question: Question) -> str | None:
        return question.time or newest_time(self._corpus)

    def _block(self, question: Question) -> Context:
        brief = self._memory.brief(
            scope_of(self._corpus),
            question.query,
            self._limits.max_tokens,
            now=self.asked_at(question),
            deadline=DEADLINE_SECONDS,
            language=language_of(question.query),
        )
        return Context(brief.text, brief.recall.took_ms)

    def _nearest(self, query: str) -> Context:
        texts, ranker = self._chunks
        started = time.perf_counter()
        rows = sorted(ranker.rank(query)[: self._limits.top_k])  # in the order they were said
        took_ms = (time.perf_counter() - started) * 1000
        return Context("\n\n".join(texts[row] for row in rows), took_ms)

    @cached_property
    def _chunks(self) -> tuple[list[str], Dense]:
        if self._embedder is None:
            raise ValueError("plain RAG needs an embedder")  # checked before a run begins
        texts = chunks(self._corpus)
        return texts, Dense(texts, self._embedder)

    @cached_property
    def _full(self) -> Context:
        lines = transcript(self._corpus.items)
        kept = newest_that_fit(lines, self._limits.window)
        return Context("\n".join(lines[len(lines) - kept :]), None, len(lines) - kept)


def newest_that_fit(lines: Sequence[str], window: int) -> int:
    """How many of the last lines fit a model's window; the oldest are left out."""
    used = 0
    for kept, line in enumerate(reversed(lines)):
        used += estimate_tokens(line) + 1
        if used > window:
            return kept
    return len(lines)
