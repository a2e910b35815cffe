"""The names of job files: `ID.ATTEMPT[-LOST].WHEN[.OWNER].json`, which hold a job's whole state.

`ATTEMPT` counts tries that failed because of the job itself, and the current one. `LOST` counts
claims whose process died or stopped renewing its lease: not the job's fault, unless it keeps
happening.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..durable_io import Folder

_ID = r"\d{20}-[0-9a-f]{12}"
_OWNER = r"[0-9a-f]{12}-\d{1,10}-\d{1,20}-[0-9a-f]{8}"
_TRIES = r"(\d{1,6})(?:-(\d{1,6}))?"
NAME = re.compile(rf"({_ID})\.{_TRIES}\.(\d{{1,15}})(?:\.({_OWNER}))?\.json", re.ASCII)
TOKEN = re.compile(rf"({_ID})\.{_TRIES}\.({_OWNER})", re.ASCII)
MAX_ATTEMPT = 999_999
REASON_SUFFIX = ".reason.txt"


@dataclass(frozen=True, slots=True)
class Entry:
    """The parsed name of a job file."""

    id: str
    attempt: int
    when: int  # milliseconds since the epoch
    owner: str = ""
    lost: int = 0

    @property
    def name(self) -> str:
        owner = f".{self.owner}" if self.owner else ""
        return f"{self.id}.{self._tries}.{self.when}{owner}.json"

    @property
    def token(self) -> str:
        return f"{self.id}.{self._tries}.{self.owner}"

    @property
    def _tries(self) -> str:
        return f"{self.attempt}-{self.lost}" if self.lost else f"{self.attempt}"

    @property
    def born(self) -> float:
        return int(self.id[:20]) / 1e9


def parse(name: str) -> Entry | None:
    found = NAME.fullmatch(name)
    return found and Entry(
        found[1], int(found[2]), int(found[4]), found[5] or "", int(found[3] or 0)
    )


def entries(folder: Folder) -> list[Entry]:
    return [entry for name in folder.names() if (entry := parse(name))]


def to_ms(seconds: float) -> int:
    return int(min(max(seconds, 0.0) * 1000, 999_999_999_999_999))
