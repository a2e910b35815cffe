"""Any reranker that speaks the Cohere, Jina or TEI format, over HTTP (Q4).

It is asked once per recall and never again: what comes after the deadline is of no use.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import replace
from itertools import chain
from typing import Any

from ..errors import ModelError, ModelMissingError
from ..ports import Ledger
from ..settings.schema import RerankSettings
from .endpoint import LONGEST_EXCERPT, Answer, Endpoint
from .ledger_entries import LedgerWriter, Prices

SHAPES = ("cohere", "jina", "tei")
SECTION = "models.rerank"
TASK = "recall_rerank"
MAX_CHARS = 4000
# TEI refuses more texts than this in one request, unless it was started otherwise.
TEI_BATCH = 32
# What servers say to a request in a format that they do not know.
REFUSALS = frozenset({400, 415, 422})
# Scores may leave 0..1 by this much through rounding alone.
ROUNDING = 1e-3


class _FormatError(ModelError):
    """The server speaks, but not this format."""


class HttpReranker:
    """Implements ports.Reranker. Safe to share between threads; the key is never shown."""

    def __init__(
        self,
        api_url: str,
        api_key: str,
        model_name: str,
        timeout_seconds: float = 2.0,
        concurrency: int = 4,
        kind: str = "auto",
        ledger: Ledger | None = None,
        prices: Prices | None = None,
        queue_interval_seconds: float = 0.0,
    ) -> None:
        settings = RerankSettings(
            api_url=api_url,
            api_key=api_key,
            model_name=model_name,
            timeout_seconds=timeout_seconds,
            concurrency=concurrency,
            queue_interval_seconds=queue_interval_seconds,
        )
        self._model_name = model_name
        self._line = Endpoint(settings, SECTION, "/rerank", "The reranker")
        self._book = LedgerWriter(ledger, model_name or self._line.host, prices or Prices())
        self._pool = ThreadPoolExecutor(max(1, concurrency), "taishi-rerank-http")
        self._guesses = _guesses(kind, api_url, self._line.host)
        self._known = ""
        self._gives_logits = False

    @property
    def name(self) -> str:
        return f"rerank:{self._model_name or self._line.host}"

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """A score from 0 to 1 for each text, in the order of the texts."""
        if not texts:
            return []
        query, documents = _sendable(query), [_sendable(text) for text in texts]
        refusals: list[_FormatError] = []
        known = self._known
        for shape in (known,) if known else self._guesses:
            try:
                scores = self._ask(shape, query, documents)
            except _FormatError as error:
                refusals.append(error)
            else:
                self._known = shape
                return self._squashed(scores)
        self._known = ""  # another server may have taken its place: guess again next time
        raise refusals[0]  # the likelier format's words say more

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)
        self._line.close()

    def _ask(self, shape: str, query: str, texts: list[str]) -> list[float]:
        if shape != "tei" or len(texts) <= TEI_BATCH:
            return self._ask_once(shape, query, texts)
        groups = [texts[at : at + TEI_BATCH] for at in range(0, len(texts), TEI_BATCH)]
        try:
            scores = self._pool.map(lambda group: self._ask_once(shape, query, group), groups)
            return list(chain.from_iterable(scores))
        except (RuntimeError, CancelledError):
            raise ModelError("The reranker was closed: open the memory again") from None

    def _ask_once(self, shape: str, query: str, texts: list[str]) -> list[float]:
        answer = self._line.post(_body(shape, self._model_name, query, texts))
        answer = replace(answer, text=self._line.redact(answer.text))
        try:
            content = self._content(answer)
            scores = self._scores(content, len(texts))
        except ModelError as error:
            self._book.enter_failure(TASK, shape, answer.seconds, str(error))
            raise
        # Such models read the query again with every text.
        read = chain(texts, (query for _ in texts))
        self._book.enter(TASK, shape, answer.seconds, read, content)
        return scores

    def _content(self, answer: Answer) -> Any:
        if not answer.ok:
            raise self._refusal(answer)
        try:
            return json.loads(answer.text)
        except (ValueError, RecursionError):
            raise ModelError(self._say(f"did not answer in JSON: {answer.words}")) from None

    def _refusal(self, answer: Answer) -> ModelError:
        if not answer.status:
            return ModelError(self._say(f"did not answer: {answer.words}"))
        error = _FormatError if answer.status in REFUSALS else ModelError
        return error(self._say(f"answered {answer.status}: {answer.words}"))

    def _scores(self, content: Any, count: int) -> list[float]:
        """One score per text, whichever of the two forms the answer has."""
        results = content.get("results") if isinstance(content, dict) else content
        if not isinstance(results, list):
            raise _FormatError(self._say("did not answer with a list of results"))
        scores: dict[int, float] = {}
        for result in results:
            index, score = _index_and_score(result)
            if score is None or index is None or not 0 <= index < count or index in scores:
                excerpt = json.dumps(result)[:LONGEST_EXCERPT]
                raise ModelError(self._say(f"gave a result that is of no use: {excerpt}"))
            scores[index] = score
        if len(scores) != count:
            raise ModelError(self._say(f"gave {len(scores)} scores for {count} texts"))
        return [scores[index] for index in range(count)]

    def _squashed(self, scores: list[float]) -> list[float]:
        """Some servers give what the model gives, which knows no bounds."""
        if not all(-ROUNDING <= score <= 1 + ROUNDING for score in scores):
            self._gives_logits = True
        if self._gives_logits:
            return [0.5 + 0.5 * math.tanh(score / 2) for score in scores]
        return [min(1.0, max(0.0, score)) for score in scores]

    def _say(self, what: str) -> str:
        return (
            f"The reranker at {self._line.host} {what}. "
            f"Check api_url, api_key, model_name and kind in [{SECTION}]"
        )


def _guesses(kind: str, api_url: str, host: str) -> tuple[str, ...]:
    """The likeliest format first: vendors by name; a path with a version is not TEI's."""
    if kind in SHAPES:
        return (kind,)
    if kind != "auto":
        raise ModelMissingError(f"kind in [{SECTION}] is {kind!r}: use auto, {', '.join(SHAPES)}")
    if "jina" in host:
        return "jina", "cohere"
    path = api_url.partition("//")[2].partition("/")[2]
    versioned = any(part[:1] == "v" and part[1:].isdigit() for part in path.split("/"))
    return ("cohere", "tei") if versioned or "cohere" in host else ("tei", "cohere")


def _body(shape: str, model_name: str, query: str, texts: list[str]) -> dict[str, Any]:
    if shape == "tei":
        return {"query": query, "texts": texts, "raw_scores": False, "truncate": True}
    body: dict[str, Any] = {"query": query, "documents": texts, "top_n": len(texts)}
    if model_name:
        body["model"] = model_name
    if shape == "jina":
        body["return_documents"] = False  # it sends them all back otherwise
    return body


def _sendable(text: str) -> str:
    """Servers refuse an empty text, and some stumble over NUL."""
    return text[:MAX_CHARS].replace("\0", " ") or " "


def _index_and_score(result: Any) -> tuple[int | None, float | None]:
    if not isinstance(result, dict):
        return None, None
    index = result.get("index")
    score = result.get("relevance_score", result.get("score"))
    return (index if type(index) is int else None), _finite(score)


def _finite(number: Any) -> float | None:
    if type(number) not in (int, float):  # true is no score
        return None
    try:
        value = float(number)
    except OverflowError:
        return None
    return value if math.isfinite(value) else None
