"""JSON a value at a time: the same as the standard library reads, in bounded memory."""

from __future__ import annotations

import io
import json
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taishi.errors import InputError
from taishi.importers import json_reader, text_stream
from taishi.importers.json_reader import JsonReader
from taishi.importers.text_stream import TextStream

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
DOCUMENTS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=20,
)


class Dribble(io.RawIOBase):
    """Gives one byte at a time, as the worst of pipes does."""

    def __init__(self, data: bytes, size: int = 1) -> None:
        self._data = io.BytesIO(data)
        self._size = size

    def read(self, size: int = -1, /) -> bytes:
        return self._data.read(self._size)


def reader(text: str, size: int = 1) -> JsonReader:
    return JsonReader(TextStream(Dribble(text.encode("utf-8", "surrogatepass"), size), "utf-8"))


def walked(one: JsonReader) -> Any:
    """The whole document, by walking it."""
    first = one.peek()
    if first == "{":
        return {key: walked(one) for key in one.members()}
    if first == "[":
        return [walked(one) for _ in one.elements()]
    return one.value()


@settings(deadline=None)
@given(DOCUMENTS, st.sampled_from([1, 3, 17]), st.sampled_from([None, 2]))
def test_walking_a_document_gives_what_it_says(
    document: Any, size: int, indent: int | None
) -> None:
    text = json.dumps(document, indent=indent)
    assert walked(reader(text, size)) == document
    assert reader(text, size).value() == document


@settings(deadline=None)
@given(st.dictionaries(st.text(), DOCUMENTS, min_size=1), st.sampled_from([1, 5]))
def test_what_is_skipped_does_not_disturb_what_follows(document: dict[str, Any], size: int) -> None:
    one = reader(json.dumps({**document, "end of it": 1}, ensure_ascii=False), size)
    found = {}
    for key in one.members():
        if key == "end of it":
            found[key] = one.value()
        else:
            one.skip()
    assert found == {"end of it": 1}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "[ is expected|the file ends here"),
        ("[1, 2", "the file ends here"),
        ('[{"a": "cut', "the file ends here"),
        ('[{"a": 1} {"b": 2}]', "a comma or ] is expected"),
        ("[1}", "a comma or ] is expected"),
        ("[1, nonsense]", "Expecting value"),
        ("{1: 2}", "[ is expected"),
        ("[" + "9" * 5000 + "]", "4300"),
    ],
)
def test_damage_is_located(text: str, words: str) -> None:
    with pytest.raises(InputError, match="damaged at character") as error:
        one = reader(text, 64)
        for _ in one.elements():
            one.value()
    assert any(word in str(error.value) for word in words.split("|"))


def test_deep_nesting_is_an_error_and_no_crash() -> None:
    one = reader("[" * 200_000, 1 << 16)
    with pytest.raises(InputError, match="nested too deeply"):
        one.value()
    shallow = reader("[" * 200_000 + "]" * 200_000 + "1", 1 << 16)
    shallow.skip()
    assert shallow.value() == 1


def test_a_value_that_does_not_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_reader, "MAX_VALUE_CHARS", 10_000)
    one = JsonReader(TextStream(Dribble(b'["' + b"x" * 1_000_000 + b'"]', 1000), "utf-8"))
    with pytest.raises(InputError, match="longer than 10000 characters"):
        for _ in one.elements():
            one.value()


class Generated(io.RawIOBase):
    """A document that nobody could hold."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces

    def read(self, size: int = -1, /) -> bytes:
        return next(self._pieces, b"")


def test_a_large_array_is_read_in_little_memory() -> None:
    def pieces() -> Iterator[bytes]:
        yield b'{"skipped": "' + b"y" * 1_000_000
        for _ in range(20):
            yield b"y" * 1_000_000
        yield b'", "messages": [{}'
        for number in range(60_000):
            yield b', {"n": %d, "text": "%s"}' % (number, b"z" * 100)
        yield b"]}"

    tracemalloc.start()
    one = JsonReader(TextStream(Generated(pieces()), "utf-8"))
    count = 0
    for key in one.members():
        if key == "skipped":
            one.skip()
            continue
        for _ in one.elements():
            one.value()
            count += 1
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 60_001
    assert peak < 8_000_000, "the document has 29 MB"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "gb18030"])
def test_the_encoding_is_found(encoding: str) -> None:
    text = "2024-05-01 20:11:00 小鹿(10001)\r\n帐篷在阁楼里\n" * 50
    stream = TextStream(Dribble(text.encode(encoding), 4096))
    assert "".join(line or "" for line in stream.lines()) == text


def test_utf_16_in_the_order_of_other_machines() -> None:
    assert TextStream(io.BytesIO("plain text, 文".encode("utf-16-be"))).read() == "plain text, 文"


def test_bytes_of_no_encoding_are_located() -> None:
    late = b"a" * 70_000 + b"\xff\xff" + b"a" * 10
    with pytest.raises(InputError, match=r"byte 70000 is not utf-8.*encoding"):
        list(TextStream(io.BytesIO(late)).lines())
    with pytest.raises(InputError, match="no text in UTF-8, UTF-16 or GBK"):
        TextStream(io.BytesIO(b"\xff\xff\xff\xff"))
    with pytest.raises(InputError, match="'klingon' is no encoding"):
        TextStream(io.BytesIO(b"a"), "klingon")


def test_a_line_without_end_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_stream, "MAX_LINE_CHARS", 5000)
    data = b"first\n" + b"x" * 40_000 + b"\nlast"
    assert list(TextStream(Dribble(data, 1000)).lines()) == ["first\n", None, "last"]
    assert list(TextStream(Dribble(b"x" * 9000, 1000)).lines()) == [None]
