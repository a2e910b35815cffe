"""Reads what is new in a session's transcript: one JSON object a line, in a file that grows.

A transcript may be huge, and a line may hold anything: lines are read one by one, what is too long
or not a message is skipped, and a line that is still being written waits for the next time.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

import msgspec

from ...errors import StorageError

MAX_LINE_BYTES = 4 << 20
MAX_NEW_BYTES = 32 << 20  # of a longer transcript only the end is read
MAX_MESSAGES = 500
MAX_TEXT_CHARS = 20_000
# What Claude Code itself writes in the user's name.
_NOT_TYPED = (
    "<bash-",
    "<command-",
    "<ide_",
    "<local-command-",
    "<system-reminder>",
    "<task-notification>",
    "<user-prompt-submit-hook>",
    "Caveat: The messages below",
    "[Request interrupted",
)
_REMINDER = "<system-reminder>"
_FORGET_TOOL = re.compile(r"mcp__[\w-]+__forget")


_END_TOOL = re.compile(r"mcp__[\w-]*taishi[\w-]*__end")
FORGOT: Literal["forgot"] = "forgot"
ENDED: Literal["ended"] = "ended"
NOTES = (FORGOT, ENDED)  # roles of what nobody said


@dataclass(frozen=True, slots=True)
class Said:
    """What the user typed, or the assistant answered; or, not shown to anybody, as "forgot" what a
    tool that forgot something said of it, and as "ended" the arguments, by name, that our tool
    `end` kept of the turn."""

    role: Literal["user", "assistant", "forgot", "ended"]
    text: str
    id: str = ""
    time: str = ""


class _Block(msgspec.Struct):
    type: str = ""
    text: str = ""
    id: str | None = None
    name: str | None = None
    tool_use_id: str | None = None
    content: Any = None
    input: Any = None
    is_error: bool | None = None


class _Body(msgspec.Struct):
    content: str | list[_Block] = ""


class _Line(msgspec.Struct, rename="camel"):
    type: str
    message: _Body | None = None
    uuid: str = ""
    timestamp: str = ""
    is_meta: bool = False
    is_sidechain: bool = False
    is_compact_summary: bool = False
    is_visible_in_transcript_only: bool = False
    is_api_error_message: bool = False

    @property
    def is_machine_made(self) -> bool:
        return (
            self.is_meta
            or self.is_sidechain
            or self.is_compact_summary
            or self.is_visible_in_transcript_only
            or self.is_api_error_message
        )


def read_new(path: Path, start: int) -> tuple[list[Said], int]:
    """The messages after byte `start`, and where to go on the next time."""
    if not path.is_file():  # a pipe or a device could hang
        raise StorageError(f"there is no transcript at {path}")
    reader = _LineReader()
    messages: deque[Said] = deque(maxlen=MAX_MESSAGES)
    try:
        with path.open("rb") as file:
            end = begin = _seek(file, start)
            for line, line_end in _lines(file, begin):
                end = line_end
                messages.extend(reader.said(line))
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error}") from error
    return list(messages), end


def _seek(file: BinaryIO, start: int) -> int:
    """Go to `start`; to the beginning of a file that was replaced, near the end of a huge one."""
    size = file.seek(0, 2)
    start = start if 0 <= start <= size else 0
    if size - start > MAX_NEW_BYTES:
        start = size - MAX_NEW_BYTES
    return file.seek(start)


def _lines(file: BinaryIO, end: int) -> Iterator[tuple[bytes, int]]:
    """Whole lines and where each ends. One that is too long comes as nothing."""
    while part := file.readline(MAX_LINE_BYTES):
        length, is_long = len(part), len(part) == MAX_LINE_BYTES and part[-1:] != b"\n"
        while part[-1:] != b"\n":
            part = file.readline(MAX_LINE_BYTES) if is_long else b""
            if not part:
                return  # it is still being written
            length += len(part)
        end += length
        yield b"" if is_long else part, end


class _LineReader:
    """Reads lines in their order: the result of a tool names its call by its id alone."""

    def __init__(self) -> None:
        self._decoder = msgspec.json.Decoder(_Line)
        self._forgetting: set[str | None] = set()
        self._ending: dict[str | None, str] = {}  # by the call: what it gave

    def said(self, line: bytes) -> Iterator[Said]:
        try:
            entry = self._decoder.decode(line)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return
        if entry.message is None or entry.is_machine_made:
            return
        content = entry.message.content
        blocks = [_Block("text", content)] if isinstance(content, str) else content
        yield from self._forgot(blocks)
        yield from self._ended(blocks)
        texts = [block.text for block in blocks if block.type == "text"]
        if entry.type == "user":
            text = _joined([_typed(text) for text in texts])
            if text:
                yield Said("user", text, entry.uuid, entry.timestamp)
            return
        text = _joined(texts)
        if entry.type == "assistant" and text:
            yield Said("assistant", text, entry.uuid, entry.timestamp)

    def _forgot(self, blocks: Sequence[_Block]) -> Iterator[Said]:
        """What a tool says that forgot something; not one that failed."""
        for block in blocks:
            if block.type == "tool_use" and _FORGET_TOOL.fullmatch(block.name or ""):
                self._forgetting.add(block.id)
            is_result = block.type == "tool_result" and block.tool_use_id in self._forgetting
            if is_result and not block.is_error:
                yield Said(FORGOT, _result(block.content))

    def _ended(self, blocks: Sequence[_Block]) -> Iterator[Said]:
        """What our tool `end` kept: it need not be kept again."""
        for block in blocks:
            if block.type == "tool_use" and _END_TOOL.fullmatch(block.name or ""):
                given = block.input if isinstance(block.input, dict) else {}
                self._ending[block.id] = " ".join(name for name in given if given[name])
            is_result = block.type == "tool_result" and block.tool_use_id in self._ending
            if is_result and not block.is_error:
                yield Said(ENDED, self._ending[block.tool_use_id])


def _result(content: Any) -> str:
    """The text of a tool's result, which is text or a list of blocks."""
    parts = content if isinstance(content, list) else [{"text": content}]
    texts = (part.get("text") for part in parts if isinstance(part, dict))
    return _joined([text for text in texts if isinstance(text, str)])


def _typed(text: str) -> str:
    """What a person typed of it; Claude Code adds notes of its own, also behind the text."""
    return "" if text.lstrip().startswith(_NOT_TYPED) else text.partition(_REMINDER)[0]


def _joined(texts: Sequence[str]) -> str:
    return "\n".join(text.strip() for text in texts if text.strip())[:MAX_TEXT_CHARS]
