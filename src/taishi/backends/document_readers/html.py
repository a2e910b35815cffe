"""Reads HTML with selectolax: what a browser shows, under the headings it stands below.

Scripts, styles and frames are dropped, links and images are never fetched; of an image its
alternative text is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from ...errors import DocumentError, MissingExtraError
from ...language.text import one_line
from ...ports.documents import Block, BlockKind, Document
from .limits import MAX_BLOCK_CHARS, MAX_HTML_BYTES, MAX_NESTING, MAX_TITLE_CHARS
from .outline import Outline, first_title
from .text_decoding import decoded, tidy

DROPPED = frozenset(
    "script style template noscript iframe frame object embed applet svg math canvas audio video "
    "head select datalist".split()
)
BREAKS = frozenset(
    "address article aside blockquote body center dd details dialog div dl dt fieldset figcaption "
    "figure footer form header hr html legend main menu nav p section summary tbody tfoot thead "
    "caption option".split()
)
LISTS = frozenset(("ul", "ol", "dir"))
HEADINGS = {f"h{level}": level for level in range(1, 7)}

# What pages declare besides UTF-8, and the decoder that reads it.
CHARSETS = {
    "gb2312": "gb18030", "gbk": "gb18030", "gb18030": "gb18030", "big5": "big5hkscs",
    "shift_jis": "cp932", "euc-jp": "euc_jp", "iso-2022-jp": "iso2022_jp", "euc-kr": "cp949",
    "iso-8859-1": "cp1252", "iso-8859-2": "iso8859_2", "iso-8859-15": "iso8859_15",
    "windows-1250": "cp1250", "windows-1251": "cp1251", "windows-1252": "cp1252",
    "koi8-r": "koi8_r",
}  # fmt: skip
MOST_OF_ONE_NAME = 20
LONGEST_IMAGE_TAG = 5_000

_META_CHARSET = re.compile(rb"<meta[^<>]{0,200}charset\s*=\s*[\"']?\s*([A-Za-z0-9_-]{2,20})", re.I)
_TAG = re.compile(
    r"<(/?)([A-Za-z][^\s/>]{0,60}+)"
    r"(?:[\s/]++|=?[^\s/>=]++(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>]*+))?+|=)*+>"
)
_SPACE = re.compile(r"\s+")
_CLOSE_BY_THEMSELVES = frozenset(
    "area base br col embed hr img input link meta source track wbr p li dd dt tr td th option "
    "tbody thead tfoot".split()
)


def read(name: str, data: bytes) -> Document:
    if len(data) > MAX_HTML_BYTES:
        raise DocumentError(
            f"{name!r:.120} has {len(data):,} bytes of HTML; the most is {MAX_HTML_BYTES:,}. "
            "Split it, or save it as plain text."
        )
    try:
        from selectolax.lexbor import LexborHTMLParser
    except ImportError as error:
        raise MissingExtraError("Reading HTML", "documents") from error
    tree = LexborHTMLParser(_Tags().simplified(_text(name, data)))
    node = tree.css_first("title")
    title = one_line(tidy(node.text(deep=True)), MAX_TITLE_CHARS) if node else ""
    heading, blocks = first_title(_Reader().blocks(tree))
    return Document(title or heading or PurePath(name).name, "text/html", blocks)


def _text(name: str, data: bytes) -> str:
    """The declared encoding counts if it is none that the bytes tell by themselves."""
    declared = _META_CHARSET.search(data[:4096])
    charset = CHARSETS.get(declared[1].decode("ascii").lower()) if declared else None
    if charset:
        try:
            return tidy(data.decode(charset))
        except UnicodeDecodeError:
            pass
    return "".join(decoded(name, data))


class _Tags:
    """Rewrites the tags of a page, so that no page takes the parser more than linear time."""

    def __init__(self) -> None:
        self._open: dict[str, int] = {}
        self._deepest: dict[str, int] = {}

    def simplified(self, text: str) -> str:
        """Without attributes, which are compared with each other and not needed; and without tags
        that are nested deeper than on any page that people read, as each level takes time."""
        text = _TAG.sub(self._bare, text)
        if sum(self._deepest.values()) <= MAX_NESTING:
            return text
        known = BREAKS | LISTS | DROPPED | HEADINGS.keys() | {"table", "pre", "a", "b", "i", "span"}
        few = {name for name, depth in self._deepest.items() if depth <= MOST_OF_ONE_NAME}
        keep = (few & known) | _CLOSE_BY_THEMSELVES
        return _TAG.sub(lambda match: match[0] if match[2].lower() in keep else "\n", text)

    def _bare(self, match: re.Match[str]) -> str:
        name = match[2].lower()
        whole = match[0]
        if name == "img" and len(whole) <= LONGEST_IMAGE_TAG:
            return whole
        if whole.endswith("/>"):
            return f"<{name}/>"
        if name not in _CLOSE_BY_THEMSELVES:
            depth = max(0, self._open.get(name, 0) + (-1 if match[1] else 1))
            self._open[name] = depth
            if depth > self._deepest.get(name, 0):
                self._deepest[name] = depth
        return f"<{match[1]}{name}>"


class _Reader:
    """Walks the tree once, in order, and keeps the text since the last break."""

    def __init__(self) -> None:
        self._outline = Outline()
        self._text: list[str] = []
        self._size = 0
        self._kind: BlockKind = "text"
        self._list_depth = 0
        self._tables = 0
        self._pre = 0

    def blocks(self, tree: Any) -> Iterator[Block]:
        root = tree.body or tree.root
        if root is None:
            return
        for event, node in _walk(root):
            if event == "text":
                yield from self._add(node)
            elif event == "open":
                yield from self._open(node.tag, node)
            else:
                yield from self._close(node.tag)
        yield from self._flush()
        yield from self._outline.end()

    def _add(self, node: Any) -> Iterator[Block]:
        text = node.text_content or ""
        self._text.append(text if self._pre else _SPACE.sub(" ", text))
        self._size += len(self._text[-1])
        if self._size > MAX_BLOCK_CHARS:
            yield from self._flush()

    def _open(self, tag: str, node: Any) -> Iterator[Block]:
        if tag == "br":
            self._text.append("\n")
        elif tag == "img":
            self._text.append(f" {one_line(tidy(node.attributes.get('alt') or ''), 500)} ")
        elif tag in HEADINGS:
            # A table with headings lays the page out: what is in it is no row.
            self._tables = 0
            yield from self._flush()
        elif tag == "pre":
            yield from self._flush()
            self._pre, self._kind = 1, "code"
        elif tag in LISTS:
            if not self._list_depth and not self._tables:
                yield from self._flush()
            self._list_depth += 1
        elif tag == "li":
            self._text.append("\n" + "  " * min(self._list_depth - 1, 8) + "- ")
        elif tag == "table":
            yield from self._flush()
            self._tables = 0 if self._tables else 1
        elif tag in BREAKS:
            yield from self._break()

    def _close(self, tag: str) -> Iterator[Block]:
        if tag in HEADINGS:
            title = "".join(self._text)
            self._text, self._size = [], 0
            yield from self._outline.heading(HEADINGS[tag], tidy(title))
        elif tag == "pre":
            yield from self._flush()
            self._pre, self._kind = 0, "text"
        elif tag in LISTS:
            self._list_depth = max(0, self._list_depth - 1)
            if not self._list_depth and not self._tables:
                yield from self._flush("list")
        elif tag in ("td", "th"):
            self._text.append(" | " if self._tables else "\n")
        elif tag == "tr":
            self._text.append("\n")
        elif tag == "table":
            kind: BlockKind = "table" if self._tables else "text"
            self._tables = 0
            yield from self._flush(kind)
        elif tag in BREAKS:
            yield from self._break()

    def _break(self) -> Iterator[Block]:
        if self._list_depth or self._tables:
            self._text.append(" ")
        elif not self._pre:
            yield from self._flush()

    def _flush(self, kind: BlockKind | None = None) -> Iterator[Block]:
        text = tidy("".join(self._text))
        self._text, self._size = [], 0
        kind = kind or self._kind
        if kind != "code":
            text = "\n".join(_lines(text, kind))
        if text.strip():
            yield Block(text.strip("\n"), self._outline.used(), kind=kind)


def _lines(text: str, kind: BlockKind) -> Iterator[str]:
    for line in text.split("\n"):
        if kind == "table":
            line = " | ".join(one_line(cell) for cell in line.split(" | ")).rstrip(" |")
        else:
            indent = len(line) - len(line.lstrip(" ")) if line.lstrip().startswith("- ") else 0
            line = " " * indent + one_line(line)
        if line.strip() and line.strip() != "-":
            yield line


def _walk(root: Any) -> Iterator[tuple[str, Any]]:
    """Every element when it opens and when it closes, and texts; no recursion."""
    node, is_open = root, True
    while True:
        if is_open and node.tag == "-text":
            yield "text", node
        elif is_open and node.tag not in DROPPED and node.tag[0] != "-" and node.tag[0] != "_":
            yield "open", node
            if node.child is not None:
                node = node.child
                continue
            yield "close", node
        if node.mem_id == root.mem_id:
            return
        if node.next is not None:
            node, is_open = node.next, True
            continue
        parent = node.parent
        yield "close", parent
        node, is_open = parent, False
