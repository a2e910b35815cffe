"""Makes documents for tests: Markdown, text, HTML, PDF, DOCX and Python, in English and Chinese.

Every file is made by code, from a seed, so that no binary file is in the tree and each text that a
test looks for is known.
"""

from __future__ import annotations

import html
import io
import random
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Language = Literal["en", "zh"]
FORMATS = ("md", "txt", "html", "pdf", "docx")

_PARTS: dict[Language, tuple[tuple[str, ...], ...]] = {
    "en": (
        ("The pump", "A turbine", "The storage tank", "The control unit", "Our warehouse"),
        ("is inspected", "is cleaned", "is replaced", "is measured", "is switched off"),
        ("every second week", "before the winter", "after each shift", "on the first of May"),
        ("by the night crew", "by two engineers", "by the supplier", "by the safety officer"),
    ),
    "zh": (
        ("水泵", "汽轮机", "储罐", "控制单元", "我们的仓库"),
        ("每两周", "入冬以前", "每次换班以后", "五月一日"),
        ("由夜班人员", "由两名工程师", "由供应商", "由安全主管"),
        ("检查一次", "清洗一次", "更换一次", "测量一次", "关闭一次"),
    ),
}
_TITLES: dict[Language, tuple[str, ...]] = {
    "en": ("Maintenance", "Safety", "Delivery", "Training", "Spare parts", "Reporting"),
    "zh": ("维护", "安全", "交付", "培训", "备件", "报告"),
}


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    paragraphs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MadeFile:
    """A file and what is in it: `marker` is a word that no other file has."""

    name: str
    data: bytes
    title: str
    sections: tuple[Section, ...]
    marker: str
    language: Language


def made_files(count: int = 200, seed: int = 7) -> Iterator[MadeFile]:
    """Files in five formats and both languages, in turn; the same for the same seed."""
    for number in range(count):
        language: Language = "en" if (number // len(FORMATS)) % 2 == 0 else "zh"
        yield made_file(number, FORMATS[number % len(FORMATS)], language, seed)


def write_folder(folder: Path, count: int = 200, seed: int = 7) -> list[MadeFile]:
    """The files in folders of 20 below `folder`."""
    files = list(made_files(count, seed))
    for number, file in enumerate(files):
        path = folder / f"part-{number // 20:02}" / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)
    return files


def made_file(number: int, ending: str, language: Language, seed: int = 7) -> MadeFile:
    rng = random.Random(f"{seed}:{number}")
    marker = f"QX{number:05}"
    title = f"Manual {marker}" if language == "en" else f"手册 {marker}"
    sections = tuple(_section(rng, language, index, marker) for index in range(rng.randint(2, 4)))
    data = _MAKERS[ending](title, sections)
    name = f"manual-{number:04}.{ending}" if language == "en" else f"手册-{number:04}.{ending}"
    return MadeFile(name, data, title, sections, marker, language)


def _section(rng: random.Random, language: Language, index: int, marker: str) -> Section:
    title = f"{_TITLES[language][index]} {rng.randint(1, 99)}"
    paragraphs = [paragraph(rng, language) for _ in range(rng.randint(1, 3))]
    if index == 0:
        paragraphs[0] += f" Serial number {marker}." if language == "en" else f"编号是{marker}。"
    return Section(title, tuple(paragraphs))


def paragraph(rng: random.Random, language: Language, count: int = 3) -> str:
    parts = _PARTS[language]
    if language == "en":
        return " ".join(" ".join(rng.choice(part) for part in parts) + "." for _ in range(count))
    return "".join("".join(rng.choice(part) for part in parts) + "。" for _ in range(count))


def markdown(title: str, sections: Sequence[Section]) -> bytes:
    parts = [f"# {title}"]
    for section in sections:
        parts += (f"## {section.title}", *section.paragraphs)
    return ("\n\n".join(parts) + "\n").encode()


def plain_text(title: str, sections: Sequence[Section]) -> bytes:
    parts = [title]
    for section in sections:
        parts += (section.title, *section.paragraphs)
    return ("\r\n\r\n".join(parts) + "\r\n").encode()


def html_page(title: str, sections: Sequence[Section]) -> bytes:
    body = "".join(
        f"<h2>{html.escape(section.title)}</h2>"
        + "".join(f"<p>{html.escape(text)}</p>" for text in section.paragraphs)
        for section in sections
    )
    head = f"<head><meta charset=utf-8><title>{html.escape(title)}</title></head>"
    page = f"<!doctype html><html>{head}<body><h1>{html.escape(title)}</h1>{body}</body></html>"
    return page.encode()


_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_RELS = (
    f'{_XML}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
    'relationships/officeDocument" Target="word/document.xml"/></Relationships>'
)
_STYLES = (
    f'{_XML}<w:styles {_W}><w:style w:type="paragraph" w:styleId="1"><w:name w:val="heading 1"/>'
    '</w:style><w:style w:type="paragraph" w:styleId="2"><w:name w:val="heading 2"/>'
    '</w:style><w:style w:type="paragraph" w:styleId="Mine"><w:basedOn w:val="2"/></w:style>'
    "</w:styles>"
)


def docx(title: str, sections: Sequence[Section]) -> bytes:
    body = [docx_paragraph(title, "1")]
    for section in sections:
        body.append(docx_paragraph(section.title, "2"))
        body += map(docx_paragraph, section.paragraphs)
    return docx_package("".join(body))


def docx_paragraph(text: str, style: str = "") -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    run = f'<w:r><w:t xml:space="preserve">{html.escape(text)}</w:t></w:r>'
    return f"<w:p>{properties}{run}</w:p>"


def docx_package(body: str, others: Iterable[tuple[str, str]] = (), before: str = "") -> bytes:
    """A DOCX file with this text; `others` are files of the package, `before` a document type."""
    document = f"{_XML}{before}<w:document {_W}><w:body>{body}</w:body></w:document>"
    files = {"_rels/.rels": _RELS, "word/document.xml": document, "word/styles.xml": _STYLES}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as package:
        for name, text in {**files, **dict(others)}.items():
            package.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def pdf(title: str, sections: Sequence[Section]) -> bytes:
    """A page for each section, with a bookmark."""
    pages = [[section.title, *section.paragraphs] for section in sections]
    return pdf_file(pages, title, [section.title for section in sections])


def pdf_file(
    pages: Sequence[Sequence[str]],
    title: str = "",
    bookmarks: Sequence[str] = (),
    trailer: str = "",
    width: int = 80,
) -> bytes:
    """Written by hand: each text is folded into lines of `width` characters. Chinese is set in a
    font that every reader of PDF knows, without a font in the file."""
    return _PdfWriter(trailer).written(pages, title, bookmarks, width)


class _PdfWriter:
    def __init__(self, trailer: str) -> None:
        self._objects: list[bytes] = []
        self._trailer = trailer

    def written(
        self,
        pages: Sequence[Sequence[str]],
        title: str,
        bookmarks: Sequence[str],
        width: int,
    ) -> bytes:
        # 1 catalogue, 2 pages, 3 and 4 fonts, 5 information, 6 outline, then pages, then bookmarks
        first = 7
        kids = " ".join(f"{first + 2 * number} 0 R" for number in range(len(pages)))
        self._add("<</Type/Catalog/Pages 2 0 R/Outlines 6 0 R>>")
        self._add(f"<</Type/Pages/Count {len(pages)}/Kids[{kids}]>>")
        self._add(
            "<</Type/Font/Subtype/Type0/BaseFont/STSong-Light/Encoding/UniGB-UTF16-H"
            "/DescendantFonts[4 0 R]>>"
        )
        self._add(
            "<</Type/Font/Subtype/CIDFontType0/BaseFont/STSong-Light/CIDSystemInfo"
            "<</Registry(Adobe)/Ordering(GB1)/Supplement 4>>/DW 1000>>"
        )
        self._add(f"<</Title <{_hex(title, bom=True)}>>>")
        marks = first + 2 * len(pages)
        last = marks + len(bookmarks) - 1
        ends = f"/First {marks} 0 R/Last {last} 0 R/Count {len(bookmarks)}" if bookmarks else ""
        self._add(f"<</Type/Outlines{ends}>>")
        for number, texts in enumerate(pages):
            self._page(first + 2 * number, texts, width)
        for number, bookmark in enumerate(bookmarks):
            following = f"/Next {marks + number + 1} 0 R" if number + 1 < len(bookmarks) else ""
            target = f"/Dest[{first + 2 * number} 0 R/Fit]"
            self._add(f"<</Title <{_hex(bookmark, bom=True)}>/Parent 6 0 R{target}{following}>>")
        return self._file()

    def _page(self, number: int, texts: Sequence[str], width: int) -> None:
        fonts = "/Resources<</Font<</F 3 0 R>>>>"
        size = "/MediaBox[0 0 1200 800]"
        self._add(f"<</Type/Page/Parent 2 0 R{size}{fonts}/Contents {number + 1} 0 R>>")
        lines = [line for text in texts for line in _folded(text, width)]
        shown = "".join(f"<{_hex(line)}> Tj T*\n" for line in lines)
        stream = f"BT /F 10 Tf 12 TL 20 780 Td\n{shown}ET" if lines else ""
        self._add(f"<</Length {len(stream)}>>stream\n{stream}\nendstream")

    def _add(self, body: str) -> None:
        self._objects.append(body.encode("ascii"))

    def _file(self) -> bytes:
        out = io.BytesIO()
        out.write(b"%PDF-1.7\n")
        offsets = []
        for number, body in enumerate(self._objects, 1):
            offsets.append(out.tell())
            out.write(b"%d 0 obj\n%b\nendobj\n" % (number, body))
        start = out.tell()
        size = len(offsets) + 1
        out.write(b"xref\n0 %d\n0000000000 65535 f \n" % size)
        out.write(b"".join(b"%010d 00000 n \n" % offset for offset in offsets))
        trailer = f"trailer<</Size {size}/Root 1 0 R/Info 5 0 R{self._trailer}>>"
        out.write(f"{trailer}\nstartxref\n{start}\n%%EOF\n".encode("ascii"))
        return out.getvalue()


def _hex(text: str, bom: bool = False) -> str:
    return (("\ufeff" if bom else "") + text).encode("utf-16-be").hex()


def _folded(text: str, width: int) -> Iterator[str]:
    """English at words, Chinese anywhere."""
    while len(text) > width:
        cut = text.rfind(" ", 0, width) if " " in text[:width] else width
        yield text[:cut]
        text = text[cut:].lstrip()
    yield text


# A password that is not given: the values are of no password that anybody tries.
ENCRYPTED = (
    f"/Encrypt<</Filter/Standard/V 1/R 2/O<{'5a' * 32}>/U<{'a5' * 32}>/P -44>>/ID[<{'00' * 16}>"
    f"<{'00' * 16}>]"
)

_MAKERS = {"md": markdown, "txt": plain_text, "html": html_page, "pdf": pdf, "docx": docx}
