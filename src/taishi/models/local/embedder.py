"""The embedder that needs no service: two small encoders in one space for English and Chinese.

A vector has two blocks. The first is MiniLM on the text, with Chinese words replaced by their
English glosses, so both languages meet there. The second is a Chinese sentence model on the
text itself and is zero for text without Chinese characters.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from typing import Literal

import numpy as np

from ...errors import ModelError, ModelMissingError, TaishiError
from ...ports import Vector
from .encoder import Encoder, need_packages
from .files import MODEL_NAME, PULL, WIDTH, Files
from .glosses import HAN, Glosses, load_glosses
from .shares import SharedTask, SharedTasks

_HAS_HAN = re.compile(f"[{HAN}]")
_UNSAFE = re.compile("[\x00\ud800-\udfff]")
# More characters than this cannot matter: the models read MAX_TOKENS tokens.
MAX_CHARS = 2000
# Share of the Chinese block in a Chinese text's vector; see docs/adr/0002-embedder.md.
CHINESE_SHARE = 0.3
# Seconds after which the Chinese half is read, asked for or not. Reading its dictionary holds up
# every thread for a tenth of a second: not in the middle of a question, and not for a command
# that is done by then.
CHINESE_AFTER = 2.0


class LocalEmbedder:
    """Implements ports.Embedder. Safe to share between threads.

    A text without anything to read (empty, or only control characters) is embedded like any
    other: the encoder still sees its start and end marks, so the row is a unit vector that is
    near nothing in particular.
    """

    name = MODEL_NAME
    blocks = (WIDTH, WIDTH)

    def __init__(self, folder: Path, threads: int = 1) -> None:
        self._files = Files(folder / MODEL_NAME)
        need_packages()
        self._check()
        self._closed = False
        self._lazy = threading.Lock()
        self._offer: SharedTasks[Vector] = SharedTasks()
        # Read beside whoever opened us: the first question has an index to read, too.
        loader = ThreadPoolExecutor(1, "taishi-load")
        self._english = loader.submit(Encoder, self._files.english, self._files.english_tokenizer)
        loader.shutdown(wait=False)
        self._pool = ThreadPoolExecutor(threads, "taishi-embed") if threads > 1 else None
        self._soon = threading.Timer(CHINESE_AFTER, self._read_chinese)
        self._soon.daemon = True
        self._soon.start()

    def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> Vector:
        """Queries and documents are read alike. One text never changes another's vector."""
        if self._closed:
            raise ModelError("The local embedder was closed: open the memory again")
        if kind == "query":
            rows = self._shared_rows(texts)
        else:
            rows = list((self._pool.map if self._pool else map)(self._row, texts))
        vectors = np.zeros((len(texts), 2 * WIDTH), np.float32)
        for number, row in enumerate(rows):
            vectors[number, : len(row)] = row
        return vectors

    def close(self) -> None:
        self._closed = True
        self._soon.cancel()
        self._soon.join()
        if self._pool:
            self._pool.shutdown()

    def _check(self) -> None:
        try:
            manifest = json.loads(self._files.manifest.read_text("utf-8"))
            broken = list(self._files.wrong_sizes(manifest))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise ModelMissingError(
                f"The local embedder is not in {self._files.folder.parent}: {PULL}"
            ) from error
        if broken:
            raise ModelMissingError(
                f"The local embedder in {self._files.folder} is damaged ({', '.join(broken)}): "
                f"{PULL}"
            )

    def help(self) -> bool:
        """Encode a part of a question that another thread embeds (see shares.SharesWork)."""
        return self._offer.help()

    def _row(self, text: str) -> Vector:
        return _joined([half() for half in self._halves(text)])

    def _shared_rows(self, texts: Sequence[str]) -> list[Vector]:
        """Questions: a thread that waits for these vectors may compute a part."""
        shares = [[SharedTask(half) for half in self._halves(text)] for text in texts]
        with self._offer.of([share for halves in shares for share in halves]):
            return [_joined([share.result() for share in halves]) for halves in shares]

    def _halves(self, text: str) -> list[Callable[[], Vector]]:
        """What is to be computed: the Chinese half, if there is one, which takes longer; and the
        English half."""
        text = _UNSAFE.sub(" ", text[:MAX_CHARS])
        english = self._english.result()
        if not _HAS_HAN.search(text):
            return [partial(english.encode, text)]
        glosses, chinese = self._for_chinese()
        text = glosses.simplify(text)
        return [
            partial(chinese.encode, text),
            lambda: english.encode(glosses.translate(text)),
        ]

    def _read_chinese(self) -> None:
        with suppress(TaishiError):  # whoever has Chinese text is told
            self._for_chinese()

    def _for_chinese(self) -> tuple[Glosses, Encoder]:
        with self._lazy:
            return self._glosses, self._chinese

    def cached_texts(self) -> Iterable[str]:
        return self._glosses.cached_texts() if "_glosses" in self.__dict__ else ()

    def clear_text(self) -> None:
        if "_glosses" in self.__dict__:
            self._glosses.clear_text()

    @cached_property
    def _glosses(self) -> Glosses:
        return load_glosses(self._files.glosses, self._files.simplified)

    @cached_property
    def _chinese(self) -> Encoder:
        return Encoder(self._files.chinese, self._files.chinese_tokenizer)


def _joined(halves: Sequence[Vector]) -> Vector:
    if len(halves) == 1:
        return halves[0]
    chinese, english = halves
    shares = ((1 - CHINESE_SHARE) ** 0.5, CHINESE_SHARE**0.5)
    return np.concatenate([english * shares[0], chinese * shares[1]], dtype=np.float32)
