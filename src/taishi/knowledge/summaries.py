"""Summaries of documents: from their first sentences at once, by a model in the background."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace

from ..errors import TaishiError
from ..historian.document_summary import summarise_document
from ..language.text import one_line, sentences
from ..ports import ChatModel
from ..runtime import Runtime
from ..types import Edit, Partition, Record
from .manifest import BATCH, CHUNK, DOCUMENT, NOTE, batch_prefix, body_of, document_info

log = logging.getLogger("taishi.knowledge")
MAX_CHARS = 300
READ_CHARS = 8000
MAX_SECTIONS = 40


def first_sentences(texts: Iterable[str], most: int = MAX_CHARS) -> str:
    """As many whole sentences as fit, from the beginning; the first one cut if it does not."""
    kept: list[str] = []
    length = 0
    for sentence in sentences("\n".join(texts)):
        line = one_line(sentence, most)
        if kept and length + len(line) > most:
            break
        kept.append(line)
        length += len(line) + 1
    return " ".join(kept)[: most + 1].strip()


class DocumentSummaries:
    """One document at a time, so that other work in the background has its turn. A summary that a
    model does not give stays the extract, until the document is synced or added again."""

    def __init__(
        self,
        runtime: Runtime,
        chat: ChatModel,
        submit: Callable[[Callable[[], None]], None],
    ) -> None:
        self._runtime = runtime
        self._store = runtime.parts.store
        self._chat = chat
        self._submit = submit
        self._waiting: deque[tuple[Partition, str]] = deque()

    def want(self, place: Partition, id: str) -> None:
        self._waiting.append((place, id))
        self._submit(self._next)

    def _next(self) -> None:
        if not self._waiting:
            return
        place, id = self._waiting.popleft()
        try:
            self._summarise(place, id)
        except TaishiError as error:
            log.warning("a document keeps its first sentences as its summary: %s", error)

    def _summarise(self, place: Partition, id: str) -> None:
        record = self._store.get(place, id)
        if record is None or not _wants_summary(record):
            return
        info = document_info(record)
        chunks = self._store.find(place, (CHUNK,), None, BATCH, batch_prefix(id, 0))
        chunks.sort(key=lambda one: one.id)
        sections = [" › ".join(map(str, one.data.get("section") or ())) for one in chunks]
        titles = [title for title in dict.fromkeys(sections) if title][:MAX_SECTIONS]
        text = "\n".join(body_of(one.text, one.data) for one in chunks)[:READ_CHARS]
        prompts = self._runtime.parts.prompts
        made = summarise_document(self._chat, prompts, info.title, titles, text)
        summary = self._runtime.redactor.text(made)
        with self._runtime.parts.locks.hold(f"{id} of {place}"):
            now = self._store.get(place, id)
            if now is None or document_info(now).sha256 != info.sha256 or not _wants_summary(now):
                return  # it was replaced or removed meanwhile
            title = now.text.partition("\n")[0]
            data = {**now.data, "summary_by": "model"}
            self._store.apply([Edit("put", replace(now, text=f"{title}\n{summary}", data=data))])


def _wants_summary(record: Record) -> bool:
    data = record.data
    extract = data.get("import_state") == "ready" and data.get("summary_by") == "extract"
    return record.kind == DOCUMENT and NOTE not in data and extract
