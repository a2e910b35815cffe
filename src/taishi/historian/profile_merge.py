"""Merges new statements into a profile with a model (P2). The front matter is written by code
only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ..errors import ModelError
from ..language.analyzer import terms
from ..language.drift import drift
from ..language.text import one_line
from ..ports import ChatModel, Tool
from ..types import Profile
from .coerce import line_of, text_of, texts_of
from .prompt_loader import Prompts

SUMMARY_CHARS = 6000
MAX_TAGS = 12
_EXCERPT_CHARS = 5000  # of a longer profile, so that the answer has room to grow
_MAX_STATEMENTS = 40
_MIN_LINES = 3  # a correction may change every line of a shorter profile
_KEYS = "entity_type|entity_id|name|tags|updated_at|source_event_id|changed_by"

UPDATE_PROFILE = Tool(
    "update_profile",
    "Write the whole page; all empty: nothing to change.",
    {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "what they are called"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "summary": {"type": "string", "description": "the whole page, Markdown"},
        },
        "required": ["name", "tags", "summary"],
    },
)


def merge_profile(
    model: ChatModel,
    prompts: Prompts,
    language: str,
    profile: Profile,
    statements: Sequence[str],
) -> Profile | None:
    """The profile with these statements merged in; None if that changes nothing.

    The tail of a profile that exceeds the prompt stays as it is. An answer that drops most of the
    profile, or invents figures, is sent back once; the second time it is an error.
    """
    if not statements:
        return None
    excerpt, tail = _split(profile.body)
    data = {
        "profile": {"name": profile.name, "tags": list(profile.tags), "summary": excerpt},
        "statements": [line_of(text, 400) for text in statements[:_MAX_STATEMENTS]],
        "remark": "",
    }
    for _ in range(2):
        messages = prompts.messages("merge", language, data=data)
        answer = model.structured("merge", messages, UPDATE_PROFILE)
        summary = _strip_wrapping(text_of(answer.get("summary"), 4 * SUMMARY_CHARS))
        remark = _rejection(excerpt, summary, profile, statements)
        if not remark:
            break
        data = data | {"remark": remark}
    else:
        raise ModelError(f"the profile of {profile.entity_id} was not merged: {remark}")
    merged = replace(
        profile,
        name=line_of(answer.get("name"), 80) or profile.name,
        tags=_tags(answer.get("tags")) or profile.tags,
        body=_append_tail(summary, tail) if summary else profile.body,
    )
    is_unchanged = (merged.name, merged.tags, merged.body.strip()) == (
        profile.name,
        profile.tags,
        profile.body.strip(),
    )
    return None if is_unchanged else merged


def _split(body: str) -> tuple[str, str]:
    """The part for the prompt, in whole lines, and the unchanged rest."""
    if len(body) <= SUMMARY_CHARS:
        return body, ""
    cut = body.rfind("\n", 0, _EXCERPT_CHARS) + 1 or _EXCERPT_CHARS
    return body[:cut], body[cut:]


def _append_tail(summary: str, tail: str) -> str:
    """Append the tail, without lines that the new text already has."""
    existing = {_key(line) for line in summary.split("\n")} - {""}
    rest = "\n".join(line for line in tail.split("\n") if _key(line) not in existing)
    return f"{summary}\n{rest}" if rest.strip() else summary


def _key(line: str) -> str:
    """Comparison key: letters and digits only."""
    return "".join(char for char in line.casefold() if char.isalnum())


def _tags(value: object) -> tuple[str, ...]:
    cleaned = (one_line(tag.lstrip("#")) for tag in texts_of(value, MAX_TAGS * 2, 40))
    return tuple(dict.fromkeys(tag for tag in cleaned if tag))[:MAX_TAGS]


def _strip_wrapping(text: str) -> str:
    """The profile text without a code fence or front matter."""
    text = re.sub(r"\A```[a-z]*\n(.*?)\n?```\Z", r"\1", text.strip(), flags=re.DOTALL).strip()
    text = re.sub(r"\A-{3,}[ \t]*\n(?:[^\n]*\n){0,40}?-{3,}[ \t]*(?:\n|\Z)", "", text).strip()
    lines = text.split("\n")
    while lines and re.match(rf"(?:-{{3,}}\s*$|(?:{_KEYS})\s*:)", lines[0]):
        lines.pop(0)
    return "\n".join(lines).strip()


def _rejection(old: str, new: str, profile: Profile, statements: Sequence[str]) -> str:
    """Why a new text is rejected, as feedback for the model; "" if it is not."""
    if not new:
        return ""
    if len(new) > SUMMARY_CHARS:
        return f"the summary has more than {SUMMARY_CHARS} characters; shorten it"
    lines = [line for line in map(_words, old.split("\n")) if line]
    new_words = _words(new)
    lost = [line for line in lines if len(line & new_words) < len(line) / 2]
    if len(lines) >= _MIN_LINES and 2 * len(lost) > len(lines):
        summary = f"{len(lost)} of {len(lines)} lines of the page are gone"
        return f"{summary}; keep every line that the statements do not contradict"
    source = "\n".join((old, profile.name, profile.entity_id, *profile.tags, *statements))
    for fault in drift(new, source):
        if any(char.isdigit() for char in fault.word):
            return f"{fault.word[:40]!r} is neither on the page nor in the statements"
    return ""


def _words(line: str) -> set[str]:
    return set(terms(line[: 2 * SUMMARY_CHARS]))
