"""Reads PDF with pypdfium2, page by page; bookmarks are sections.

A PDF has lines, not paragraphs: a line that is as long as the page is wide goes on in the next one.
PDFium is not thread-safe, so that all calls into it are made under one lock. Its build has neither
JavaScript nor forms, and fetches nothing.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice, pairwise
from pathlib import PurePath
from typing import Any, NamedTuple

from ...errors import DocumentError, MissingExtraError
from ...language.text import one_line
from ...ports.documents import Block, Document
from .limits import MAX_BLOCK_CHARS, MAX_PDF_PAGES, MAX_TITLE_CHARS
from .outline import Outline
from .text_decoding import tidy

MAX_BOOKMARKS = 10_000
WRONG_PASSWORD = 4
FULL_LINE = 0.7  # of the longest line on the page

_PDFIUM = threading.Lock()
_SENTENCE_END = re.compile(r"[.!?:;。！？：；…][\"'”’）)]*$")
_LIST_ITEM = re.compile(r"(?:[-•▪◦●*–]|\(?\d{1,3}[.)、]|[一二三四五六七八九十]{1,3}、)\s*\S")
_HYPHEN = re.compile(r"[a-z]-$")


class Bookmark(NamedTuple):
    level: int
    title: str
    page: int


def read(name: str, data: bytes) -> Document:
    with _opened(name, data) as pdf:
        pages = len(pdf)
        title = _readable(lambda: pdf.get_metadata_value("Title"))
        bookmarks = list(_bookmarks(pdf))
    if pages > MAX_PDF_PAGES:
        raise DocumentError(
            f"{name!r:.120} has {pages:,} pages; the most is {MAX_PDF_PAGES:,}. Split it."
        )
    warnings: list[str] = []
    blocks = _blocks(name, data, bookmarks, warnings)
    return Document(title or PurePath(name).name, "application/pdf", blocks, warnings)


@contextmanager
def _opened(name: str, data: bytes) -> Iterator[Any]:
    """The document, under the lock."""
    pdfium = _library()
    with _PDFIUM:
        pdf = _open(pdfium, name, data)
        try:
            yield pdf
        except pdfium.PdfiumError as error:
            raise _damaged(name) from error
        finally:
            pdf.close()


def _library() -> Any:
    try:
        import pypdfium2
    except ImportError as error:
        raise MissingExtraError("Reading PDF", "documents") from error
    return pypdfium2


def _open(pdfium: Any, name: str, data: bytes) -> Any:
    try:
        return pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if error.err_code == WRONG_PASSWORD:
            raise DocumentError(
                f"{name!r:.120} is encrypted. Save a copy without a password and add that."
            ) from error
        raise _damaged(name) from error


def _damaged(name: str) -> DocumentError:
    return DocumentError(
        f"{name!r:.120} is a damaged PDF or has no pages. Open it in a viewer and save it again."
    )


def _bookmarks(pdf: Any) -> Iterator[Bookmark]:
    for item in islice(pdf.get_toc(), MAX_BOOKMARKS):
        target = item.get_dest()
        page = target.get_index() if target is not None else None
        title = _readable(item.get_title)
        if page is not None and title:
            yield Bookmark(item.level, title, page)


def _readable(get: Callable[[], str]) -> str:
    """A title on one line; "" if it is broken, which is no reason to refuse the text."""
    try:
        return one_line(tidy(get()), MAX_TITLE_CHARS)
    except UnicodeDecodeError:
        return ""


def _blocks(
    name: str, data: bytes, bookmarks: list[Bookmark], warnings: list[str]
) -> Iterator[Block]:
    by_page: dict[int, list[Bookmark]] = {}
    for bookmark in bookmarks:
        by_page.setdefault(bookmark.page, []).append(bookmark)
    outline = Outline()
    pages, without_text = 0, 0
    for text in _page_texts(name, data):
        pages += 1
        if not text.strip():
            without_text += 1
        yield from _page_blocks(text, pages, by_page.get(pages - 1, []), outline)
    yield from outline.end(pages)
    if without_text == pages:
        raise DocumentError(
            f"{name!r:.120} has no text on any of its {pages:,} pages: they are probably scanned. "
            "Run OCR on it (ocrmypdf, for example) and add the result."
        )
    if without_text:
        warnings.append(
            f"{without_text:,} of {pages:,} pages have no text; if they are scanned, run OCR first."
        )


def _page_texts(name: str, data: bytes) -> Iterator[str]:
    """The lock is held while a page is read, not while the caller works on its text."""
    pdfium = _library()
    with _PDFIUM:
        pdf = _open(pdfium, name, data)
        pages = len(pdf)
    try:
        for index in range(pages):
            try:
                with _PDFIUM:
                    text = _page_text(pdf, index)
            except pdfium.PdfiumError as error:
                raise _damaged(name) from error
            yield tidy(text)
    finally:
        with _PDFIUM:
            pdf.close()


def _page_text(pdf: Any, index: int) -> str:
    page = pdf.get_page(index)
    try:
        text_page = page.get_textpage()
        try:
            return str(text_page.get_text_bounded())
        finally:
            text_page.close()
    finally:
        page.close()


def _page_blocks(
    text: str, page: int, bookmarks: list[Bookmark], outline: Outline
) -> Iterator[Block]:
    """Sections begin at the line that has the bookmark's title, or else at the top of the page."""
    lines = [line.strip() for line in text.split("\n")]
    keys = {_key(line) for line in lines}
    titled: dict[str, Bookmark] = {}
    for bookmark in bookmarks:
        key = _key(bookmark.title)
        if key in keys:
            titled.setdefault(key, bookmark)
        else:
            yield from outline.heading(bookmark.level, bookmark.title, page)
    held: list[str] = []
    for line in lines:
        found = titled.pop(_key(line), None) if titled else None
        if found is None:
            held.append(line)
            continue
        yield from _paragraphs(held, page, outline)
        held = []
        yield from outline.heading(found.level, found.title, page)
    yield from _paragraphs(held, page, outline)


def _key(line: str) -> str:
    return "".join(line.split()).casefold()


def _paragraphs(lines: list[str], page: int, outline: Outline) -> Iterator[Block]:
    widest = max(map(len, lines), default=0)
    paragraph: list[str] = []
    for line in lines:
        if paragraph and (not line or _ends_paragraph(paragraph[-1], line, widest)):
            yield from _block(paragraph, widest, page, outline)
            paragraph = []
        if line:
            paragraph.append(line)
    yield from _block(paragraph, widest, page, outline)


def _ends_paragraph(line: str, following: str, widest: int) -> bool:
    is_short = len(line) < FULL_LINE * widest
    return is_short and bool(_SENTENCE_END.search(line)) and not _LIST_ITEM.match(following)


def _block(lines: list[str], widest: int, page: int, outline: Outline) -> Iterator[Block]:
    if not lines:
        return
    text = lines[0]
    parts = [text]
    for before, line in pairwise(lines):
        goes_on = len(before) >= FULL_LINE * widest and not _LIST_ITEM.match(line)
        if goes_on and _HYPHEN.search(before) and line[:1].islower():
            parts[-1] = parts[-1][:-1]
            parts.append(line)
        elif goes_on and (_is_wide(before[-1]) or _is_wide(line[0])):
            parts.append(line)
        else:
            parts.append((" " if goes_on else "\n") + line)
    text = "".join(parts)
    for start in range(0, len(text), MAX_BLOCK_CHARS):
        yield Block(text[start : start + MAX_BLOCK_CHARS], outline.used(), page)


def _is_wide(char: str) -> bool:
    return char >= "\u2e80"
