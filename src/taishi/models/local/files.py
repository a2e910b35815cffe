"""Where each file of the local embedder lies, and how to tell that it is whole."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Raise the number whenever the same text would get another vector: other files, another graph,
# another gloss, another weight. Vectors with another name are made anew.
MODEL_NAME = "taishi-local-1"
WIDTH = 384
MAX_TOKENS = 256
PULL = "run `taishi models pull` (or configure another embedder)"


@dataclass(frozen=True, slots=True)
class Files:
    """The folder of one built model."""

    folder: Path

    @property
    def manifest(self) -> Path:
        return self.folder / "manifest.json"

    @property
    def notice(self) -> Path:
        return self.folder / "NOTICE"

    @property
    def english(self) -> Path:
        return self.folder / "english.onnx"

    @property
    def english_tokenizer(self) -> Path:
        return self.folder / "english-tokenizer.json"

    @property
    def chinese(self) -> Path:
        return self.folder / "chinese.onnx"

    @property
    def chinese_tokenizer(self) -> Path:
        return self.folder / "chinese-tokenizer.json"

    @property
    def glosses(self) -> Path:
        return self.folder / "glosses.tsv"

    @property
    def simplified(self) -> Path:
        return self.folder / "simplified.txt"

    @property
    def content(self) -> tuple[Path, ...]:
        """Everything the manifest vouches for."""
        return (
            self.english,
            self.english_tokenizer,
            self.chinese,
            self.chinese_tokenizer,
            self.glosses,
            self.simplified,
            self.notice,
        )

    def wrong_sizes(self, manifest: Mapping[str, Any]) -> Iterator[str]:
        """Names of files that are absent or not as long as they were: a quick check."""
        for path in self.content:
            expected = manifest["files"].get(path.name, {}).get("size")
            if not path.is_file() or path.stat().st_size != expected:
                yield path.name

    def wrong_hashes(self, manifest: Mapping[str, Any]) -> Iterator[str]:
        """Names of files that are absent or not what was written: the full check."""
        for path in self.content:
            expected = manifest["files"].get(path.name, {}).get("sha256")
            if not path.is_file() or sha256_of(path) != expected:
                yield path.name


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
