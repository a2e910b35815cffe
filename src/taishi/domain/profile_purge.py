"""Removes forgotten content from a page and its history."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from ..types import Profile
from . import line_acl
from .line_acl import Statement


def purged(
    page: Profile, is_gone: Callable[[Statement], bool], labels: Collection[str]
) -> Profile | None:
    """The page without these lines and labels; None if it has none of them."""
    lines = line_acl.parse(page.body)
    kept = [line for line in lines if not (line.key and is_gone(line))]
    tags = tuple(tag for tag in page.tags if tag not in labels)
    name = "" if page.name in labels else page.name
    if len(kept) == len(lines) and (name, tags) == (page.name, page.tags):
        return None
    return replace(page, name=name, tags=tags, body=line_acl.render(kept))
