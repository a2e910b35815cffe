"""K1: documents that are broken, huge or written to harm: a clear error or harmless, no network."""

from __future__ import annotations

import io
import random
import socket
import struct
import time
import tracemalloc
import zipfile
from itertools import islice

import pytest

from support.document_factory import (
    ENCRYPTED,
    docx_package,
    docx_paragraph,
    made_file,
    made_files,
    pdf_file,
)
from taishi.backends.document_readers import Readers, html, limits, pdf, reader
from taishi.errors import DocumentError
from taishi.language.chunking import chunks
from taishi.language.token_bound import token_bound
from taishi.ports.documents import Block


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError("a reader opened a socket")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def blocks(name: str, data: bytes | str) -> list[Block]:
    return list(Readers().read(name, data.encode() if isinstance(data, str) else data).blocks)


def text(name: str, data: bytes | str) -> str:
    return "\n".join(block.text for block in blocks(name, data))


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def zip_of(**files: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("a.txt", b"", "is empty"),
        ("a.bin", bytes(range(32)) * 50, "Save it as UTF-8"),
        ("a.pdf", pdf_file([["secret"]], trailer=ENCRYPTED), "is encrypted"),
        ("a.pdf", pdf_file([[], []]), "Run OCR"),
        ("a.pdf", b"%PDF-1.7\nno more", "damaged PDF"),
        ("a.pdf", pdf_file([["x"]])[:300], "damaged PDF"),
        ("a.docx", b"PK\x03\x04" + b"x" * 100, "damaged ZIP or DOCX"),
        ("a.docx", docx_package(docx_paragraph("x"))[:-30], "damaged ZIP or DOCX"),
        ("a.docx", docx_package("<w:p>"), "damaged DOCX"),
        ("a.xlsx", zip_of(sheet=b"x"), "no Word document"),
        ("a.docx", OLE + "EncryptedPackage".encode("utf-16-le"), "is encrypted"),
        ("a.doc", OLE + b"x" * 600, "old Office format"),
        ("a.rtf", b"{\\rtf1 hello}", "Rich Text"),
        ("a.txt", b"\x89PNG\r\n\x1a\n" + b"x" * 50, "run OCR"),
        ("a.txt.gz", b"\x1f\x8b" + b"x" * 50, "Unpack it"),
    ],
)
def test_K1_what_cannot_be_read_says_what_to_do(name: str, data: bytes, says: str) -> None:
    with pytest.raises(DocumentError, match=says) as raised:
        blocks(name, data)
    assert repr(name) in str(raised.value)


def test_K1_the_error_does_not_carry_the_whole_of_a_long_name() -> None:
    with pytest.raises(DocumentError) as raised:
        blocks("x" * 5_000 + ".txt", b"")
    assert len(str(raised.value)) < 300


def test_K1_files_above_the_limits_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_FILE_BYTES", 1_000)
    monkeypatch.setattr(html, "MAX_HTML_BYTES", 500)
    monkeypatch.setattr(pdf, "MAX_PDF_PAGES", 1)
    with pytest.raises(DocumentError, match=r"has 1,001 bytes; the most is 1,000"):
        blocks("a.txt", b"x" * 1_001)
    with pytest.raises(DocumentError, match="bytes of HTML"):
        blocks("a.html", "<html>" + "x" * 600)
    monkeypatch.undo()
    monkeypatch.setattr(pdf, "MAX_PDF_PAGES", 1)
    with pytest.raises(DocumentError, match="has 2 pages"):
        blocks("a.pdf", pdf_file([["x"], ["y"]]))


def test_K1_a_zip_bomb_is_not_unpacked() -> None:
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("word/document.xml", "w") as part,
    ):
        for _ in range(limits.MAX_DOCX_XML_BYTES // 10_000_000 + 1):
            part.write(b" " * 10_000_000)
    data = buffer.getvalue()
    assert len(data) < 2_000_000
    start = time.thread_time()
    with pytest.raises(DocumentError, match=r"unpacks to 210,000,000 bytes.*not opened"):
        blocks("a.docx", data)
    assert time.thread_time() - start < 0.5


def test_K1_a_zip_that_lies_about_its_sizes_is_read_no_further() -> None:
    honest = docx_package(docx_paragraph("word " * 20_000))
    with zipfile.ZipFile(io.BytesIO(honest)) as archive:
        size = archive.getinfo("word/document.xml").file_size
    lying = honest.replace(struct.pack("<I", size), struct.pack("<I", 500))
    with pytest.raises(DocumentError, match="damaged DOCX"):
        blocks("a.docx", lying)


def test_K1_a_directory_of_too_many_files_is_not_read() -> None:
    end = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 9, 9, 100_000_000, 0, 0)
    with pytest.raises(DocumentError, match="more files than any document"):
        blocks("a.docx", b"PK\x03\x04" + end)


def test_K1_billion_laughs_and_external_entities_are_refused() -> None:
    laughs = "".join(f'<!ENTITY a{number} "{f"&a{number - 1};" * 10}">' for number in range(1, 10))
    for doctype in (
        f'<!DOCTYPE x [<!ENTITY a0 "ha">{laughs}]>',
        '<!DOCTYPE x [<!ENTITY a9 SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE x SYSTEM "http://127.0.0.1/x.dtd">',
    ):
        data = docx_package(docx_paragraph("x").replace("x<", "&a9;<"), before=doctype)
        with pytest.raises(DocumentError, match="document type"):
            blocks("a.docx", data)


def test_K1_linked_files_of_a_docx_are_not_looked_at() -> None:
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="r9" TargetMode="External" Target="http://127.0.0.1/x" Type="'
        'http://schemas.openxmlformats.org/officeDocument/2006/relationships/image"/></Relationships>'
    )
    data = docx_package(docx_paragraph("shown"), [("word/_rels/document.xml.rels", relations)])
    assert text("a.docx", data) == "shown"


def test_K1_nothing_of_a_page_is_executed_fetched_or_hidden_in_the_text() -> None:
    page = (
        "<html><head><script src=http://127.0.0.1/a.js></script><link rel=stylesheet href=x>"
        "<meta http-equiv=refresh content='0;url=http://127.0.0.1'></head><body onload=steal()>"
        "<p>shown</p><script>steal()</script><style>p{}</style>"
        "<iframe srcdoc='<p>framed'>f</iframe>"
        "<img src=http://127.0.0.1/x.png onerror=steal()><object data=x>o</object><noscript>n"
        "</noscript><template><p>t</p></template><svg><text>s</text></svg><!-- c --></body></html>"
    )
    assert text("a.html", page) == "shown"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.html", "<html>" + "<div>" * 100_000 + "inner"),
        ("a.html", "<html>" + "<b><font><x-y>" * 100_000 + "inner"),
        ("a.html", "<html>" + "".join(f"<t{number}>" for number in range(30_000)) + "inner"),
        ("a.html", "<html>" + "<ul><li>" * 50_000 + "inner"),
        ("a.html", "<html>" + "<table><tr><td>" * 30_000 + "inner"),
        ("a.html", "<html><p " + " ".join(f"a{n}=1" for n in range(100_000)) + ">inner"),
        ("a.html", "".join(f"<html a{n}='>'>" for n in range(50_000)) + "inner"),
        ("a.html", "<html>" + "<a x='" * 50_000 + "'>inner"),
        ("a.html", '<html><svg/><meta charset="idna"><p>inner'),
        ("a.md", ("![" * 2_000 + "\n\n") * 20 + "inner"),
        ("a.md", "> " * 100_000 + "inner"),
        ("a.md", "- " * 100_000 + "inner"),
        ("a.md", "[" * 100_000 + "inner" + "](x)" * 100_000),
        ("a.md", "*_" * 100_000 + " inner"),
        ("a.md", "".join("  " * depth + "- a\n" for depth in range(500)) + "\ninner"),
        ("a.py", "(" * 100_000 + "inner"),
        ("a.json", "[" * 100_000 + "inner"),
    ],
    ids=lambda value: value[:20],
)
def test_K1_deep_nesting_is_read_in_linear_time(name: str, data: str) -> None:
    start = time.thread_time()
    assert "inner" in text(name, data)
    assert time.thread_time() - start < 6


def test_K1_deep_xml_is_read() -> None:
    body = "<w:sdt>" * 100_000 + docx_paragraph("inner") + "</w:sdt>" * 100_000
    assert text("a.docx", docx_package(body)) == "inner"


def test_K1_a_pdf_of_2000_pages() -> None:
    found = blocks("a.pdf", pdf_file([[f"This is page {number}."] for number in range(1, 2_001)]))
    assert [block.page for block in found] == list(range(1, 2_001))
    assert found[-1].text == "This is page 2000."


def test_K1_one_line_of_20_megabytes_in_bounded_memory() -> None:
    sentence = "The pump is inspected every second week by the night crew and not by anybody else "
    count = 20_000_000 // len(sentence)
    data = (sentence * count).encode()
    tracemalloc.start(1)
    longest = 0
    for chunk in islice(chunks(Readers().read("a.txt", data).blocks, 256, 80), 400):
        longest = max(longest, token_bound(chunk.text))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert longest <= 256
    assert peak < 20_000_000, "the text is not in memory as a whole"
    spent = time.thread_time()
    words = sum(block.text.count("inspected") for block in blocks("a.txt", data))
    assert words >= count - 1, "a line is cut between words"
    assert time.thread_time() - spent < 10


def test_K1_nul_half_characters_and_directions() -> None:
    assert text("a.txt", b"one\x00two") == "onetwo"
    assert text("a.txt", "水泵水泵水泵水泵".encode()[:-1]).startswith("水泵水泵水泵水")
    assert text("a.txt", "שלום \u202eעולם") == "שלום עולם"
    assert text("a.md", "مرحبا **بالعالم**") == "مرحبا بالعالم"
    assert text("a.html", "<html>&#xD800;&#0;x").endswith("x")
    for name in ("a.txt", "a.md", "a.html", "a.py"):
        found = text(name, "<html>x\ud800y".encode("utf-8", "surrogatepass") + b"\x00z")
        found.encode("utf-8")
        assert "\x00" not in found


def test_K1_damaged_files_raise_document_errors_only() -> None:
    rng = random.Random(20261117)
    seeds = [(file.name, file.data) for file in made_files(10)]
    refused = 0
    for _ in range(250):
        name, data = rng.choice(seeds)
        damaged = bytearray(data)
        for _ in range(rng.randint(1, 12)):
            at = rng.randrange(len(damaged))
            damaged[at : at + rng.choice((0, 1, 1, 50))] = rng.randbytes(rng.choice((0, 1, 5)))
        try:
            for block in blocks(name, bytes(damaged)):
                assert block.text.strip()
                block.text.encode("utf-8")
        except DocumentError:
            refused += 1
    assert 10 < refused < 240, "some are refused, some are read"


def test_K1_one_damaged_file_does_not_stop_the_reader_for_others() -> None:
    readers = Readers()
    with pytest.raises(DocumentError):
        list(readers.read("a.pdf", pdf_file([["x"]], trailer=ENCRYPTED)).blocks)
    unread = readers.read("b.pdf", pdf_file([["left"], ["unread"]]))
    next(unread.blocks)
    file = made_file(3, "pdf", "en")
    assert any(file.marker in block.text for block in readers.read("c.pdf", file.data).blocks)
