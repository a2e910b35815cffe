"""Any server that speaks the OpenAI embeddings format, over HTTP."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Literal

import httpx
import numpy as np

from ..errors import ModelError, ModelMissingError
from ..language.text import one_line, storable
from ..ports import Ledger, Vector
from .ledger_entries import LedgerWriter, Prices

BATCH = 64
# Below the 8192 tokens that such models commonly read, whatever the language.
MAX_CHARS = 8000
RETRIES = 2
RETRY_STATUSES = frozenset({429, 500, 502, 503, 504})
FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 5.0
LONGEST_EXCERPT = 300
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
        self._key = api_key
        self._sleep = sleep
        self._address = _address(api_url)
        self._client = httpx.Client(headers=_headers(api_key), timeout=timeout_seconds)
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
    def blocks(self) -> tuple[int, ...]:
        """Asks the server once when neither the settings nor an earlier answer tell."""
        if self._dimensions is None:
            self.embed(["dimensions"], "document")
        assert self._dimensions is not None
        return (self._dimensions,)

    def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> Vector:
        if self._client.is_closed:
            raise ModelError(f"{self.name} was closed: open the memory again")
        instruction = self._instructions[kind]
        # The format has no place for an empty text, and servers refuse one.
        inputs = [storable(instruction + text)[:MAX_CHARS] or " " for text in texts]
        groups = [inputs[start : start + BATCH] for start in range(0, len(inputs), BATCH)]
        if not groups:
            return np.zeros((0, *self.blocks), np.float32)
        if len(groups) == 1:
            return self._embed_group(groups[0], kind)
        embed = partial(self._embed_group, kind=kind)
        return np.concatenate(list(self._pool.map(embed, groups)))

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)
        self._client.close()

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
            began = time.perf_counter()
            try:
                answer = self._client.post(self._address, json=body)
                if answer.status_code not in RETRY_STATUSES or attempt == RETRIES:
                    content = self._read(answer)
                    self._book.enter(
                        task, MODE, time.perf_counter() - began, body["input"], content
                    )
                    return content
                failed = f"{answer.status_code} {self._hidden(_words(answer))}"
            except (httpx.HTTPError, RuntimeError, ModelError) as error:
                raise self._failure(task, time.perf_counter() - began, error) from None
            self._book.enter_failure(task, MODE, time.perf_counter() - began, failed)
            self._sleep(_wait_asked_for(answer, wait))
            wait *= 2
        raise AssertionError("the last attempt returns or raises")

    def _failure(self, task: str, seconds: float, error: Exception) -> ModelError:
        """Entered in the ledger, in words. RuntimeError is what a closed client raises."""
        if not isinstance(error, ModelError):
            error = ModelError(self._say(f"did not answer ({error or type(error)})"))
        self._book.enter_failure(task, MODE, seconds, str(error))
        return error

    def _read(self, answer: httpx.Response) -> Any:
        if not answer.is_success:
            raise ModelError(self._say(f"answered {answer.status_code}: {_words(answer)}"))
        try:
            return answer.json()
        except (ValueError, RecursionError):
            raise ModelError(self._say(f"did not answer in JSON: {_words(answer)}")) from None

    def _say(self, what: str) -> str:
        message = (
            f"The embedding server {self._address.host} {what}. "
            "Check api_url, api_key and model_name in [models.embedding]"
        )
        return self._hidden(message)

    def _hidden(self, words: str) -> str:
        return words.replace(self._key, "***") if self._key else words


def _address(api_url: str) -> httpx.URL:
    try:
        url = httpx.URL(api_url.rstrip("/") + "/embeddings")
    except (httpx.InvalidURL, UnicodeError):
        url = httpx.URL("")
    if url.scheme not in ("http", "https") or not url.host:
        raise ModelMissingError(
            "The embedding server's address cannot be used: set api_url in [models.embedding] "
            "to something like http://127.0.0.1:8080/v1"
        )
    return url


def _headers(api_key: str) -> dict[str, str]:
    if not (api_key.isascii() and api_key.isprintable()):
        raise ModelMissingError(
            "api_key in [models.embedding] holds characters that no key has: copy it again"
        )
    return {"Authorization": f"Bearer {api_key}"} if api_key else {}


def _wait_asked_for(answer: httpx.Response, otherwise: float) -> float:
    try:
        seconds = float(answer.headers.get("retry-after", ""))
    except ValueError:
        seconds = otherwise
    # The comparison is also false for "nan".
    return min(seconds, LONGEST_WAIT_SECONDS) if seconds >= 0 else otherwise


def _words(answer: httpx.Response) -> str:
    """The server's own explanation, as far as it gave one."""
    try:
        error = answer.json()["error"]
        words = error["message"] if isinstance(error, dict) else error
    except (ValueError, KeyError, TypeError, RecursionError):
        words = answer.text
    return one_line(str(words), LONGEST_EXCERPT) or answer.reason_phrase


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
