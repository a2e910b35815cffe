"""QQ chats as text: of QQ's own message manager, and of QQ Chat Exporter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..errors import InputError
from .fields import ident, is_placeholder, name
from .message_times import moment
from .text_stream import TextStream
from .values import BadEntry, Conversation, ImportedMessage, Item, LeftOut, ReadOptions

MAX_CHARS = 4_000_000
MAX_ACCOUNT = 100
RULE = "======"
SYSTEM = ("10000", "1000000")
GROUPS = ("群", "讨论组")
_HEAD = re.compile(
    r"(\d{4}-\d{1,2}-\d{1,2} (?:[上下]午 ?)?\d{1,2}:\d{2}:\d{2}(?: [AP]M)?) +(.*?)"
    r"(?:\((\d{4,12})\)|<([^<>\s]{3,80})>)?\s*"
)
# A date and a time, and at the end whose account it is: a head, however the time is written.
_TIME = re.compile(r"\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}(?!\d).{1,12}?\d{1,2}[:：时]\d{2}")
_ACCOUNT = re.compile(r"(?:\(\d{4,12}\)|<[^<>\s]{3,80}>)\s*$")
_ADMIN = re.compile(r"^【[^】]{1,20}】")
LABELS = ("资源", "提及", "回复", "类型")


def read(stream: TextStream, file: str, options: ReadOptions) -> Iterator[Item]:
    message = _Message(file, options)
    parser: _OwnText | _ExporterText | None = None
    for number, line in enumerate(stream.lines(), 1):
        if line is None:
            yield BadEntry(f"line {number}", "the line is too long")
            continue
        if parser is None and line.strip():
            is_exporter = line.startswith("[QQChatExporter")
            parser = _ExporterText(message) if is_exporter else _OwnText(message)
        if parser is not None:
            yield from parser.take(number, line.rstrip("\r\n"))
    if parser is not None:
        yield from parser.take(0, RULE)
    if not message.count:
        raise InputError(
            "this is no chat of QQ: no line is like 2024-05-01 20:11:00 Name(12345). Export it as "
            "text in QQ's message manager, or with QQ Chat Exporter"
        )


@dataclass
class _Message:
    """The message that is being read, and the chat that it is of."""

    file: str
    options: ReadOptions
    title: str = ""
    is_group: bool = False
    count: int = 0
    place: str = ""
    time: str = ""
    speaker: str = ""
    speaker_id: str | None = None
    lines: list[str] = field(default_factory=list)
    size: int = 0

    def begin(self, number: int, time: str, speaker: str, speaker_id: str | None) -> None:
        self.count += 1
        self.place, self.time = f"line {number}", time
        self.speaker, self.speaker_id = speaker, speaker_id
        self.lines, self.size = [], 0

    def add(self, line: str) -> None:
        self.size += len(line) + 1
        if self.size <= MAX_CHARS:
            self.lines.append(line)

    def finished(self) -> Iterator[Item]:
        place, said = self.place, "\n".join(self.lines).strip()
        self.place, self.lines = "", []
        if not place:
            return
        if self.speaker_id in SYSTEM:
            yield LeftOut(place, "system")
        elif self.size > MAX_CHARS:
            yield BadEntry(place, f"the message is longer than {MAX_CHARS} characters")
        elif not said or is_placeholder(said):
            yield LeftOut(place, "empty")
        else:
            yield ImportedMessage(
                self._conversation(),
                place,
                said,
                None,
                moment(self.time, self.options.zone),
                name(self.speaker, self.speaker_id),
                self.speaker_id,
            )

    def _conversation(self) -> Conversation:
        id = ident(self.title, self.file) or "qq"
        if self.is_group:
            return Conversation(id, self.title, "group", is_by_title=True)
        return Conversation(id, self.title, peer=id, is_by_title=True)


@dataclass
class _OwnText:
    """A head with time and name, then the text, until the next head."""

    message: _Message

    def take(self, number: int, line: str) -> Iterator[Item]:
        message = self.message
        if line.startswith(RULE):
            yield from message.finished()
        elif line.startswith("消息分组:"):
            message.is_group = any(one in line for one in GROUPS)
        elif line.startswith("消息对象:"):
            message.title = line.partition(":")[2].strip()
        elif found := _HEAD.fullmatch(line):
            yield from message.finished()
            time, speaker, uin, mail = found.groups()
            message.begin(number, time, _ADMIN.sub("", speaker), uin or mail)
        elif _TIME.match(line) and _ACCOUNT.search(line[-MAX_ACCOUNT:]):
            yield from message.finished()  # the lines that follow are not its own
            yield BadEntry(f"line {number}", "the time of the message cannot be read")
        else:
            message.add(line)


@dataclass
class _ExporterText:
    """`Name:`, then labelled lines. The name is known by the line `时间: …` after it, so that one
    line is held back."""

    message: _Message
    held: str = ""
    is_content: bool = False

    def take(self, number: int, line: str) -> Iterator[Item]:
        label, _, value = line.partition(": ")
        if label == "时间" and self.held.endswith(":"):
            yield from self.message.finished()
            self.message.begin(number - 1, value, self.held[:-1], None)
            self.held, self.is_content = "", False
            return
        if self.is_content and self.message.place:
            self.message.add(self.held)
        self.held = line
        if line.startswith(RULE):
            yield from self.message.finished()
            self.is_content = False
        elif not self.message.count:
            self._head(label, value)
        elif label == "内容" and not self.is_content:
            self.held, self.is_content = value, True
        elif label in LABELS:
            self.held, self.is_content = "", False

    def _head(self, label: str, value: str) -> None:
        if label == "聊天名称":
            self.message.title = value.strip()
        elif label == "聊天类型":
            self.message.is_group = "群" in value
