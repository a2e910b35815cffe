"""The files of Taishi's local sentence encoders: where they are, and whether they are intact.

This package holds data and no inference code. Each encoder is an ONNX graph with a tokenizer:

- the graph takes `ids` (int64, 1 × length, at most `MAX_TOKENS`) and gives `sentence`
  (float32, 1 × `DIMENSIONS`), which the caller scales to unit length;
- the tokenizer is a file of the `tokenizers` library. Switch its padding off and set its
  truncation to `MAX_TOKENS`: the English file asks for a fixed 128 tokens, and the graph has no
  attention mask, so padding would change the vector.

Text with Han characters goes to the Chinese encoder, in simplified characters; all other text
goes to the English one. Vectors of both can be compared directly.
"""

from __future__ import annotations

import hashlib
import json
import shlex
from dataclasses import dataclass
from importlib import resources
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

# Stored beside every vector. Change it whenever the same text would get another vector.
NAME = "taishi-local-2"
DIMENSIONS = 384
MAX_TOKENS = 256

FILE_NAMES = (
    "english-384.onnx",
    "english-384-tokenizer.json",
    "chinese-384.onnx",
    "chinese-384-tokenizer.json",
    "simplified.txt",
)
CHECKSUMS = "checksums.txt"


class ModelFilesError(Exception):
    """The files of the model are missing or damaged; the message names them and the remedy."""


@dataclass(frozen=True, slots=True)
class EncoderFiles:
    """One encoder: its ONNX graph and the tokenizer that makes its input."""

    graph: Path
    tokenizer: Path


def folder() -> Path:
    """The folder that holds every file of the model."""
    place = resources.files(__name__)
    if not isinstance(place, Path):
        raise ModelFilesError(
            "taishi-model runs from an archive, but its graphs must be files on disk: "
            "install it with pip"
        )
    return place


def english() -> EncoderFiles:
    """The encoder for text without Han characters."""
    return EncoderFiles(folder() / "english-384.onnx", folder() / "english-384-tokenizer.json")


def chinese() -> EncoderFiles:
    """The encoder for text with Han characters; give it simplified ones, see `simplified()`."""
    return EncoderFiles(folder() / "chinese-384.onnx", folder() / "chinese-384-tokenizer.json")


def simplified() -> Path:
    """Two lines of equal length: traditional characters and their simplified forms."""
    return folder() / "simplified.txt"


def check(place: Path | None = None) -> None:
    """Compare every file with its checksum; raise `ModelFilesError` that names all bad files.

    Files are read in pieces, so memory stays small. `place` is for tests and for copies of the
    files outside the installed package.
    """
    place = place or folder()
    expected = _read_checksums(place / CHECKSUMS)
    faults = [fault for name in FILE_NAMES if (fault := _fault(place / name, expected.get(name)))]
    if faults:
        raise ModelFilesError(
            f"taishi-model in {place}: {'; '.join(faults)}. Please {_reinstall()}"
        )


def _read_checksums(path: Path) -> dict[str, str]:
    """File name → SHA-256, from lines as `sha256sum` writes them."""
    try:
        lines = path.read_text("utf-8").splitlines()
        pairs = [line.split() for line in lines if line.strip()]
        return {name: digest for digest, name in pairs}
    except (OSError, ValueError) as error:
        raise ModelFilesError(f"{path} cannot be read ({error}). Please {_reinstall()}") from error


def _fault(path: Path, expected: str | None) -> str | None:
    """What is wrong with one file, in words; None if nothing is."""
    if expected is None:
        return f"{path.name} has no entry in {CHECKSUMS}"
    try:
        with path.open("rb") as file:
            actual = hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return f"{path.name} is missing"
    except OSError as error:
        return f"{path.name} cannot be read ({error})"
    return None if actual == expected else f"{path.name} is damaged (its SHA-256 is {actual})"


def _reinstall() -> str:
    """The line that works where this was installed from: a folder or a wheel, or an index."""
    source = "taishi-model"
    try:
        direct = json.loads(distribution(source).read_text("direct_url.json") or "{}")
        address = urlsplit(str(direct.get("url", "")))
        if address.scheme == "file":
            source = shlex.quote(url2pathname(address.path))
    except (PackageNotFoundError, ValueError, AttributeError):
        pass
    return f"install it again: pip install --force-reinstall --no-deps {source}"
