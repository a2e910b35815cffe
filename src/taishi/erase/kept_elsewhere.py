"""Whose words the phrases of somebody who was forgotten are, too: what others said stays (O2).

A page says nothing by itself: its lines were learned from what somebody said, or a person wrote
them, and then there is a record of that. So a phrase that stands on pages alone is nobody's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from ..domain.line_acl import Statement
from ..exported import ExportedProfile, ExportedRecord, Remnant
from ..transfer.format import read_line
from ..transfer.staging import place_of
from .phrase_scan import Phrases, forms_of, names_id

LINES_AT_ONCE = 500
Lines = Callable[[], Iterable[str]]


@dataclass(slots=True)
class Kept:
    """`traces`: who keeps which phrases; `texts`: those that others said; `on_pages`: what stands
    on pages and was said by nobody that is left."""

    traces: list[Remnant] = field(default_factory=list)
    texts: set[str] = field(default_factory=set)
    on_pages: list[Remnant] = field(default_factory=list)


def kept_elsewhere(lines: Lines, phrases: Phrases, id: str | None) -> Kept:
    """The phrases, and the id, in what is left of an export; `lines` gives it, twice if need be."""
    kept = Kept()
    paged: list[Remnant] = []
    for line, texts in _holding(lines(), phrases, id):
        item: Any = read_line(line)
        is_page = _is_page(item)
        if is_page:
            kept.texts |= texts & {id}
        else:
            kept.texts |= texts
        if id in texts and not names_id(line.encode(), str(id).encode()):
            texts.discard(str(id))  # a part of something longer
        traces = [Remnant(_described(item), text) for text in sorted(texts)]
        (paged if is_page else kept.traces).extend(traces)
    doubtful = {one.what for one in paged} - kept.texts
    kept.texts |= _said_besides(lines, doubtful) if doubtful else set()
    for one in dict.fromkeys(paged):
        (kept.traces if one.what in kept.texts else kept.on_pages).append(one)
    kept.traces = list(dict.fromkeys(kept.traces))
    return kept


def _said_besides(lines: Lines, phrases: Iterable[str]) -> set[str]:
    """Those that another record says without the bullet and the mark that they have on a page."""
    left = {one: [form for form in forms_of(Statement(one).said) if form] for one in phrases}
    found: set[str] = set()
    for line in lines():
        data = line.encode("utf-8", "replace")
        here = {one for one, forms in left.items() if any(form in data for form in forms)}
        if here and not _is_page(read_line(line)):
            found |= here
            left = {one: forms for one, forms in left.items() if one not in here}
            if not left:
                break
    return found


def _holding(
    lines: Iterable[str], phrases: Phrases, id: str | None
) -> Iterator[tuple[str, set[str]]]:
    all_lines = iter(lines)
    while some := list(islice(all_lines, LINES_AT_ONCE)):
        if _held("".join(some), phrases, id):
            yield from ((line, found) for line in some if (found := _held(line, phrases, id)))


def _held(text: str, phrases: Phrases, id: str | None) -> set[str]:
    data = text.encode("utf-8", "replace")
    found = phrases.within(data)
    return found | {id} if id is not None and id.encode() in data else found


def _is_page(item: Any) -> bool:
    if isinstance(item, ExportedRecord):
        return item.record.kind == "profile"
    return isinstance(item, ExportedProfile)


def _described(item: Any) -> str:
    place = place_of(item) if not hasattr(item, "counts") else None
    return f"{type(item).__name__.removeprefix('Exported').lower()} of {place}"
