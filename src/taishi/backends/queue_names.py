"""The names of job files: `ID.ATTEMPT.WHEN[.OWNER].json`, all that changes in a job's life."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .files import Folder

_ID = r"\d{20}-[0-9a-f]{12}"
_OWNER = r"[0-9a-f]{12}-\d{1,10}-\d{1,20}-[0-9a-f]{8}"
NAME = re.compile(rf"({_ID})\.(\d{{1,6}})\.(\d{{1,15}})(?:\.({_OWNER}))?\.json", re.ASCII)
TOKEN = re.compile(rf"({_ID})\.(\d{{1,6}})\.({_OWNER})", re.ASCII)
MAX_ATTEMPT = 999_999
REASON_SUFFIX = ".reason.txt"


@dataclass(frozen=True, slots=True)
class Entry:
    """One job file's name, taken apart."""

    id: str
    attempt: int
    when: int  # milliseconds since the epoch
    owner: str = ""

    @property
    def name(self) -> str:
        owner = f".{self.owner}" if self.owner else ""
        return f"{self.id}.{self.attempt}.{self.when}{owner}.json"

    @property
    def token(self) -> str:
        return f"{self.id}.{self.attempt}.{self.owner}"

    @property
    def born(self) -> float:
        return int(self.id[:20]) / 1e9


def parse(name: str) -> Entry | None:
    found = NAME.fullmatch(name)
    return found and Entry(found[1], int(found[2]), int(found[3]), found[4] or "")


def entries(folder: Folder) -> list[Entry]:
    return [entry for name in folder.names() if (entry := parse(name))]


def to_ms(seconds: float) -> int:
    return int(min(max(seconds, 0.0) * 1000, 999_999_999_999_999))
