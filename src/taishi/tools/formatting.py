"""What was found → a short text for a model: absolute times, fenced, plainly not instructions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import tzinfo

from ..context_block import block
from ..errors import TimeError
from ..language.escape_controls import visible
from ..language.redaction.redactor import Redactor
from ..language.token_count import estimate_tokens, fit
from ..times import to_datetime, to_epoch
from ..types import Hit, Profile, Scope
from .messages import word

LINE_TOKENS = 200
RESULT_TOKENS = 2400
LINE_CHARS = 4000  # far more than LINE_TOKENS; nobody's megabyte is read for a line
BODY_CHARS = 20_000
NAME_CHARS = 200


def fenced(title: str, lines: Sequence[str], language: str) -> str:
    """As many lines as there is room for, between the fence that prompt blocks have (I1)."""
    words = block.WORDS[language]
    kept: list[str] = []
    room = RESULT_TOKENS
    for line in lines:
        cut = fit(line, LINE_TOKENS)
        room -= estimate_tokens(cut) + 2
        if room < 0:
            kept.append(word(language, "more", count=len(lines) - len(kept)))
            break
        kept.append(f"- {cut}")
    return "\n".join([words["open"], *([title] if title else []), *kept, words["close"]])


def events(hits: Sequence[Hit], redactor: Redactor, language: str) -> str:
    return fenced("", [_dated(hit, redactor) for hit in hits], language)


def memories(hits: Sequence[Hit], scope: Scope, redactor: Redactor, language: str) -> str:
    """With the ids of what `forget` can reach from here: ids are unique only within a place."""
    home = str(scope.home)
    lines = []
    for hit in hits:
        mine = hit.metadata.get("place") == home
        id = word(language, "id", id=block.harmless(hit.id)) if mine else ""
        text = fit(_dated(hit, redactor), LINE_TOKENS - estimate_tokens(id))
        lines.append(f"{text}{id}")
    return fenced("", lines, language)


def _dated(hit: Hit, redactor: Redactor) -> str:
    text = redactor.text(block.statement(hit)[:LINE_CHARS])
    if hit.speaker and hit.kind not in ("event", "turn") and hit.speaker not in text:
        text = f"{hit.speaker}: {text}"
    when = f"[{block.stamp(hit.time, hit.time.tzinfo)}] " if hit.time else ""
    return f"{when}{block.harmless(text)}"


def profile(page: Profile, redactor: Redactor, zone: tzinfo, language: str) -> str:
    """A person may have typed anything into the page: it is redacted on the way out (R1)."""
    body = redactor.opening(page.body, BODY_CHARS)[:BODY_CHARS]
    name = redactor.text(page.name[:NAME_CHARS])
    tags = redactor.text(", ".join(page.tags)[:LINE_CHARS])
    lines = [word(language, "tags", tags=block.harmless(tags))] if tags else []
    lines += list(_statements(body))
    title = heading(page.entity_type, page.entity_id, name, language)
    when = _stamp(page.updated_at, zone)
    dated = word(language, "updated", time=when) if when else ""
    return fenced(f"{title}{dated}:", lines, language)


def profiles(hits: Sequence[Hit], language: str) -> str:
    return fenced("", [_page(hit, language) for hit in hits], language)


def heading(kind: str, id: str, name: str, language: str) -> str:
    shown = block.harmless(name)
    named = word(language, "named", name=shown) if shown else ""
    return word(language, "profile", kind=kind, id=block.harmless(id)) + named


def _page(hit: Hit, language: str) -> str:
    kind, id = str(hit.metadata.get("entity_type", "")), str(hit.metadata.get("entity_id", ""))
    title = heading(kind, id, "", language)
    when = word(language, "updated", time=block.stamp(hit.time, None)) if hit.time else ""
    said = "; ".join(_statements(hit.text[:LINE_CHARS]))
    return f"{title}{when}: {said}"


def _statements(body: str) -> Iterator[str]:
    for line in visible(body).splitlines():
        if statement := block.harmless(line.lstrip(" -*•#")):
            yield statement


def _stamp(text: str, zone: tzinfo) -> str:
    """A page's own time; nothing if a person typed something else there."""
    try:
        return block.stamp(to_datetime(to_epoch(text, zone), zone), zone)
    except TimeError:
        return ""
