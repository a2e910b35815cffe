"""Reads plain text: paragraphs between blank lines, in bounded memory; CSV as a table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath

from ...ports.documents import Block, BlockKind, Document
from .limits import MAX_BLOCK_CHARS
from .text_decoding import decoded

TABLES = {".csv": "text/csv", ".tsv": "text/tab-separated-values"}

_BLANK_LINES = re.compile(r"\n[ \t]*+(?:\n[ \t]*+)++")


def read(name: str, data: bytes) -> Document:
    ending = PurePath(name).suffix.lower()
    texts = decoded(name, data)
    if ending in TABLES:
        return Document(PurePath(name).name, TABLES[ending], _table(texts))
    return Document(PurePath(name).name, "text/plain", _blocks(texts))


def paragraphs(texts: Iterator[str]) -> Iterator[str]:
    """What stands between blank lines; one that is very long in several parts."""
    rest = ""
    for text in texts:
        rest += text
        *whole, rest = _BLANK_LINES.split(rest)
        for paragraph in whole:
            yield from _bounded(paragraph)
        while len(rest) > 2 * MAX_BLOCK_CHARS:
            cut = _cut(rest)
            yield rest[:cut]
            rest = rest[cut:]
    yield from _bounded(rest)


def _bounded(paragraph: str) -> Iterator[str]:
    while len(paragraph) > MAX_BLOCK_CHARS:
        cut = _cut(paragraph)
        yield paragraph[:cut]
        paragraph = paragraph[cut:]
    if paragraph.strip():
        yield paragraph


def _cut(text: str) -> int:
    """At the end of a line, or else of a word, in the second half of a block's length."""
    half = MAX_BLOCK_CHARS // 2
    for marks in ("\n", "。.!?！？", " \t，、"):
        found = max(text.rfind(mark, half, MAX_BLOCK_CHARS) for mark in marks)
        if found > 0:
            return found + 1
    return MAX_BLOCK_CHARS


def _blocks(texts: Iterator[str], kind: BlockKind = "text") -> Iterator[Block]:
    for paragraph in paragraphs(texts):
        yield Block(paragraph.strip("\n"), kind=kind)


def _table(texts: Iterator[str]) -> Iterator[Block]:
    """Every block begins with the header row."""
    header = ""
    for paragraph in paragraphs(texts):
        rows = paragraph.strip("\n")
        if header:
            yield Block(f"{header}\n{rows}", kind="table")
        else:
            header = rows.partition("\n")[0][:2_000]
            yield Block(rows, kind="table")
