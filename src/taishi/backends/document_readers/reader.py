"""Chooses the reader of a document by its content, and by its name where that does not tell."""

from __future__ import annotations

import re
from pathlib import PurePath
from types import ModuleType

from ...errors import DocumentError
from ...language.possessive import possessive
from ...ports.documents import Document
from .limits import MAX_FILE_BYTES
from .text_decoding import head

MARKDOWN = frozenset((".md", ".markdown", ".mdown", ".mkd", ".mdx"))
HTML = frozenset((".html", ".htm", ".xhtml"))

_HTML_START = re.compile(
    r"\ufeff?\s*+(?:<\?xml[^<>]*+>\s*+)?"
    + possessive(rf"<!--{possessive('[^-]|-(?!->)')}-->\s*+")
    + r"<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE,
)
_ANY_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9-]*+(?:\s[^<>]*+)?/?>")

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_NO_PICTURES = "Pictures are not read: run OCR on it and add the text."
_UNPACK = "Unpack it and add the files inside."
_REFUSED = (
    (b"{\\rtf", "in Rich Text Format", "Save it as DOCX or PDF and add that."),
    (b"\x89PNG\r\n", "a PNG picture", _NO_PICTURES),
    (b"\xff\xd8\xff", "a JPEG picture", _NO_PICTURES),
    (b"GIF8", "a GIF picture", _NO_PICTURES),
    (b"\x1f\x8b", "compressed with gzip", _UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK),
    (b"Rar!\x1a\x07", "a RAR archive", _UNPACK),
    (b"PK\x05\x06", "an empty ZIP archive", "There is nothing to read."),
    (b"SQLite format 3\x00", "a SQLite database", "Export what you need as text or CSV."),
    (b"\x7fELF", "a program", "Programs are not read."),
)


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
    from . import code, docx, html, markdown, pdf, plain_text  # a chat needs none of them

    if b"%PDF-" in data[:1024]:
        return pdf
    if data.startswith(b"PK\x03\x04"):
        return docx
    _refuse_known(name, data)
    ending = PurePath(name).suffix.lower()
    start = head(name, data)
    if _HTML_START.match(start) or (ending in HTML and _ANY_TAG.search(start)):
        return html
    if ending in MARKDOWN:
        return markdown
    return code if ending in code.LANGUAGES else plain_text


def _refuse_known(name: str, data: bytes) -> None:
    """Formats that people try; the error says what to do with each."""
    if data.startswith(_OLE):
        encrypted = "EncryptedPackage".encode("utf-16-le") in data
        raise DocumentError(
            f"{name!r:.120} is encrypted. Save a copy without a password and add that."
            if encrypted
            else f"{name!r:.120} is in the old Office format. Save it as DOCX or PDF and add that."
        )
    for start, what, advice in _REFUSED:
        if data.startswith(start):
            raise DocumentError(f"{name!r:.120} is {what}. {advice}")
