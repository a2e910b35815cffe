"""The navigation of mkdocs.yml: a pattern stands for the pages that it matches, in order, without
those that have an entry of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def expand(entries: list[Any], docs: Path) -> list[Any]:
    """The navigation without patterns."""
    return _expand(entries, docs, frozenset(files(entries)))


def files(entry: Any) -> list[str]:
    """The files and patterns that an entry, or a list of entries, names."""
    if isinstance(entry, str):
        return [entry]
    if isinstance(entry, dict):
        (entry,) = entry.values()
        return files(entry)
    return [name for part in entry for name in files(part)]


def _expand(entry: Any, docs: Path, named: frozenset[str]) -> list[Any]:
    if isinstance(entry, list):
        return [one for part in entry for one in _expand(part, docs, named)]
    if isinstance(entry, dict):
        ((title, inner),) = entry.items()
        return [{title: _expand(inner, docs, named) if isinstance(inner, list) else inner}]
    return _pages(entry, docs, named) if "*" in entry else [entry]


def _pages(pattern: str, docs: Path, named: frozenset[str]) -> list[str]:
    found = sorted(path.relative_to(docs).as_posix() for path in docs.glob(pattern))
    return [name for name in found if name not in named and not name.endswith(".zh-CN.md")]
