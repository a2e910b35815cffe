"""Where a chunk of a document comes from, in one line: file, section, page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SEPARATOR = " › "
MAX_CHARS = 300


def citation(data: Mapping[str, Any]) -> str:
    """Of a chunk's data; empty if it does not say. A host's own chunk may have anything there."""
    name, section, page = data.get("name"), data.get("section"), data.get("page")
    parts = [name] if isinstance(name, str) else []
    if isinstance(section, list | tuple):
        parts += [one for one in section if isinstance(one, str)]
    where = SEPARATOR.join(" ".join(part.split()) for part in parts if part.strip())[:MAX_CHARS]
    return f"{where}, p. {page}" if where and type(page) is int else where
