"""Formats results as short text for a model: absolute times, fenced, marked as reference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import tzinfo
from typing import Any

from ..context_block import block
from ..context_block.lines import INSTRUCTION
from ..errors import TimeError
from ..language.escape_controls import visible
from ..language.redaction.redactor import Redactor
from ..language.token_count import estimate_tokens, fit
from ..language.told_names import FORMERLY
from ..times import to_datetime, to_epoch
from ..types import Hit, Profile, Record, Scope
from .messages import WORDS, message
from .record_states import state_mark

LINE_TOKENS = 200
RESULT_TOKENS = 2400
LINE_CHARS = 4000  # far more than LINE_TOKENS; bounds the work on a huge text
BODY_CHARS = 20_000
NAME_CHARS = 200
NAME_TOKENS = 12
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
        id = state_mark(hit.metadata.get("state"), language)
        id += labelled_id(hit.id, hit.kind, language) if is_own else ""
        text = fit(_line(hit, redactor), LINE_TOKENS - estimate_tokens(id))
        lines.append(f"{text}{id}")
    return fenced("", lines, language)


def records(found: Sequence[Record], redactor: Redactor, zone: tzinfo, language: str) -> str:
    """One a line, with its time, kind and id."""
    lines = []
    for record in found:
        time = None if record.time is None else to_datetime(record.time, zone)
        when = block.format_timestamp(time, zone) if time else ""
        text = block.sanitize_line(redactor.text(_told(record, language)[:LINE_CHARS]))
        id = _validity(record, zone, language) + labelled_id(record.id, record.kind, language)
        tells_time = when and text.startswith(when[:10])  # an event does
        shown = fit(
            text if tells_time else f"[{when or record.kind}] {text}",
            LINE_TOKENS - estimate_tokens(id),
        )
        lines.append(f"{shown}{id}")
    return fenced("", lines, language)


def _validity(record: Record, zone: tzinfo, language: str) -> str:
    """That it does not hold, or for how long it does."""
    mark = state_mark(record.state, language)
    if mark or record.until is None:
        return mark
    return message(language, "ends", day=f"{to_datetime(record.until, zone):%Y-%m-%d}")


def labelled_id(id: str, kind: str, language: str) -> str:
    """The id as it can be passed back, and what it is of: not every tool takes every kind."""
    if kind == "fact" and id.startswith(f"{INSTRUCTION}-"):
        kind = INSTRUCTION
    return message(language, "id", id=block.sanitize_id(id), kind=kind_name(kind, language))


def _page_lines(text: str, data: Mapping[str, Any]) -> str:
    """What a page states, without the name and tags that its record begins with: they are there
    only to be searched."""
    tags = data.get("tags")
    labels = [str(data.get("name") or ""), *(tags if isinstance(tags, (list, tuple)) else ())]
    body = text.removeprefix(" ".join(map(str, labels)).strip())
    lines = list(_statements(body)) or list(_statements(text))
    return "; ".join(lines)


def told_with_id(record: Record, redactor: Redactor, language: str) -> str:
    """A record in the midst of a sentence."""
    return quoted(record, redactor, language) + labelled_id(record.id, record.kind, language)


def quoted(record: Record, redactor: Redactor, language: str) -> str:
    """What a record says, whole if that is not very long: whoever decides on it has to see it."""
    text = block.sanitize_line(redactor.text(_told(record, language)[:LINE_CHARS]))
    shown = fit(text, LINE_TOKENS)
    return f'"{shown}"' if language == "en" else f"“{shown}”"


def named(record: Record, redactor: Redactor, language: str) -> str:
    """A record by its first words and its id."""
    text = block.sanitize_line(redactor.text(_told(record, language)[:LINE_CHARS]))
    words = fit(text, NAME_TOKENS)
    quote = f'"{words}"' if language == "en" else f"“{words}”"
    return quote + labelled_id(record.id, record.kind, language)


def kind_name(kind: str, language: str) -> str:
    key = f"kind_{kind}"
    return message(language, key) if key in WORDS else kind


def _told(record: Record, language: str) -> str:
    """A record's text; a document's with its name, as several may have the same title."""
    if record.kind == "profile":
        return _page_lines(record.text, record.data)
    name = str(record.data.get("name") or "")
    if record.kind in ("document", "chunk") and name and not record.text.startswith(name):
        return f"{name}: {record.text}" if language == "en" else f"{name}：{record.text}"
    return record.text


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
    id = labelled_id(record.id, record.kind, language)
    return f"[{details['type']}, {block.sanitize_line(str(details['by']))}] {text}{id}"


def _line(hit: Hit, redactor: Redactor) -> str:
    told = block.statement(hit)
    if hit.kind == "profile":
        told = _page_lines(told, hit.metadata)
    text = redactor.text(told[:LINE_CHARS])
    if hit.speaker and hit.kind not in ("event", "turn") and hit.speaker not in text:
        text = f"{hit.speaker}: {text}"
    when = f"[{block.format_timestamp(hit.time, hit.time.tzinfo)}] " if hit.time else ""
    return f"{when}{block.sanitize_line(text)}"


def profile(page: Profile, redactor: Redactor, zone: tzinfo, language: str) -> str:
    """A person may have typed anything into the profile: it is redacted on output (R1)."""
    body = redactor.opening(page.body, BODY_CHARS)[:BODY_CHARS]
    name = redactor.text(page.name[:NAME_CHARS])
    # A former name is there to be searched; it may have been a mistake.
    shown = [tag for tag in page.tags if not tag.startswith(FORMERLY)]
    tags = redactor.text(", ".join(shown)[:LINE_CHARS])
    lines = [message(language, "tags", tags=block.sanitize_line(tags))] if tags else []
    lines += list(_statements(body)) or [message(language, "bare_profile")]
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
    statements = _page_lines(hit.text[:LINE_CHARS], hit.metadata)
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
