"""The embedder that needs no service: an English and a Chinese encoder that share one space."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property
from typing import Literal

import numpy as np

from ...errors import ModelError, ModelMissingError, TaishiError
from ...ports import Vector
from .encoder import Encoder, need_packages
from .model_package import ModelPackage, find_package, repair_hint

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HAS_HAN = re.compile(f"[{HAN}]")
_LATIN_WORD = re.compile("[A-Za-z\u00c0-\u024f][0-9A-Za-z\u00c0-\u024f_'.-]*")
_UNSAFE = re.compile("[\x00\ud800-\udfff]")
# Of a Chinese text with English words in it: how much the English encoder's reading of those words
# counts. See docs/adr/0013-own-encoders.md.
LATIN_SHARE = 0.3
WORD_THREADS = 2
# More characters than this cannot matter: the encoders read 256 tokens.
MAX_CHARS = 2000
# Seconds after which the Chinese encoder is loaded even if no Chinese text came: a short command
# about English text is done by then, and a server's first Chinese question does not wait.
CHINESE_AFTER = 2.0


class LocalEmbedder:
    """Implements ports.Embedder. Safe to share between threads.

    A text without anything to read (empty, or only control characters) is embedded like any
    other: the encoder still sees its start and end marks, so the row is a unit vector that is
    near nothing in particular.
    """

    def __init__(self, threads: int = 1, package: ModelPackage | None = None) -> None:
        need_packages()
        self._package = package or find_package()
        self._english = Encoder(self._package.english(), self._package.MAX_TOKENS)
        self._chinese = Encoder(self._package.chinese(), self._package.MAX_TOKENS)
        self._pool = ThreadPoolExecutor(threads, "taishi-embed") if threads > 1 else None
        self._beside = ThreadPoolExecutor(WORD_THREADS, "taishi-embed-words")
        self._closed = threading.Event()
        self._loader = threading.Thread(target=self._load_soon, name="taishi-load", daemon=True)
        self._loader.start()

    @property
    def name(self) -> str:
        return self._package.NAME

    @property
    def dimensions(self) -> int:
        return self._package.DIMENSIONS

    def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> Vector:
        """Queries and documents are read alike. One text never changes another's vector."""
        if self._closed.is_set():
            raise ModelError("The local embedder was closed: open the memory again")
        row = self._query_row if kind == "query" else self._row
        rows = list((self._pool.map if self._pool else map)(row, texts))
        return np.array(rows, np.float32).reshape(len(texts), self._package.DIMENSIONS)

    def close(self) -> None:
        self._closed.set()
        self._loader.join()
        self._beside.shutdown()
        if self._pool:
            self._pool.shutdown()

    def _row(self, text: str, side_by_side: bool = False) -> Vector:
        text = _UNSAFE.sub(" ", text[:MAX_CHARS])
        if not _HAS_HAN.search(text):
            return self._english.encode(text)
        words = " ".join(_LATIN_WORD.findall(text))
        pending = (
            self._beside.submit(self._english.encode, words) if words and side_by_side else None
        )
        row = self._chinese.encode(text.translate(self._simplified))
        if not words:
            return row
        theirs = pending.result() if pending else self._english.encode(words)
        row = (1 - LATIN_SHARE) * row + LATIN_SHARE * theirs
        return row / np.linalg.norm(row)

    def _query_row(self, text: str) -> Vector:
        """Somebody waits for it: both encoders at once."""
        return self._row(text, side_by_side=True)

    def _load_soon(self) -> None:
        """Beside whoever opened us: the first question has an index to read, too."""
        with suppress(TaishiError):  # whoever embeds a text is told
            self._english.load()
            if not self._closed.wait(CHINESE_AFTER):
                self._chinese.load()

    @cached_property
    def _simplified(self) -> dict[int, int]:
        try:
            return str.maketrans(*self._package.simplified().read_text("utf-8").split("\n"))
        except (OSError, ValueError, TypeError) as error:
            raise ModelMissingError(
                f"The table of characters is broken ({error}): {repair_hint()}"
            ) from error
