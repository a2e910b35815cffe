"""What became of the statements of an event, each note behind the statement that it is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..domain import corrections
from ..domain.text_identity import has_words, normal
from ..language.analyzer import has_cjk
from ..language.clauses import content
from ..types import Hit


def note_after(hit: Hit, text: str, shown: Sequence[str]) -> str:
    """The corrections to append to a text, unless it contains them: a hit's full text does, its
    parts and passages do not."""
    if corrections.is_noted(text, hit.metadata):
        return ""
    return corrections.note(hit.metadata, has_cjk(text), shown)


def notes_of(hit: Hit, parts: Sequence[str], text: str) -> list[str]:
    """For each of the shown parts, the notes on what it says; not those on the event's other parts,
    nor what the part itself says already. `text` is all that is shown."""
    if not hit.metadata.get(corrections.CORRECTIONS) or corrections.is_noted(text, hit.metadata):
        return [""] * len(parts)
    mine: list[list[Mapping[str, str]]] = [[] for _ in parts]
    statements = corrections.statements_of(hit.metadata, hit.text)
    names = content(f"{hit.speaker or ''} {hit.metadata.get('user') or ''}")
    found = corrections.corrections_of(hit.metadata)
    said = [one for one in found if any(_has(part, one["said"]) for part in parts)]
    for one in said or found:
        at = _shown_at(one["said"], statements, parts, names)
        if at is not None and not (one["now"] and has_words(parts[at], one["now"])):
            mine[at].append(one)
    chinese = has_cjk(text)
    return [
        corrections.note({corrections.CORRECTIONS: noted}, chinese, [part])
        for part, noted in zip(parts, mine, strict=True)
    ]


def _shown_at(
    said: str, statements: Sequence[str], parts: Sequence[str], names: frozenset[str]
) -> int | None:
    """The part that says it; None: it is not shown. The last one if nothing in the event is like
    it, as what was learned may be in other words."""
    exact = [n for n, part in enumerate(parts) if _has(part, said)]
    if exact:
        return exact[-1]
    words = content(said) - names
    shared = [len(words & content(one)) for one in statements]
    if not any(shared):
        return len(parts) - 1
    most = [one for one, count in zip(statements, shared, strict=True) if count == max(shared)]
    at = [
        n
        for n, part in enumerate(parts)
        if any(has_words(part, one) or has_words(one, part) for one in most)
    ]
    return at[-1] if at else None


def _has(part: str, said: str) -> bool:
    return normal(said) in normal(part)
