"""Reading what others published, and the files that the scripts hand to each other."""

from __future__ import annotations

import json
import lzma
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Clones:
    """A folder of git clones, each at OWNER+NAME/repo; files are read from the latest commit.

    A file that a clone does not hold reads as empty.
    """

    folder: Path

    def read_bytes(self, repository: str, path: str) -> bytes:
        clone = str(self.folder / repository / "repo")
        command = ["git", "-C", clone, "show", f"HEAD:{path}"]
        return subprocess.run(command, capture_output=True, check=False).stdout

    def read_text(self, repository: str, path: str, encoding: str = "utf-8") -> str:
        return self.read_bytes(repository, path).decode(encoding, "replace")

    def read_json(self, repository: str, path: str) -> Any:
        return json.loads(self.read_text(repository, path, "utf-8-sig"))


def read_lines(path: Path) -> list[Any]:
    """Every value of an xz file with one JSON value a line."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def write_lines(path: Path, values: Iterable[Any], preset: int = 3) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with lzma.open(path, "wt", preset=preset, encoding="utf-8") as file:
        for value in values:
            file.write(json.dumps(value, ensure_ascii=False) + "\n")
