"""Reads Markdown and plain text, until the readers of documents are there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..errors import DocumentError
from ..ports import Block, Document

_TITLE = re.compile(r"(#{1,6}) +(.+)")


class TextReader:
    def read(self, name: str, data: bytes) -> Document:
        try:
            text = data.decode()
        except UnicodeDecodeError:
            raise DocumentError(f"{name!a:.80} is not text in UTF-8; save it as UTF-8") from None
        if not text.strip():
            raise DocumentError(f"{name!a:.80} is empty")
        blocks = list(_blocks(text))
        title = next((one.section[0] for one in blocks if one.section), "")
        return Document(
            title, "text/markdown" if name.endswith(".md") else "text/plain", iter(blocks)
        )


def _blocks(text: str) -> Iterator[Block]:
    section: list[tuple[int, str]] = []
    for part in re.split(r"\n\s*\n", text):
        if match := _TITLE.match(part.strip()):
            level = len(match[1])
            section = [one for one in section if one[0] < level] + [(level, match[2])]
            part = part.strip()[match.end() :]
        if part.strip():
            yield Block(part.strip(), tuple(title for _, title in section))
