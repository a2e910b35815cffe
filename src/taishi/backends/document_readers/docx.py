"""Reads DOCX: headings are sections, lists and tables are kept, linked files are not looked at.

A DOCX file is a ZIP of XML. Its text is read with the standard library's expat as a stream, so that
memory stays small and the size of a tree is no question. Such XML has no document type; one that
has is refused, which leaves no entity to expand and nothing to fetch.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import PurePath
from typing import NamedTuple
from xml.parsers import expat

from ...errors import DocumentError
from ...language.text import one_line
from ...ports.documents import Block, Document
from .docx_body import Body, small_number
from .limits import MAX_TITLE_CHARS
from .outline import first_title
from .zip_guard import checked_member, opened_zip

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
SLICE = 1 << 16
MAX_STYLES_BYTES = 20_000_000

_HEADING_NAME = re.compile(r"heading ([1-9])$|标题 ([1-9])$", re.IGNORECASE)

Start = Callable[[str, dict[str, str]], None]
End = Callable[[str], None]


class Style(NamedTuple):
    level: int | None
    based_on: str


def read(name: str, data: bytes) -> Document:
    archive = opened_zip(name, data)
    part = main_part(archive, name)
    if part is None:
        raise DocumentError(
            f"{name!r:.120} is a ZIP file, but no Word document. "
            "Unpack it, or save it as DOCX or PDF."
        )
    levels = _heading_levels(archive, name, part)
    heading, blocks = first_title(_blocks(archive, name, part, levels))
    title = _title(archive, name) or heading or PurePath(name).name
    return Document(title, MEDIA_TYPE, blocks)


def main_part(archive: zipfile.ZipFile, name: str) -> str | None:
    """The file inside that has the text: the package says which it is."""
    found = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag == "Relationship" and attributes.get("Type", "").endswith("/officeDocument"):
            found.append(attributes.get("Target", "").lstrip("/"))

    _parse(archive, name, "_rels/.rels", start, lambda tag: None)
    for part in (*found[:1], "word/document.xml"):
        if part.startswith("word/") and checked_member(archive, name, part) is not None:
            return part
    return None


def _blocks(
    archive: zipfile.ZipFile, name: str, part: str, levels: dict[str, int]
) -> Iterator[Block]:
    body = Body(levels)
    events = _events(archive, name, part, body.start, body.end, body.text)
    for _ in events:
        yield from body.take()
    body.finish()
    yield from body.take()


def _title(archive: zipfile.ZipFile, name: str) -> str:
    titles: list[str] = []
    inside = [False]

    def start(tag: str, attributes: dict[str, str]) -> None:
        inside[0] = tag == "title"

    def text(data: str) -> None:
        if inside[0]:
            titles.append(data)

    _parse(
        archive, name, "docProps/core.xml", start, lambda tag: inside.__setitem__(0, False), text
    )
    return one_line("".join(titles)[: 2 * MAX_TITLE_CHARS], MAX_TITLE_CHARS)


def _heading_levels(archive: zipfile.ZipFile, name: str, part: str) -> dict[str, int]:
    """The level of each paragraph style that is a heading, by its id."""
    styles: dict[str, Style] = {}
    current = [""]

    def start(tag: str, attributes: dict[str, str]) -> None:
        value = attributes.get("val", "")
        if tag == "style":
            current[0] = attributes.get("styleId", "")
            styles[current[0]] = Style(None, "")
        elif current[0] in styles:
            styles[current[0]] = _with(styles[current[0]], tag, value)

    _parse(archive, name, part.rpartition("/")[0] + "/styles.xml", start, lambda tag: None)
    return {key: level for key in styles if (level := _level(styles, key)) is not None}


def _with(style: Style, tag: str, value: str) -> Style:
    if tag == "basedOn":
        return style._replace(based_on=value)
    if tag == "outlineLvl":
        depth = small_number(value)
        return style._replace(level=depth + 1) if depth is not None and depth < 9 else style
    if tag == "name" and (match := _HEADING_NAME.match(value)):
        return style._replace(level=int(match[1] or match[2]))
    return style._replace(level=0) if tag == "name" and value.lower() == "title" else style


def _level(styles: dict[str, Style], key: str) -> int | None:
    for _ in range(20):  # a style that is based on itself
        style = styles.get(key)
        if style is None or style.level is not None:
            return style.level if style else None
        key = style.based_on
    return None


def _parse(
    archive: zipfile.ZipFile,
    name: str,
    part: str,
    start: Start,
    end: End,
    text: Callable[[str], None] | None = None,
) -> None:
    info = checked_member(archive, name, part)
    if info is not None and info.file_size <= MAX_STYLES_BYTES:
        for _ in _events(archive, name, part, start, end, text or (lambda data: None)):
            pass


def _events(
    archive: zipfile.ZipFile,
    name: str,
    part: str,
    start: Start,
    end: End,
    text: Callable[[str], None],
) -> Iterator[None]:
    """Calls the handlers with local names, and stops after each slice of the file."""
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = lambda tag, attributes: start(
        _local(tag), {_local(key): value for key, value in attributes.items()}
    )
    parser.EndElementHandler = lambda tag: end(_local(tag))
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = lambda *_: _refuse_doctype(name)
    try:
        with archive.open(part) as stream:
            while data := stream.read(SLICE):
                parser.Parse(data, False)
                yield
            parser.Parse(b"", True)
            yield
    except DocumentError:
        raise
    except Exception as error:  # zipfile raises a dozen kinds for damaged files
        raise DocumentError(
            f"{name!r:.120} is a damaged DOCX file ({part}). Open it in Word and save it again."
        ) from error


def _local(tag: str) -> str:
    return tag.rpartition(" ")[2]


def _refuse_doctype(name: str) -> None:
    raise DocumentError(
        f"{name!r:.120} declares a document type in its XML, which no Word document does; not read."
    )
