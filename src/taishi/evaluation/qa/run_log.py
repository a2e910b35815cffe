"""The log of a run: one JSON line for everything that was paid for, so that a run can go on.

Appended and synced line by line. A line that a killed process left half written is dropped.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ...disk.durable_io import make_folder, write_durably
from ...disk.file_locks import held
from ...errors import BusyError, InputError, StorageError
from ...ports import Call

Key = tuple[str, str]  # question id, system


class RunLog:
    """The folder of one run: `run.json` says what it measures, `log.jsonl` what is done, `memory/`
    holds the memories. Implements ports.Ledger. Safe to share between threads."""

    def __init__(self, folder: Path, entries: list[dict[str, Any]]) -> None:
        self.folder = folder
        self.answers: dict[Key, dict[str, Any]] = {}
        self.verdicts: dict[Key, dict[str, Any]] = {}
        self.corpora: dict[int, dict[str, Any]] = {}
        self.calls: list[dict[str, Any]] = []
        self._lock = threading.Lock()
        for entry in entries:
            self._take(entry)

    @classmethod
    @contextmanager
    def opened(cls, folder: Path, measured: Mapping[str, Any]) -> Iterator[RunLog]:
        """Hold the folder, made if need be. Raises InputError where it is another run's."""
        try:
            make_folder(folder)
            with held(folder / "run.lock", 0.0, str(folder)):
                _check_same(folder / "run.json", measured)
                yield cls(folder, _entries(folder / "log.jsonl"))
        except BusyError as error:
            raise BusyError(f"{folder} is used by another evaluation; wait for it") from error
        except OSError as error:
            raise StorageError(
                f"{folder} cannot be used ({error}); choose another --state"
            ) from error

    @classmethod
    def peek(cls, folder: Path) -> RunLog:
        """What is done already; nothing is made or locked."""
        path = folder / "log.jsonl"
        return cls(folder, _entries(path, mend=False) if path.is_file() else [])

    def memory_folder(self, number: int) -> Path:
        return self.folder / "memory" / f"{number:04d}"

    def answer(self, key: Key, **fields: Any) -> None:
        self._append({"type": "answer", "question": key[0], "system": key[1], **fields})

    def verdict(self, key: Key, **fields: Any) -> None:
        self._append({"type": "verdict", "question": key[0], "system": key[1], **fields})

    def corpus(self, number: int, **fields: Any) -> None:
        self._append({"type": "corpus", "number": number, **fields})

    def add(self, call: Call) -> None:
        self._append({"type": "call", **asdict(call)})

    def _append(self, entry: dict[str, Any]) -> None:
        line = json.dumps(entry, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        with self._lock:
            handle = os.open(
                self.folder / "log.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600
            )
            try:
                os.write(handle, line)
                os.fsync(handle)
            finally:
                os.close(handle)
            self._take(entry)

    def _take(self, entry: dict[str, Any]) -> None:
        match entry["type"]:
            case "answer":
                self.answers[entry["question"], entry["system"]] = entry
            case "verdict":
                self.verdicts[entry["question"], entry["system"]] = entry
            case "corpus":
                self.corpora[entry["number"]] = entry
            case "call":
                self.calls.append(entry)


def _check_same(path: Path, measured: Mapping[str, Any]) -> None:
    """A figure is one file, one set of models and one set of prompts."""
    if not path.is_file():
        write_durably(path, json.dumps(measured, ensure_ascii=False, indent=1).encode())
        return
    known = json.loads(path.read_text(encoding="utf-8"))
    if changed := [name for name, value in measured.items() if known.get(name) != value]:
        raise InputError(
            f"{path.parent} holds a run with another {' and '.join(changed)}: "
            "choose another --state, or remove that folder"
        )


def _entries(path: Path, mend: bool = True) -> list[dict[str, Any]]:
    """Every whole line. What a killed process left after the last one is cut off."""
    if not path.is_file():
        return []
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if mend and len(whole) < len(data):
        os.truncate(path, len(whole))
    try:
        return [json.loads(line) for line in whole.splitlines()]
    except ValueError as error:
        raise StorageError(
            f"{path} is damaged ({error}); remove that line, or the folder"
        ) from error
