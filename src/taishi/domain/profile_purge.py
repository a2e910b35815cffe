"""Removes forgotten content from a page and its history."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from ..types import Profile
from . import line_acl
from .line_acl import Statement

# What is left of a line; None: nothing.
LineChange = Callable[[Statement], Statement | None]


def without_lines(is_gone: Callable[[Statement], bool]) -> LineChange:
    """Takes whole lines out, but not those that say nothing."""
    return lambda line: None if line.key and is_gone(line) else line


def without_mark(mark: str) -> LineChange:
    """Takes out what was learned in the group of this mark; what was learned elsewhere, too, or may
    be shown everywhere, stays without the mark."""

    def left(line: Statement) -> Statement | None:
        if mark not in line.marks:
            return line
        others = line.marks - {mark}
        return line._replace(marks=others) if others else None

    return left


def purged(page: Profile, change: LineChange, labels: Collection[str]) -> Profile | None:
    """The page with its lines changed and without these labels; None if nothing changes."""
    lines = line_acl.parse(page.body)
    kept = [left for line in lines if (left := change(line)) is not None]
    tags = tuple(tag for tag in page.tags if tag not in labels)
    name = "" if page.name in labels else page.name
    if kept == lines and (name, tags) == (page.name, page.tags):
        return None
    return replace(page, name=name, tags=tags, body=line_acl.render(kept))
