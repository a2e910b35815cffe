"""Chooses the reader of a document by its content, and by its name where that does not tell."""

from __future__ import annotations

import re
from pathlib import PurePath
from types import ModuleType

from ...errors import DocumentError
from ...ports.documents import Document
from . import html, markdown, plain_text
from .limits import MAX_FILE_BYTES
from .text_decoding import head

MARKDOWN = frozenset((".md", ".markdown", ".mdown", ".mkd", ".mdx"))
HTML = frozenset((".html", ".htm", ".xhtml"))

_HTML_START = re.compile(
    r"\ufeff?\s*+(?:<\?xml[^<>]*+>\s*+)?(?:<!--(?:[^-]|-(?!->))*+-->\s*+)*+"
    r"<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE,
)
_ANY_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9-]*+(?:\s[^<>]*+)?/?>")


class Readers:
    """Every format that can be read; see `ports.documents.DocumentReader`."""

    def read(self, name: str, data: bytes) -> Document:
        if not data:
            raise DocumentError(f"{name!r:.120} is empty (0 bytes); nothing to read.")
        if len(data) > MAX_FILE_BYTES:
            raise DocumentError(
                f"{name!r:.120} has {len(data):,} bytes; the most is {MAX_FILE_BYTES:,}. Split it."
            )
        document: Document = _reader_of(name, data).read(name, data)
        return document


def _reader_of(name: str, data: bytes) -> ModuleType:
    ending = PurePath(name).suffix.lower()
    start = head(name, data)
    if _HTML_START.match(start) or (ending in HTML and _ANY_TAG.search(start)):
        return html
    if ending in MARKDOWN:
        return markdown
    return plain_text
