"""Claude's memory tool (`memory_20250818`) on the notes of a scope.

    from anthropic import Anthropic
    from taishi import Memory, Scope
    from taishi.adapters.anthropic import TaishiMemoryTool

    tool = TaishiMemoryTool(memory, Scope(user="ann"))
    Anthropic().beta.messages.tool_runner(..., tools=[tool])

`/memories/plan.md` is the note `plan.md`. Claude is answered in the words that it knows from
Anthropic's own file system tool; only what a file system has and notes have not is different: an
empty folder does not exist, and a folder's size is that of the files below it.
"""

from __future__ import annotations

import asyncio
import posixpath
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ParamSpec

from ..async_memory import AsyncMemory
from ..errors import ClosedError, MissingExtraError, TaishiError, VersionError
from ..memory import Memory
from ..ports.knowledge import Note
from ..types import Scope
from .quiet_calls import sync_memory
from .speakers import checked_scope

try:
    from anthropic.lib.tools import (
        BetaAbstractMemoryTool,
        BetaAsyncAbstractMemoryTool,
        ToolError,
    )
except ImportError:
    raise MissingExtraError("Claude's memory tool", "anthropic") from None

ROOT = "/memories"
MAX_LINES = 999_999
NUMBER_WIDTH = 6
TRIES = 8  # of a change while others change the same file

P = ParamSpec("P")


class TaishiMemoryTool(BetaAbstractMemoryTool):
    """The notes of a scope, or with `folder` those below it, as Claude's `/memories`."""

    def __init__(
        self, memory: Memory, scope: Scope, *, folder: str = "", cache_control: Any = None
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._files = MemoryFiles(memory, scope, folder)

    def view(self, command: Any) -> str:
        return _told(self._files.view, command.path, command.view_range)

    def create(self, command: Any) -> str:
        return _told(self._files.create, command.path, command.file_text)

    def str_replace(self, command: Any) -> str:
        return _told(self._files.str_replace, command.path, command.old_str, command.new_str)

    def insert(self, command: Any) -> str:
        return _told(self._files.insert, command.path, command.insert_line, command.insert_text)

    def delete(self, command: Any) -> str:
        return _told(self._files.delete, command.path)

    def rename(self, command: Any) -> str:
        return _told(self._files.rename, command.old_path, command.new_path)

    def clear_all_memory(self) -> str:
        return _told(self._files.clear)


class TaishiAsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same for `AsyncAnthropic`."""

    def __init__(
        self, memory: AsyncMemory, scope: Scope, *, folder: str = "", cache_control: Any = None
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._tool = TaishiMemoryTool(sync_memory(memory), scope, folder=folder)

    async def view(self, command: Any) -> str:
        return await asyncio.to_thread(self._tool.view, command)

    async def create(self, command: Any) -> str:
        return await asyncio.to_thread(self._tool.create, command)

    async def str_replace(self, command: Any) -> str:
        return await asyncio.to_thread(self._tool.str_replace, command)

    async def insert(self, command: Any) -> str:
        return await asyncio.to_thread(self._tool.insert, command)

    async def delete(self, command: Any) -> str:
        return await asyncio.to_thread(self._tool.delete, command)

    async def rename(self, command: Any) -> str:
        return await asyncio.to_thread(self._tool.rename, command)

    async def clear_all_memory(self) -> str:
        return await asyncio.to_thread(self._tool.clear_all_memory)


class MemoryFiles:
    """What each command does to the notes, and what Claude is told."""

    def __init__(self, memory: Memory, scope: Scope, folder: str = "") -> None:
        self._notes = sync_memory(memory).notes
        self._scope = checked_scope(scope)
        self._folder = folder.strip("/")

    def view(self, path: str, view_range: Sequence[int] | None = None) -> str:
        name = self._name(path)
        note = self._read(name)
        if note is not None:
            return _numbered(path, note.text, view_range)
        below = self._below(name)
        if name and not below:
            raise ToolError(f"The path {path} does not exist. Please provide a valid path.")
        lines = [f"{_size(sum(below.values()))}\t{path}"]
        lines += [f"{_size(size)}\t{path}/{item}" for item, size in _tree(below)]
        return "\n".join([
            f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden "
            "items:", *lines,
        ])  # fmt: skip

    def create(self, path: str, file_text: str) -> str:
        name = self._name(path)
        if not name or self._below(name):
            raise ToolError(f"File {path} already exists")
        try:
            note = self._write(self._path(name), file_text, 0)
        except VersionError:
            raise ToolError(f"File {path} already exists") from None
        return f"File created successfully at: {path}{_said(note)}"

    def str_replace(self, path: str, old_str: str, new_str: str) -> str:
        def replaced(text: str) -> str:
            _check_once(path, text, old_str)
            return text.replace(old_str, new_str)

        before, note = self._edit(path, replaced)
        line = before[: before.find(old_str)].count("\n")
        lines = note.text.split("\n")
        shown = range(max(0, line - 2) + 1, min(len(lines), line + 3) + 1)
        snippet = [f"{str(n).rjust(NUMBER_WIDTH)}\t{lines[n - 1]}" for n in shown]
        head = "The memory file has been edited. Here is the snippet showing the change (with line "
        return "\n".join([f"{head}numbers):", *snippet]) + _said(note)

    def insert(self, path: str, insert_line: int, insert_text: str) -> str:
        def longer(text: str) -> str:
            lines = text.split("\n")
            if lines[-1] == "":
                lines.pop()
            if not 0 <= insert_line <= len(lines):
                raise ToolError(
                    f"Invalid `insert_line` parameter: {insert_line}. It should be within the "
                    f"range [0, {len(lines)}]."
                )
            lines.insert(insert_line, insert_text.rstrip("\n"))
            new = "\n".join(lines)
            return new if new.endswith("\n") else new + "\n"

        _, note = self._edit(path, longer)
        return f"The file {path} has been edited.{_said(note)}"

    def delete(self, path: str) -> str:
        name = self._name(path)
        if not name:
            raise ToolError("Cannot delete the /memories directory itself")
        is_file = self._read(name) is not None
        if not self._notes.remove(self._scope, self._path(name), folder=not is_file):
            raise ToolError(f"The path {path} does not exist")
        return f"Successfully deleted {path}"

    def rename(self, old_path: str, new_path: str) -> str:
        old, new = self._name(old_path), self._name(new_path)
        if not old:
            raise ToolError("Cannot rename the /memories directory itself")
        if not new or self._read(new) is not None or self._below(new):
            raise ToolError(f"The destination {new_path} already exists")
        try:
            moved = self._notes.rename(self._scope, self._path(old), self._path(new))
        except VersionError:
            raise ToolError(f"The destination {new_path} already exists") from None
        if not moved:
            raise ToolError(f"The path {old_path} does not exist")
        return f"Successfully renamed {old_path} to {new_path}"

    def clear(self) -> str:
        self._notes.remove(self._scope, self._folder, folder=True)
        return "All memory cleared"

    def _edit(self, path: str, change: Callable[[str], str]) -> tuple[str, Note]:
        """The text before, and the note after. Tried again if somebody else wrote meanwhile."""
        name = self._name(path)
        for attempt in range(1, TRIES + 1):
            note = self._read(name)
            if note is None:
                if name and not self._below(name):
                    raise ToolError(f"The path {path} does not exist. Please provide a valid path.")
                raise ToolError(f"The path {path} is not a file.")
            text = change(note.text)
            try:
                return note.text, self._write(note.path, text, note.version)
            except VersionError:
                if attempt == TRIES:
                    raise
        raise AssertionError("the last try returns or raises")

    def _write(self, path: str, text: str, version: int) -> Note:
        note = self._notes.write(
            self._scope, path, text, expected_version=version, actor="model", door="tool"
        )
        if note is None:
            raise ToolError("Memory is switched off here: nothing was written.")
        return note

    def _name(self, path: str) -> str:
        """Below the root, "" being the root itself."""
        if not path.startswith(ROOT):
            raise ToolError(f"Path must start with /memories, got: {path}")
        name = posixpath.normpath(path[len(ROOT) :].lstrip("/"))
        if name == ".." or name.startswith("../"):
            raise ToolError(f"Path {path} would escape /memories directory")
        return "" if name == "." else name

    def _path(self, name: str) -> str:
        return f"{self._folder}/{name}" if self._folder else name

    def _read(self, name: str) -> Note | None:
        return self._notes.read(self._scope, self._path(name)) if name else None

    def _below(self, name: str) -> dict[str, int]:
        """The files below a folder, by their path in it, with their sizes in bytes."""
        start = "/".join(part for part in (self._folder, name) if part)
        prefix = f"{start}/" if start else ""
        found = self._notes.list(self._scope, prefix)
        return {note.path.removeprefix(prefix): len(note.text.encode()) for note in found}


def _told(command: Callable[P, str], *arguments: P.args, **options: P.kwargs) -> str:
    """What the engine refuses, Claude is told as any other error of the tool."""
    try:
        return command(*arguments, **options)
    except ClosedError:
        raise
    except TaishiError as error:
        raise ToolError(str(error)) from error


def _said(note: Note) -> str:
    """Redaction is never silent."""
    kinds = ", ".join(note.redacted)
    return f"\nSecrets are not kept; these were taken out of the text: {kinds}." if kinds else ""


def _numbered(path: str, text: str, view_range: Sequence[int] | None) -> str:
    lines, first = text.split("\n"), 0
    if len(lines) > MAX_LINES:
        raise ToolError(f"File {path} exceeds maximum line limit of 999,999 lines.")
    if view_range and len(view_range) == 2:
        first = max(1, view_range[0]) - 1
        lines = lines[first : len(lines) if view_range[1] == -1 else view_range[1]]
    shown = [f"{str(n).rjust(NUMBER_WIDTH)}\t{line}" for n, line in enumerate(lines, first + 1)]
    return f"Here's the content of {path} with line numbers:\n" + "\n".join(shown)


def _check_once(path: str, text: str, wanted: str) -> None:
    count = text.count(wanted)
    if count == 0:
        raise ToolError(
            f"No replacement was performed, old_str `{wanted}` did not appear verbatim in {path}."
        )
    if count > 1:
        lines = ", ".join(str(text[:at].count("\n") + 1) for at in _positions(text, wanted))
        raise ToolError(
            f"No replacement was performed. Multiple occurrences of old_str `{wanted}` in lines: "
            f"{lines}. Please ensure it is unique"
        )


def _positions(text: str, wanted: str) -> Iterator[int]:
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1)


def _tree(files: dict[str, int], depth: int = 2) -> Iterator[tuple[str, int]]:
    """Files and folders by name, so many levels deep, each with its size."""
    names = sorted({path.partition("/")[0] for path in files})
    for name in (one for one in names if not one.startswith(".")):
        if name in files:
            yield name, files[name]
            continue
        inside = {
            path.removeprefix(f"{name}/"): size
            for path, size in files.items()
            if path.startswith(f"{name}/")
        }
        yield f"{name}/", sum(inside.values())
        if depth > 1:
            yield from ((f"{name}/{item}", size) for item, size in _tree(inside, depth - 1))


def _size(count: int) -> str:
    units = ["B", "K", "M", "G"]
    power = min(max(count.bit_length() - 1, 0) // 10, len(units) - 1)
    size = count / 1024**power
    return f"{int(size)}{units[power]}" if size == int(size) else f"{size:.1f}{units[power]}"
