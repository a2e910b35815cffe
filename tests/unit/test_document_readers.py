"""K1: each format becomes blocks under their headings; the content tells the format."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import pytest

from support.document_factory import (
    FORMATS,
    MadeFile,
    docx_package,
    docx_paragraph,
    made_file,
    made_files,
    pdf_file,
)
from taishi.backends.document_readers import Readers
from taishi.backends.document_readers.code import LANGUAGES
from taishi.errors import MissingExtraError
from taishi.ports.documents import Block, Document

MARKDOWN = """---
title: "The manual"
---
# Pumps

Read **this** first, [or not](https://example.org/x), `run()` it.
It goes on.

## Install

1. unpack
2. mount
   - with *two* screws

| part | price |
|------|------:|
| pump | 7 |

```sh
# no heading
make all
```

Setext
------

> quoted text

## Nothing here

<script>steal()</script>
<p align="center">Shown</p>
"""

HTML = """<!doctype html><html><head><title>Pumps &amp; more</title><style>p{}</style></head><body>
<h1>Pumps</h1><p>One <b>bold</b>
word<br>line two</p><ul><li>first<li>second<ul><li>inner</ul></ul>
<h2>Prices</h2><table><tr><th>part<th>price</tr><tr><td>pump<td><p>7</p></tr></table>
<pre>x = 1
  y</pre><p>Picture: <img alt="a red pump"></p></body></html>"""


def read(name: str, data: bytes | str) -> tuple[Document, list[Block]]:
    document = Readers().read(name, data.encode() if isinstance(data, str) else data)
    return document, list(document.blocks)


def shown(blocks: Sequence[Block]) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(block.kind, block.text, block.section) for block in blocks]


def test_K1_markdown_has_sections_lists_tables_and_code() -> None:
    document, blocks = read("a.md", MARKDOWN)
    assert (document.title, document.media_type) == ("The manual", "text/markdown")
    assert shown(blocks) == [
        ("text", 'title: "The manual"', ()),
        ("text", "Read this first, or not, run() it.\nIt goes on.", ("Pumps",)),
        ("list", "1. unpack\n2. mount\n  - with two screws", ("Pumps", "Install")),
        ("table", "part | price\npump | 7", ("Pumps", "Install")),
        ("code", "# no heading\nmake all", ("Pumps", "Install")),
        ("text", "quoted text", ("Pumps", "Setext")),
        ("text", "Shown", ("Pumps", "Nothing here")),
    ]


def test_K1_a_heading_with_nothing_under_it_is_found_too() -> None:
    _, blocks = read("a.md", "# A\n\n## B\n\n## C\n\ntext\n\n## D\n")
    assert [(block.text, block.section) for block in blocks] == [
        ("B", ("A", "B")),
        ("text", ("A", "C")),
        ("D", ("A", "D")),
    ]


def test_K1_long_markdown_is_read_in_segments_without_loss() -> None:
    parts = [
        f"## Part {number}\n\nText {number}.\n\n```\n# code {number}\n\n```\n"
        for number in range(6_000)
    ]
    _, blocks = read("a.md", "# All\n\n" + "\n".join(parts))
    assert len(blocks) == 2 * 6_000
    assert blocks[-2] == Block("Text 5999.", ("All", "Part 5999"))
    assert blocks[-1] == Block("# code 5999", ("All", "Part 5999"), kind="code")


def test_K1_html_is_what_a_browser_shows() -> None:
    document, blocks = read("a.html", HTML)
    assert (document.title, document.media_type) == ("Pumps & more", "text/html")
    assert shown(blocks) == [
        ("text", "One bold word\nline two", ("Pumps",)),
        ("list", "- first\n- second\n  - inner", ("Pumps",)),
        ("table", "part | price\npump | 7", ("Pumps", "Prices")),
        ("code", "x = 1\n  y", ("Pumps", "Prices")),
        ("text", "Picture: a red pump", ("Pumps", "Prices")),
    ]


def test_K1_a_table_that_lays_out_a_page_is_no_table() -> None:
    page = "<html><table><tr><td><h1>Top</h1><p>Text.</p><table><tr><td>a<td>b</table></table>"
    _, blocks = read("a.html", page)
    assert blocks[0] == Block("Text.", ("Top",))


def test_K1_html_in_a_declared_encoding() -> None:
    page = '<html><meta charset="gb2312"><title>手册</title><p>水泵</p>'.encode("gb2312")
    document, blocks = read("a.html", page)
    assert (document.title, blocks[0].text) == ("手册", "水泵")


def test_K1_docx_has_sections_lists_and_tables() -> None:
    item = (
        '<w:p><w:pPr><w:numPr><w:ilvl w:val="{}"/></w:numPr></w:pPr><w:r><w:t>{}</w:t></w:r></w:p>'
    )
    cell = "<w:tc>{}</w:tc>"
    row = (
        "<w:tr>" + cell.format(docx_paragraph("{}")) + cell.format(docx_paragraph("{}")) + "</w:tr>"
    )
    body = (
        docx_paragraph("Pumps", "1")
        + docx_paragraph("First & second.")
        + docx_paragraph("Prices", "Mine")
        + item.format(0, "one")
        + item.format(1, "two")
        + f"<w:tbl>{row.format('part', 'price')}{row.format('pump', '7')}</w:tbl>"
        + "<w:p><w:del><w:r><w:t>gone</w:t></w:r></w:del><w:ins><w:r><w:t>added</w:t></w:r></w:ins>"
        "<w:r><w:instrText>PAGE</w:instrText><w:tab/><w:t>end</w:t></w:r></w:p>"
    )
    document, blocks = read("a.docx", docx_package(body))
    assert document.title == "Pumps"
    assert shown(blocks) == [
        ("text", "First & second.", ("Pumps",)),
        ("list", "- one\n  - two", ("Pumps", "Prices")),
        ("table", "part | price\npump | 7", ("Pumps", "Prices")),
        ("text", "added\tend", ("Pumps", "Prices")),
    ]


def test_K1_pdf_has_pages_and_bookmarks_and_joins_lines() -> None:
    long = "The pump is inspected every second week by the night crew, who write it down. "
    data = pdf_file(
        [["Start", long * 3], ["Go on.", "水泵每两周由夜班人员检查一次。" * 20]], "书", ["Start"]
    )
    document, blocks = read("a.pdf", data)
    assert (document.title, document.media_type) == ("书", "application/pdf")
    assert blocks[0] == Block((long * 3).strip(), ("Start",), 1)
    assert [block.page for block in blocks] == [1, 2, 2]
    assert blocks[2].text == "水泵每两周由夜班人员检查一次。" * 20


def test_K1_pages_without_text_are_warned_of() -> None:
    document, blocks = read("a.pdf", pdf_file([["text"], [], []]))
    assert len(blocks) == 1
    assert document.warnings == ["2 of 3 pages have no text; if they are scanned, run OCR first."]


def test_K1_functions_and_classes_are_sections() -> None:
    python = (
        '"""Doc."""\n\n@made\nclass A:\n    x = 1\n\n    async def f(self):\n        return """\n'
        'def no(): pass\n"""\n\n    y = 2\n\ndef g(): pass\n\nprint(1)\n'
    )
    _, blocks = read("a.py", python)
    assert [(block.section, block.text.split("\n")[0]) for block in blocks] == [
        ((), '"""Doc."""'),
        (("class A",), "@made"),
        (("class A", "def f"), "    async def f(self):"),
        (("class A",), "    y = 2"),
        (("def g",), "def g(): pass"),
        ((), "print(1)"),
    ]


@pytest.mark.parametrize(
    ("ending", "source", "names"),
    [
        ("js", "export function one() {\n}\nconst two = (a) => {\n}\n", ["one", "two"]),
        ("go", "func (s *S) Run(a int) error {\n}\ntype T struct {\n}\n", ["Run", "T"]),
        (
            "rs",
            "pub fn one() {\n}\nimpl Two {\n    fn three() {\n    }\n}\n",
            ["one", "Two", "three"],
        ),
        ("java", "public class A {\n  int f(int x) {\n    if (x) {\n    }\n  }\n}\n", ["A", "f"]),
        ("sql", "CREATE TABLE IF NOT EXISTS users (id);\n", ["users"]),
        ("c", "static int main(void) {\n  while (1) {\n  }\n}\n", ["main"]),
        ("py", "def broken(:\n    '''\nclass A:\n    pass\n", ["broken", "A"]),
    ],
)
def test_K1_definitions_of_other_languages(ending: str, source: str, names: list[str]) -> None:
    _, blocks = read(f"a.{ending}", source)
    assert [block.section[-1] for block in blocks if block.section] == names


@pytest.mark.parametrize("ending", sorted(LANGUAGES))
def test_K1_every_language_keeps_all_of_its_text(ending: str) -> None:
    source = "a = 1\n\nfunction f() {\n  x;\n}\n\nend\n"
    _, blocks = read(f"a{ending}", source)
    assert {block.kind for block in blocks} == {"code"}
    assert " ".join(block.text for block in blocks).split() == source.split()


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "gb18030", "utf-32"]
)
def test_K1_encodings(encoding: str) -> None:
    first = "The pump and the tank are inspected every week. 水泵和储罐每周检查一次。"
    _, blocks = read("a.txt", f"{first}\r\n\r\n第二段。\r\rThird.".encode(encoding))
    assert [block.text for block in blocks] == [first, "第二段。", "Third."]


def test_K1_western_accents_are_not_taken_for_chinese() -> None:
    _, blocks = read("a.txt", "Un café très cher à Orléans, déjà vu".encode("cp1252"))
    assert blocks[0].text == "Un café très cher à Orléans, déjà vu"


def test_K1_csv_is_a_table() -> None:
    document, blocks = read("a.csv", "part,price\npump,7\n")
    assert document.media_type == "text/csv"
    assert blocks == [Block("part,price\npump,7", kind="table")]


def test_K1_two_hundred_files_in_five_formats_are_read_whole() -> None:
    files = list(made_files(200))
    assert {file.name.rpartition(".")[2] for file in files} == set(FORMATS)
    assert {file.language for file in files} == {"en", "zh"}
    for file in files:
        _check_whole(file)


def _check_whole(file: MadeFile) -> None:
    _, blocks = read(file.name, file.data)
    found = "".join("".join((*block.section, block.text)) for block in blocks)
    squeezed = "".join(found.split())
    for section in file.sections:
        for text in (section.title, *section.paragraphs):
            assert "".join(text.split()) in squeezed, (file.name, text)


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("wrong", ["txt", "md", "pdf", "docx", "html", "unknown", "py"])
def test_K1_the_content_counts_more_than_the_ending(ending: str, wrong: str) -> None:
    file = made_file(3, ending, "zh")
    document, blocks = read(f"a.{wrong}", file.data)
    assert any(file.marker in block.text for block in blocks)
    if ending in ("pdf", "docx", "html"):
        assert document.media_type == read(f"a.{ending}", file.data)[0].media_type


@pytest.mark.parametrize(
    ("library", "ending"),
    [("markdown_it", "md"), ("selectolax.lexbor", "html"), ("pypdfium2", "pdf")],
)
def test_K1_a_missing_library_is_named_with_the_pip_line(
    library: str, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtraError, match=r"install .*\[documents\]"):
        read(f"a.{ending}", made_file(1, ending, "en").data)


def test_K1_an_encoding_that_shows_late_is_recognised() -> None:
    western = b"plain English text. " * 20_000 + "déjà vu, très cher, à côté".encode("cp1252")
    assert read("a.txt", western)[1][-1].text.endswith("déjà vu, très cher, à côté")
    chinese = b"plain English text. " * 20_000 + ("水泵每两周检查一次。" * 3).encode("gb18030")
    assert read("a.txt", chinese)[1][-1].text.endswith("水泵每两周检查一次。")
    assert read("a.txt", "café".encode("cp1252"))[1][0].text == "café"
