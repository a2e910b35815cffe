"""Exports that somebody made to do harm, or that broke on the way: clear errors, little memory."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tracemalloc
import zipfile
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from support import chat_exports
from taishi.errors import InputError
from taishi.importers import character_card, source
from taishi.importers.formats import FORMATS
from taishi.importers.source import opened
from taishi.importers.values import BadEntry, ImportedMessage, Item, ReadOptions

OPTIONS = ReadOptions(ZoneInfo("UTC"))


def read(format: str, given: Path | io.BufferedIOBase, encoding: str | None = None) -> list[Item]:
    chosen = FORMATS[format]
    with opened(given, chosen.members, encoding) as files:  # type: ignore[arg-type]
        return [item for file in files for item in chosen.read(file, OPTIONS)]


def zipped(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def test_a_zip_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "CHECKED_FROM", 1 << 20)
    bomb = zipped(tmp_path / "b.zip", {"conversations.json": b"[" + b" " * (64 << 20)})
    assert bomb.stat().st_size < 100_000
    tracemalloc.start()
    with pytest.raises(InputError, match="zip bomb"):
        read("chatgpt", bomb)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 << 20


def test_paths_in_a_zip_lead_nowhere(tmp_path: Path) -> None:
    path = chat_exports.write("claude", tmp_path, 10)
    content = path.read_bytes()
    inner = tmp_path / "inner"
    inner.mkdir()
    packed = zipped(inner / "x.zip", {"../../conversations.json": content, "/etc/passwd": b"x"})
    before = sorted(tmp_path.rglob("*"))
    assert len(read("claude", packed)) == 10
    assert sorted(tmp_path.rglob("*")) == before, "nothing is written"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"PK\x03\x04 and nothing else", "damaged zip"),
        (b"", "the file ends here|is expected"),
        (b"[", "the file ends here"),
        (b"\x89PNG\r\n", "is expected|no text"),
        (b'{"messages": []}', r"\[ is expected"),
    ],
)
def test_what_is_no_export(content: bytes, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read("chatgpt", io.BytesIO(content))


def test_a_zip_without_the_file_says_what_is_missing(tmp_path: Path) -> None:
    packed = zipped(tmp_path / "x.zip", {"chat.html": b"", "__MACOSX/conversations.json": b"[]"})
    with pytest.raises(InputError, match=r"holds no conversations\.json"):
        read("claude", packed)


def test_a_zip_that_is_cut_off_or_altered(tmp_path: Path) -> None:
    content = chat_exports.write("claude", tmp_path, 2000).read_bytes()
    packed = zipped(tmp_path / "x.zip", {"conversations.json": content})
    data = bytearray(packed.read_bytes())
    (tmp_path / "cut.zip").write_bytes(data[: len(data) // 2])
    with pytest.raises(InputError, match="damaged zip"):
        read("claude", tmp_path / "cut.zip")
    middle = len(data) // 2
    data[middle : middle + 64] = b"\0" * 64
    (tmp_path / "altered.zip").write_bytes(data)
    with pytest.raises(InputError, match=r"damaged|is not utf-8"):
        read("claude", tmp_path / "altered.zip")


def test_an_encrypted_zip(tmp_path: Path) -> None:
    packed = zipped(tmp_path / "x.zip", {"conversations.json": b"[]"})
    data = bytearray(packed.read_bytes())
    data[6] |= 1
    central = data.index(b"PK\x01\x02")
    data[central + 8] |= 1
    packed.write_bytes(data)
    with pytest.raises(InputError, match="encrypted"):
        read("claude", packed)


def test_a_zip_from_a_pipe_is_refused(tmp_path: Path) -> None:
    packed = zipped(tmp_path / "x.zip", {"conversations.json": b"[]"})
    with subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"import sys; sys.stdout.buffer.write(open({str(packed)!r},'rb').read())",
        ],
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        with pytest.raises(InputError, match="pipe"):
            read("claude", process.stdout)  # type: ignore[arg-type]


def test_a_file_from_a_pipe(tmp_path: Path) -> None:
    path = chat_exports.write("telegram", tmp_path, 50)
    with subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"import sys; sys.stdout.buffer.write(open({str(path)!r},'rb').read())",
        ],
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert len(read("telegram", process.stdout)) == 50  # type: ignore[arg-type]


@pytest.mark.parametrize("format", ["chatgpt", "telegram", "discord", "qq", "wechat", "mem0"])
def test_deep_nesting(format: str) -> None:
    deep = b"[" * 500_000
    for data in (deep, b'{"messages": [' + deep, b'{"skipped": ' + deep, b"[{" + deep):
        with pytest.raises(InputError):
            read(format, io.BytesIO(data))


@pytest.mark.parametrize("format", ["sillytavern", "openai-jsonl"])
def test_deep_nesting_in_a_line(format: str) -> None:
    head = json.dumps({"user_name": "x", "character_name": "y"})
    first = head if format == "sillytavern" else '{"role": "user", "content": "x"}'
    found = read(format, io.BytesIO(f"{first}\n{'[' * 300_000}\n".encode()))
    assert isinstance(found[-1], BadEntry)
    assert found[-1].place == "line 2"


@pytest.mark.parametrize("format", ["sillytavern", "openai-jsonl", "qq", "wechat"])
def test_a_line_of_a_hundred_megabytes_costs_no_hundred_megabytes(format: str) -> None:
    """The memory does not grow with the line."""

    class Endless(io.RawIOBase):
        def __init__(self) -> None:
            self.left = 400

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
            if not self.left:
                return 0
            self.left -= 1
            size = min(len(buffer), 1 << 18)
            buffer[:size] = b"x" * size
            return size

    tracemalloc.start()
    try:
        found = read(format, io.BufferedReader(Endless()))
        assert not [one for one in found if isinstance(one, ImportedMessage)]
    except InputError:
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 48 << 20, "of 100 MB"


def test_a_picture_with_a_bomb_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(character_card, "MAX_BYTES", 1 << 20)
    bomb = chat_exports.png({"chara": {"x": "A" * (8 << 20)}}, b"zTXt")
    with pytest.raises(InputError, match=r"character card|damaged"):
        read("character-card", io.BytesIO(bomb))
    large = chat_exports.png({"chara": {"x": "A" * (2 << 20)}})
    with pytest.raises(InputError, match="too large for a card"):
        read("character-card", io.BytesIO(large))


def test_a_picture_that_is_cut_off() -> None:
    whole = chat_exports.png({"chara": chat_exports.card(3)})
    for end in range(8, len(whole) - 40, 37):
        with pytest.raises(InputError, match="card"):
            read("character-card", io.BytesIO(whole[:end]))


def test_control_characters_and_half_characters_come_through_reading() -> None:
    line = '{"role": "user", "content": "a\\u0000b\\ud800c\x01", "id": "x\\u0000"}'
    [message] = read("openai-jsonl", io.BytesIO(line.encode()))
    assert isinstance(message, ImportedMessage)
    assert message.text == "a\0b\ud800c\x01"
    assert message.id is not None
    assert message.id.isalnum()


def test_values_of_the_wrong_type_are_named_and_not_fatal(tmp_path: Path) -> None:
    odd = [None, 5, "x", [], {}, {"type": "message", "id": {}, "from": 5, "text": {"a": 1}}]
    odd += [{"type": "message", "id": [1], "date": {}, "from_id": True, "text": ["ok", 5, {}]}]
    export = {"name": 5, "type": [], "id": None, "messages": odd}
    found = read("telegram", io.BytesIO(json.dumps(export).encode()))
    assert [one.text for one in found if isinstance(one, ImportedMessage)] == ["ok"]
    assert len(found) == len(odd)


def test_the_wrong_encoding_is_said(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes("2024-05-01 20:11:00 小鹿(10001)\n帐篷\n".encode("gb18030"))
    [message] = read("qq", path)
    assert isinstance(message, ImportedMessage)
    assert message.text == "帐篷"
    with pytest.raises(InputError, match="is not utf-8"):
        read("qq", path, "utf-8")
    with pytest.raises(InputError, match="no encoding"):
        read("qq", path, "elvish")


def test_a_file_that_cannot_be_opened(tmp_path: Path) -> None:
    for missing in (tmp_path / "none.json", tmp_path):
        with pytest.raises(InputError, match="cannot be read"):
            read("qq", missing)
