"""Joins a chunk that matched with the chunks before and after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..domain.citations import citation
from ..ports import Store
from ..types import Hit, Record
from .manifest import CHUNK, DOCUMENT, SEPARATOR, body_of, chunk_id

NOT_FOUND = -1.0  # the score of a neighbour: it did not match itself
MOST_OVERLAP = 2000

Span = tuple[str, str, int]  # partition, document, number


@dataclass(frozen=True, slots=True)
class NeighbourExpander:
    """Implements ports.Expander: the chunks up to `reach` numbers away, and the document itself,
    whose record has its summary."""

    store: Store
    reach: int

    def expand(self, hits: Sequence[tuple[Record, float]]) -> Sequence[tuple[Record, float]]:
        known = {(record.place, record.id) for record, _ in hits}
        added: list[tuple[Record, float]] = []
        for record, _ in hits:
            document, number = record.data.get("document"), record.data.get("number")
            if record.kind != CHUNK or not isinstance(document, str) or type(number) is not int:
                continue
            around = range(max(0, number - self.reach), number + self.reach + 1)
            for id in (document, *(chunk_id(document, at) for at in around)):
                if (record.place, id) not in known:
                    known.add((record.place, id))
                    found = self.store.get(record.place, id)
                    if found is not None and found.kind in (CHUNK, DOCUMENT):
                        added.append((found, NOT_FOUND))
        return [*hits, *added]


def joined(hits: Sequence[Hit], reach: int) -> list[Hit]:
    """Each match with its neighbours as one hit, the best first; matches whose neighbours touch
    are one hit. A chunk is shown once."""
    chunks = {span: hit for hit in hits if (span := _span(hit)) is not None}
    parents = {(hit.metadata.get("place"), hit.id): hit for hit in hits if hit.kind == DOCUMENT}
    owner: dict[Span, int] = {}
    groups: list[list[Hit]] = []
    for hit in hits:
        if hit.score == NOT_FOUND:
            continue
        span = _span(hit)
        if span is None:
            groups.append([hit])
            continue
        at = owner.get(span)
        if at is None:
            at = len(groups)
            groups.append([hit])
        place, document, number = span
        for near in range(number - reach, number + reach + 1):
            if (place, document, near) in chunks:
                owner.setdefault((place, document, near), at)
    members: dict[int, list[Hit]] = {}
    for span, at in owner.items():
        members.setdefault(at, []).append(chunks[span])
    merged = (_merged(group[0], members.get(at, group)) for at, group in enumerate(groups))
    return [_with_parent(hit, parents) for hit in merged]


def _with_parent(hit: Hit, parents: Mapping[tuple[Any, str], Hit]) -> Hit:
    """With the title and the summary of its document."""
    parent = parents.get((hit.metadata.get("place"), str(hit.metadata.get("document"))))
    if parent is None:
        return hit
    title, _, summary = parent.text.partition("\n")
    about = {"title": title, "summary": summary, "summary_by": parent.metadata.get("summary_by")}
    return replace(hit, metadata={**hit.metadata, **about})


def _merged(match: Hit, chunks: Sequence[Hit]) -> Hit:
    own = match.metadata
    parts = sorted(chunks, key=lambda hit: hit.metadata.get("number") or 0)
    runs = _runs(parts)
    run = next((one for one in runs if any(hit.id == match.id for hit in one)), [match])
    pages = [page for hit in run if type(page := hit.metadata.get("page")) is int]
    data: dict[str, Any] = {
        **{key: value for key, value in own.items() if key != "heading"},
        "citation": citation(own),
        "matched": body_of(match.text, own),
        "chunks": [hit.id for hit in run],
    }
    if pages:
        data["pages"] = [min(pages), max(pages)]
    return replace(match, text=_text(run), metadata=data, passage=None)


def _runs(parts: Sequence[Hit]) -> list[list[Hit]]:
    """Chunks that follow one another."""
    runs: list[list[Hit]] = []
    for hit in parts:
        last = runs[-1][-1].metadata.get("number") if runs else None
        if isinstance(last, int) and hit.metadata.get("number") == last + 1:
            runs[-1].append(hit)
        else:
            runs.append([hit])
    return runs


def _text(run: Sequence[Hit]) -> str:
    """The titles above, then the chunks without what each repeats of the one before; where the
    section changes, its title."""
    lines: list[str] = []
    section, before = None, ""
    for hit in run:
        body = body_of(hit.text, hit.metadata)
        own = _section(hit.metadata)
        if section is None:
            head = hit.text[: len(hit.text) - len(body)].strip()
            lines += [head] if head else []
        elif own != section and own:
            lines.append(SEPARATOR.join(own))
        repeated = _overlap(before, body) if own == section else 0
        lines.append(body[repeated:].strip())
        section, before = own, body
    return "\n".join(line for line in lines if line)


def _overlap(before: str, after: str) -> int:
    """How many characters of the end of one are the beginning of the other."""
    most = min(len(before), len(after), MOST_OVERLAP)
    head = after[:8]
    start = before.find(head, len(before) - most) if head else -1
    while start >= 0:
        size = len(before) - start
        if size <= most and before.endswith(after[:size]):
            return size
        start = before.find(head, start + 1)
    return 0


def _section(data: Mapping[str, Any]) -> tuple[str, ...]:
    value = data.get("section")
    return tuple(map(str, value)) if isinstance(value, list) else ()


def _span(hit: Hit) -> Span | None:
    data = hit.metadata
    document, number = data.get("document"), data.get("number")
    if hit.kind != CHUNK or not isinstance(document, str) or type(number) is not int:
        return None
    return str(data.get("place")), document, number
