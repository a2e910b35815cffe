"""Any server that speaks the OpenAI embeddings format, over HTTP."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from http.client import responses
from typing import Any, Literal

import numpy as np

from ..errors import ModelError
from ..language.text import storable
from ..ports import Ledger, Vector
from ..settings.schema import EmbeddingSettings
from .endpoint import Answer, Endpoint
from .ledger_entries import LedgerWriter, Prices

BATCH = 64
# Below the 8192 tokens that such models commonly read, whatever the language.
MAX_CHARS = 8000
RETRIES = 2
# Not when nothing came back at all: a recall waits for it.
RETRY_STATUSES = frozenset({429, 500, 502, 503, 504})
FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 5.0
# A batch of vectors of 4096 numbers is 6 MB, and 12 where the server indents it.
MAX_BYTES = 64 * 1024 * 1024
SECTION = "models.embedding"
MODE = "embeddings"


class OpenAIEmbedder:
    """Implements ports.Embedder. Safe to share between threads; the key is never shown."""

    def __init__(
        self,
        api_url: str,
        api_key: str,
        model_name: str,
        timeout_seconds: float = 10.0,
        dimensions: int | None = None,
        query_instruction: str = "",
        document_instruction: str = "",
        concurrency: int = 4,
        sleep: Callable[[float], None] = time.sleep,
        ledger: Ledger | None = None,
        price_in: float = 0.0,
    ) -> None:
        self._model_name = model_name
        self._book = LedgerWriter(ledger, model_name, Prices(price_in))
        self._asked_dimensions = dimensions
        self._dimensions = dimensions
        self._instructions = {"query": query_instruction, "document": document_instruction}
        self._sleep = sleep
        settings = EmbeddingSettings(
            api_url=api_url, api_key=api_key, timeout_seconds=timeout_seconds
        )
        # Not bounded: a question must not wait until batches of documents are through.
        self._endpoint = Endpoint(
            settings,
            SECTION,
            "/embeddings",
            "The embedding server",
            max_bytes=MAX_BYTES,
            bounded=False,
        )
        self._pool = ThreadPoolExecutor(max(1, concurrency), "taishi-embed-http")

    @property
    def name(self) -> str:
        """Everything that changes a document's vector is part of the name."""
        name = f"openai:{self._model_name}"
        if self._asked_dimensions:
            name += f"@{self._asked_dimensions}"
        instruction = self._instructions["document"]
        if instruction:
            name += f"#{hashlib.sha256(storable(instruction).encode()).hexdigest()[:8]}"
        return name

    @property
    def dimensions(self) -> int:
        """Asks the server once when neither the settings nor an earlier answer tell."""
        if self._dimensions is None:
            self.embed(["dimensions"], "document")
        assert self._dimensions is not None
        return self._dimensions

    def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> Vector:
        if self._endpoint.closed:
            raise ModelError(f"{self.name} was closed: open the memory again")
        instruction = self._instructions[kind]
        # The format has no place for an empty text, and servers refuse one.
        inputs = [storable(instruction + text)[:MAX_CHARS] or " " for text in texts]
        groups = [inputs[start : start + BATCH] for start in range(0, len(inputs), BATCH)]
        if not groups:
            return np.zeros((0, self.dimensions), np.float32)
        if len(groups) == 1:
            return self._embed_group(groups[0], kind)
        embed = partial(self._embed_group, kind=kind)
        return np.concatenate(list(self._pool.map(embed, groups)))

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)
        self._endpoint.close()

    def _embed_group(self, texts: list[str], kind: str) -> Vector:
        body: dict[str, Any] = {
            "model": self._model_name,
            "input": texts,
            "encoding_format": "float",
        }
        if self._asked_dimensions:
            body["dimensions"] = self._asked_dimensions
        rows = _rows(self._post(body, f"embedding_{kind}"), len(texts))
        if self._dimensions is None:
            self._dimensions = rows.shape[1]
        if rows.shape[1] != self._dimensions:
            raise ModelError(
                f"{self._model_name} gave {rows.shape[1]} dimensions where {self._dimensions} were "
                "expected: correct `dimensions` in [models.embedding]"
            )
        with np.errstate(over="ignore"):
            lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        if not (np.isfinite(lengths).all() and lengths.all()):
            raise ModelError(f"{self._model_name} gave a vector without a direction: try another")
        return np.asarray(rows / lengths, np.float32)

    def _post(self, body: dict[str, Any], task: str) -> Any:
        wait = FIRST_WAIT_SECONDS
        for attempt in range(RETRIES + 1):
            answer = self._endpoint.post(body)
            if answer.status not in RETRY_STATUSES or attempt == RETRIES:
                break
            failed = f"{answer.status} {_words(answer)}"
            self._book.enter_failure(task, MODE, answer.seconds, failed)
            asked = answer.retry_after()
            self._sleep(wait if asked is None else min(asked, LONGEST_WAIT_SECONDS))
            wait *= 2
        try:
            content = self._read(answer)
        except ModelError as error:
            self._book.enter_failure(task, MODE, answer.seconds, str(error))
            raise
        self._book.enter(task, MODE, answer.seconds, body["input"], content)
        return content

    def _read(self, answer: Answer) -> Any:
        if not answer.status:
            raise self._failure(f"did not answer ({answer.words})")
        if not answer.ok:
            raise self._failure(f"answered {answer.status}: {_words(answer)}")
        try:
            return json.loads(answer.text)
        except (ValueError, RecursionError):
            shown = replace(answer, text=self._endpoint.redact(answer.text))
            raise self._failure(f"did not answer in JSON: {shown.words}") from None

    def _failure(self, what: str) -> ModelError:
        return ModelError(
            f"The embedding server {self._endpoint.host} {what}. "
            f"Check api_url, api_key and model_name in [{SECTION}]"
        )


def _words(answer: Answer) -> str:
    return answer.words or responses.get(answer.status, "")


def _rows(answer: Any, count: int) -> Vector:
    """The vectors of an answer, in the order of the question."""
    try:
        items = sorted(answer["data"], key=lambda item: int(item["index"]))
        if [item["index"] for item in items] != list(range(count)):
            raise ModelError(
                f"The embedding server gave {len(items)} vectors for {count} texts: "
                "this server does not follow the OpenAI format; try another"
            )
        with np.errstate(over="ignore"):
            rows = np.array([item["embedding"] for item in items], np.float32)
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(
            f"The embedding server's answer cannot be read ({error!r}): check that api_url in "
            "[models.embedding] is an OpenAI-compatible address ending in /v1"
        ) from None
    if rows.ndim != 2 or not rows.shape[1]:
        raise ModelError("The embedding server gave vectors of no length: try another model")
    return rows
