"""Takes over what nanobot kept in its workspace before: MEMORY.md, HISTORY.md or history.jsonl.

Once: what is known, or was forgotten since, is not written again. The files are only read.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...errors import TaishiError, TimeError
from ...memory import Memory
from ...times import TimeLike, to_epoch
from ...types import Scope
from ..quiet_calls import log, reason_of

MEMORY_FILE = "MEMORY.md"
LOG_FILES = ("history.jsonl", "HISTORY.md")  # the newer name first; it took over the older file
LOG_SESSION = "nanobot-history"
IMPORTED = "nanobot-memory-file"
MOST_ENTRIES = 10_000
MOST_BYTES = 32 << 20
_STAMPED = re.compile(r"^\[(\d{4}-\d\d-\d\d[^\]\n]{0,20})\][ \t]*", re.MULTILINE)
Owner = Callable[[str | None], Scope]


@dataclass(frozen=True, slots=True)
class LogEntry:
    """An entry of nanobot's log; without a session it is the agent's own."""

    text: str
    time: TimeLike
    session: str | None = None

    @property
    def id(self) -> str:
        said = f"{self.session or ''}\x1f{self.time}\x1f{self.text}"
        return f"nanobot-{hashlib.sha256(said.encode('utf-8', 'replace')).hexdigest()[:32]}"


def import_files(memory: Memory, folder: Path, owner: Owner) -> None:
    """What cannot be read is left where it is, and the log says so."""
    for take in (_take_memory_file, _take_log):
        try:
            take(memory, folder, owner)
        except (OSError, TaishiError) as error:
            log.warning("files of %s were not taken over: %s", folder, reason_of(error))


def _take_memory_file(memory: Memory, folder: Path, owner: Owner) -> None:
    agent, path = owner(None), folder / MEMORY_FILE
    text = _text(path)
    if not text.strip() or not memory.is_on(agent):
        return
    if memory.notes.operation(agent, IMPORTED) or memory.notes.read(agent, MEMORY_FILE):
        return
    if not memory.deletions.forgotten(agent, {IMPORTED: path.stat().st_mtime}):
        memory.notes.write(agent, MEMORY_FILE, text, operation=IMPORTED, fingerprint=MEMORY_FILE)


def _take_log(memory: Memory, folder: Path, owner: Owner) -> None:
    path = next((one for name in LOG_FILES if (one := folder / name).exists()), None)
    if path is None:
        return
    when = path.stat().st_mtime
    read = _json_entries if path.suffix == ".jsonl" else _text_entries
    by_session: dict[str | None, dict[str, LogEntry]] = {}
    for entry in list(read(_text(path), when))[-MOST_ENTRIES:]:
        by_session.setdefault(entry.session, {})[entry.id] = entry
    for session, entries in by_session.items():
        _add_entries(memory, owner(session), entries, when)


def _add_entries(
    memory: Memory, owner: Scope, entries: dict[str, LogEntry], written: float
) -> None:
    if not memory.is_on(owner):
        return
    zone = memory.settings.zone()

    def time_of(entry: LogEntry) -> float:
        try:
            return to_epoch(entry.time, zone)
        except TimeError:
            return written

    times = {id: time_of(entry) for id, entry in entries.items()}
    gone = memory.deletions.forgotten(owner, dict(times))
    new = {
        id: entry
        for id, entry in entries.items()
        if id not in gone and memory.records.get(owner, id) is None
    }
    messages: list[dict[str, Any]] = [
        {"id": id, "role": "assistant", "content": entry.text, "time": times[id]}
        for id, entry in new.items()
    ]
    if messages:
        memory.session(replace(owner, session=LOG_SESSION)).append(messages)
    items = [{"id": id, "text": entry.text, "time": times[id]} for id, entry in new.items()]
    memory.remember_many(owner, items)


def _json_entries(text: str, written: float) -> Iterator[LogEntry]:
    """A line each: cursor, timestamp, content and, of a chat, session_key."""
    for line in text.splitlines():
        try:
            found = json.loads(line)
        except ValueError:
            continue
        content = found.get("content") if isinstance(found, dict) else None
        if not isinstance(content, str) or not content.strip():
            continue
        time, session = found.get("timestamp"), found.get("session_key")
        is_key = isinstance(session, str) and all(part.strip() for part in session.split(":", 1))
        yield LogEntry(
            content.strip(),
            time if isinstance(time, str) else written,
            session if is_key and ":" in str(session) else None,
        )


def _text_entries(text: str, written: float) -> Iterator[LogEntry]:
    """Paragraphs, most of them with "[2026-03-02 19:12]" before them; one without goes with the
    one before."""
    pieces = _STAMPED.split(text)
    if pieces[0].strip():
        yield LogEntry(pieces[0].strip(), written)
    for time, entry in zip(pieces[1::2], pieces[2::2], strict=True):
        if entry.strip():
            yield LogEntry(entry.strip(), time)


def _text(path: Path) -> str:
    """Empty if there is no such file."""
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return file.read(MOST_BYTES).decode("utf-8", "replace")
