"""Formats results as short text for a model: absolute times, fenced, marked as reference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import tzinfo

from ..context_block import block
from ..errors import TimeError
from ..language.escape_controls import visible
from ..language.redaction.redactor import Redactor
from ..language.token_count import estimate_tokens, fit
from ..times import to_datetime, to_epoch
from ..types import Hit, Profile, Record, Scope
from .messages import message

LINE_TOKENS = 200
RESULT_TOKENS = 2400
LINE_CHARS = 4000  # far more than LINE_TOKENS; bounds the work on a huge text
BODY_CHARS = 20_000
NAME_CHARS = 200
PLACE_TOKENS = 60  # that file, section and page may take


def fenced(title: str, lines: Sequence[str], language: str, line_tokens: int = LINE_TOKENS) -> str:
    """As many lines as fit the budget, inside the same fence as prompt blocks (I1)."""
    labels = block.WORDS[language]
    rendered: list[str] = []
    budget = RESULT_TOKENS
    for line in lines:
        shortened = fit(line, line_tokens)
        budget -= estimate_tokens(shortened) + 2
        if budget < 0:
            rendered.append(message(language, "more", count=len(lines) - len(rendered)))
            break
        rendered.append(f"- {shortened}")
    return "\n".join([labels["open"], *([title] if title else []), *rendered, labels["close"]])


def events(hits: Sequence[Hit], redactor: Redactor, language: str) -> str:
    return fenced("", [_line(hit, redactor) for hit in hits], language)


def memories(hits: Sequence[Hit], scope: Scope, redactor: Redactor, language: str) -> str:
    """With the ids that `forget` accepts in this scope: ids are unique only within a partition. A
    procedure has its own, for `report_procedure`, wherever it is."""
    home = str(scope.home)
    lines = []
    for hit in hits:
        is_own = hit.metadata.get("place") == home or hit.kind == "procedure"
        id = message(language, "id", id=block.sanitize_line(hit.id)) if is_own else ""
        text = fit(_line(hit, redactor), LINE_TOKENS - estimate_tokens(id))
        lines.append(f"{text}{id}")
    return fenced("", lines, language)


def passages(hits: Sequence[Hit], redactor: Redactor, language: str) -> str:
    """Of documents, after where each is from; without its neighbours where they take the room."""
    room = max(LINE_TOKENS, RESULT_TOKENS // max(len(hits), 1) - 4)
    lines = []
    for hit in hits:
        matched = str(hit.metadata.get("matched") or hit.text)
        text = hit.text if estimate_tokens(hit.text) <= room - PLACE_TOKENS else matched
        where = block.sanitize_line(str(hit.metadata.get("citation") or ""))
        shown = block.sanitize_line(redactor.text(text[:LINE_CHARS]))
        lines.append(f"[{where}] {shown}" if where else shown)
    return fenced("", lines, language, room)


def proposals(
    waiting: Sequence[Record],
    pairs: Sequence[tuple[Record, Record]],
    redactor: Redactor,
    language: str,
) -> str:
    """What waits for a coordinator, and which of it contradicts what; empty if nothing does."""
    lines = [_proposal(record, redactor, language) for record in waiting]
    for old, new in pairs:
        both = (_proposal(record, redactor, language) for record in (old, new))
        lines.append(message(language, "contradicting") + " " + " ≠ ".join(both))
    return fenced(message(language, "waiting"), lines, language) if lines else ""


def _proposal(record: Record, redactor: Redactor, language: str) -> str:
    text = block.sanitize_line(redactor.text(record.text[:LINE_CHARS]))
    details = record.data["shared"]
    id = message(language, "id", id=block.sanitize_line(record.id))
    return f"[{details['type']}, {block.sanitize_line(str(details['by']))}] {text}{id}"


def _line(hit: Hit, redactor: Redactor) -> str:
    text = redactor.text(block.statement(hit)[:LINE_CHARS])
    if hit.speaker and hit.kind not in ("event", "turn") and hit.speaker not in text:
        text = f"{hit.speaker}: {text}"
    when = f"[{block.format_timestamp(hit.time, hit.time.tzinfo)}] " if hit.time else ""
    return f"{when}{block.sanitize_line(text)}"


def profile(page: Profile, redactor: Redactor, zone: tzinfo, language: str) -> str:
    """A person may have typed anything into the profile: it is redacted on output (R1)."""
    body = redactor.opening(page.body, BODY_CHARS)[:BODY_CHARS]
    name = redactor.text(page.name[:NAME_CHARS])
    tags = redactor.text(", ".join(page.tags)[:LINE_CHARS])
    lines = [message(language, "tags", tags=block.sanitize_line(tags))] if tags else []
    lines += list(_statements(body))
    title = heading(page.entity_type, page.entity_id, name, language)
    when = _stamp(page.updated_at, zone)
    dated = message(language, "updated", time=when) if when else ""
    return fenced(f"{title}{dated}:", lines, language)


def profiles(hits: Sequence[Hit], language: str) -> str:
    return fenced("", [_profile_line(hit, language) for hit in hits], language)


def heading(kind: str, id: str, name: str, language: str) -> str:
    clean_name = block.sanitize_line(name)
    name_part = message(language, "named", name=clean_name) if clean_name else ""
    return message(language, "profile", kind=kind, id=block.sanitize_line(id)) + name_part


def _profile_line(hit: Hit, language: str) -> str:
    kind, id = str(hit.metadata.get("entity_type", "")), str(hit.metadata.get("entity_id", ""))
    title = heading(kind, id, "", language)
    when = (
        message(language, "updated", time=block.format_timestamp(hit.time, None))
        if hit.time
        else ""
    )
    statements = "; ".join(_statements(hit.text[:LINE_CHARS]))
    return f"{title}{when}: {statements}"


def _statements(body: str) -> Iterator[str]:
    for line in visible(body).splitlines():
        if statement := block.sanitize_line(line.lstrip(" -*•#")):
            yield statement


def _stamp(text: str, zone: tzinfo) -> str:
    """A profile's update time; empty if a person typed something else there."""
    try:
        return block.format_timestamp(to_datetime(to_epoch(text, zone), zone), zone)
    except TimeError:
        return ""
