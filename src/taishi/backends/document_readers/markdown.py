"""Reads Markdown with markdown-it-py: headings are sections, inline markup becomes plain text.

A long file is parsed in segments of whole blocks, since the parser holds all it has parsed. Blocks
that come from a broken or hostile text and have no end are taken as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from ...errors import MissingExtraError
from ...ports.documents import Block, BlockKind, Document
from .limits import MAX_BLOCK_CHARS
from .outline import Outline
from .text_decoding import decoded

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

SEGMENT = 200_000
# The inline parser takes more than linear time; what is longer keeps its markup.
MAX_INLINE = 10_000
MAX_BRACKETS = 100
MAX_LINE = 50_000

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.{0,8000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title:[ \t]*(.{1,300})$", re.MULTILINE)
_HIDDEN_HTML = re.compile(
    r"<(script|style|iframe|template|noscript)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_TAG = re.compile(r"<[^<>]*>")
# The parser drops what is nested deeper than it follows: such lines are made shallow before.
_MANY_MARKS = re.compile(r"^(?:[ \t]*+(?:>|[*+-][ \t]|\d{1,9}[.)][ \t])){20,}+", re.MULTILINE)
_DEEP_INDENT = re.compile(r"^[ \t]{80,}+", re.MULTILINE)
MAX_LEVELS = 100


def read(name: str, data: bytes) -> Document:
    parser = _parser()
    segments = _segments(decoded(name, data))
    first = next(segments, "")
    front = _FRONT_MATTER.match(first)
    blocks = _Blocks(parser)
    body = first[front.end() :] if front else first
    title = _title(parser, front[1] if front else "", body) or PurePath(name).name
    texts = _read(blocks, front[1] if front else "", body, segments)
    return Document(title, "text/markdown", texts)


def _read(blocks: _Blocks, front: str, first: str, segments: Iterator[str]) -> Iterator[Block]:
    if front.strip():
        yield Block(front)
    yield from blocks.of(first)
    for segment in segments:
        yield from blocks.of(segment)
    yield from blocks.outline.end()


def _parser() -> MarkdownIt:
    try:
        from markdown_it import MarkdownIt
    except ImportError as error:
        raise MissingExtraError("Reading Markdown", "documents") from error
    # Inline text is parsed where it is needed, and links and references are not looked up.
    parser = MarkdownIt("commonmark", {"maxNesting": MAX_LEVELS})
    return parser.enable("table").disable("inline")


def _title(parser: MarkdownIt, front: str, text: str) -> str:
    if found := _FRONT_TITLE.search(front):
        return found[1].strip().strip("\"'")
    tokens = parser.parse(text)
    for token, inline in pairwise(tokens):
        if token.type == "heading_open" and token.tag == "h1":
            return _plain(parser, inline.content).replace("\n", " ")[:200]
    return ""


def _segments(texts: Iterator[str]) -> Iterator[str]:
    """The text in pieces that end before a heading or a blank line, outside of fenced code."""
    held: list[str] = []
    size = 0
    fence = ""
    for line in _lines(texts):
        boundary = not fence and (_HEADING.match(line) or (size > 2 * SEGMENT and not line.strip()))
        if size > SEGMENT and (boundary or size > 10 * SEGMENT):
            yield "".join(held)
            held, size = [], 0
        fence = _fence_after(fence, line)
        held.append(line)
        size += len(line)
    yield "".join(held)


def _lines(texts: Iterator[str]) -> Iterator[str]:
    """Lines with their line feed; one without an end in several parts."""
    rest: list[str] = []
    size = 0
    for text in texts:
        for line in text.splitlines(keepends=True):
            for start in range(0, len(line), MAX_LINE):
                rest.append(line[start : start + MAX_LINE])
                size += len(rest[-1])
                if size >= MAX_LINE or rest[-1].endswith("\n"):
                    joined = "".join(rest)
                    yield joined if joined.endswith("\n") else joined + "\n"
                    rest, size = [], 0
    if rest:
        yield "".join(rest)


def _fence_after(fence: str, line: str) -> str:
    """The marks of the fenced code that the next line is in; "" outside."""
    match = _FENCE.match(line)
    if match is None:
        return fence
    marks = match[1]
    if not fence:
        return marks
    closes = marks[0] == fence[0] and len(marks) >= len(fence) and not line[match.end() :].strip()
    return "" if closes else fence


class _Blocks:
    """The blocks of one segment after the other, under the headings so far."""

    def __init__(self, parser: MarkdownIt) -> None:
        self._parser = parser
        self.outline = Outline()

    def of(self, segment: str) -> Iterator[Block]:
        shallow = _DEEP_INDENT.sub(" " * 80, _MANY_MARKS.sub("> ", segment))
        tokens = self._parser.parse(shallow)
        at = 0
        while at < len(tokens):
            token = tokens[at]
            end = _closing(tokens, at)
            yield from self._block(token, tokens[at : end + 1])
            at = end + 1

    def _block(self, token: Token, tokens: list[Token]) -> Iterator[Block]:
        kind: BlockKind = "text"
        if token.type == "heading_open":
            yield from self.outline.heading(int(token.tag[1]), self._inline(tokens[1]))
            return
        if token.type in ("fence", "code_block"):
            kind, text = "code", token.content.strip("\n")
        elif token.type == "html_block":
            text = _TAG.sub(" ", _HIDDEN_HTML.sub(" ", token.content)).strip()
        elif token.type == "table_open":
            kind, text = "table", "\n".join(self._rows(tokens))
        elif token.type in ("bullet_list_open", "ordered_list_open"):
            kind, text = "list", "\n".join(self._items(tokens))
        else:
            text = "\n\n".join(self._leaves(tokens))
        for start in range(0, len(text), MAX_BLOCK_CHARS):
            part = text[start : start + MAX_BLOCK_CHARS]
            if part.strip():
                yield Block(part, self.outline.used(), kind=kind)

    def _rows(self, tokens: list[Token]) -> Iterator[str]:
        cells: list[str] = []
        for token in tokens:
            if token.type == "inline":
                cells.append(self._inline(token).replace("\n", " "))
            elif token.type == "tr_close":
                yield " | ".join(cells)
                cells = []

    def _items(self, tokens: list[Token]) -> Iterator[str]:
        """A line for each item, indented by its depth; numbers as they were written."""
        depth, mark = -1, ""
        for token in tokens:
            if token.type in ("bullet_list_open", "ordered_list_open"):
                depth += 1
            elif token.type in ("bullet_list_close", "ordered_list_close"):
                depth -= 1
            elif token.type == "list_item_open":
                mark = f"{token.info}{token.markup} " if token.info else "- "
            elif text := self._leaf(token):
                indent = "  " * min(depth, 8)
                lines = text.split("\n")
                yield f"{indent}{mark}{lines[0]}"
                for line in lines[1:]:
                    yield f"{indent}  {line}"
                mark = "  "

    def _leaves(self, tokens: list[Token]) -> Iterator[str]:
        return (text for token in tokens if (text := self._leaf(token)))

    def _leaf(self, token: Token) -> str:
        if token.type == "inline":
            return self._inline(token)
        return token.content.strip("\n") if token.type in ("fence", "code_block") else ""

    def _inline(self, token: Token) -> str:
        return _plain(self._parser, token.content)


def _closing(tokens: list[Token], at: int) -> int:
    """Where the token that closes this one is."""
    depth = 0
    for end in range(at, len(tokens)):
        depth += tokens[end].nesting
        if depth <= 0:
            return end
    return len(tokens) - 1


def _plain(parser: MarkdownIt, content: str) -> str:
    if len(content) > MAX_INLINE or content.count("[") > MAX_BRACKETS:
        return content
    if not any(mark in content for mark in "*_`[<&\\!~"):
        return content
    tokens: list[Any] = []
    parser.inline.parse(content, parser, {}, tokens)
    return "".join(_inline_text(tokens))


def _inline_text(tokens: list[Any]) -> Iterator[str]:
    for token in tokens:
        if token.type in ("softbreak", "hardbreak"):
            yield "\n"
        elif token.type == "image":
            yield from _inline_text(token.children or [])
        elif token.type == "html_inline":
            yield "\n" if token.content.lower().startswith("<br") else ""
        else:
            yield token.content
