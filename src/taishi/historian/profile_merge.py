"""Bringing a profile up to date with a model (P2). The code writes the front matter, never it."""

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
MOST_TAGS = 12
_SHOWN_OF_MORE = 5000  # of a longer page, so that the answer has room to grow
_MOST_STATEMENTS = 40
_FEWEST_LINES = 3  # of a page of one or two lines, a correction may well change every one
_KEYS = "entity_type|entity_id|name|tags|updated_at|source_event_id"

UPDATE_PROFILE = Tool(
    "update_profile",
    "Write the page anew; all empty: nothing to change.",
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
    """The profile with these statements worked in; None if that changes nothing.

    A page that grew beyond what a model is shown keeps its tail as it is. An answer that throws
    away most of the page, or makes up figures, is refused once; the second time it is an error.
    """
    if not statements:
        return None
    shown, tail = _split(profile.body)
    data = {
        "profile": {"name": profile.name, "tags": list(profile.tags), "summary": shown},
        "statements": [line_of(text, 400) for text in statements[:_MOST_STATEMENTS]],
        "remark": "",
    }
    for _ in range(2):
        messages = prompts.messages("merge", language, data=data)
        answer = model.structured("merge", messages, UPDATE_PROFILE)
        summary = _page(text_of(answer.get("summary"), 4 * SUMMARY_CHARS))
        remark = _objection(shown, summary, profile, statements)
        if not remark:
            break
        data = data | {"remark": remark}
    else:
        raise ModelError(f"the profile of {profile.entity_id} was not merged: {remark}")
    merged = replace(
        profile,
        name=line_of(answer.get("name"), 80) or profile.name,
        tags=_tags(answer.get("tags")) or profile.tags,
        body=_joined(summary, tail) if summary else profile.body,
    )
    same = (merged.name, merged.tags, merged.body.strip()) == (
        profile.name,
        profile.tags,
        profile.body.strip(),
    )
    return None if same else merged


def _split(body: str) -> tuple[str, str]:
    """What the model is shown, in whole lines, and what is left as it is."""
    if len(body) <= SUMMARY_CHARS:
        return body, ""
    cut = body.rfind("\n", 0, _SHOWN_OF_MORE) + 1 or _SHOWN_OF_MORE
    return body[:cut], body[cut:]


def _joined(summary: str, tail: str) -> str:
    """What is said once stands once: a line of the tail that the new text has, too, goes."""
    told = {_key(line) for line in summary.split("\n")} - {""}
    rest = "\n".join(line for line in tail.split("\n") if _key(line) not in told)
    return f"{summary}\n{rest}" if rest.strip() else summary


def _key(line: str) -> str:
    """Its letters and figures: bullets and punctuation make no difference."""
    return "".join(char for char in line.casefold() if char.isalnum())


def _tags(value: object) -> tuple[str, ...]:
    found = (one_line(tag.lstrip("#")) for tag in texts_of(value, MOST_TAGS * 2, 40))
    return tuple(dict.fromkeys(tag for tag in found if tag))[:MOST_TAGS]


def _page(text: str) -> str:
    """The page without a code fence around it and without anything like a front matter."""
    text = re.sub(r"\A```[a-z]*\n(.*?)\n?```\Z", r"\1", text.strip(), flags=re.DOTALL).strip()
    text = re.sub(r"\A-{3,}[ \t]*\n(?:[^\n]*\n){0,40}?-{3,}[ \t]*(?:\n|\Z)", "", text).strip()
    lines = text.split("\n")
    while lines and re.match(rf"(?:-{{3,}}\s*$|(?:{_KEYS})\s*:)", lines[0]):
        lines.pop(0)
    return "\n".join(lines).strip()


def _objection(old: str, new: str, profile: Profile, statements: Sequence[str]) -> str:
    """Why a page is refused, in words for the model; "" if it is not."""
    if not new:
        return ""
    if len(new) > SUMMARY_CHARS:
        return f"the summary has more than {SUMMARY_CHARS} characters; shorten it"
    lines = [line for line in map(_words, old.split("\n")) if line]
    kept = _words(new)
    lost = [line for line in lines if len(line & kept) < len(line) / 2]
    if len(lines) >= _FEWEST_LINES and 2 * len(lost) > len(lines):
        gone = f"{len(lost)} of {len(lines)} lines of the page are gone"
        return f"{gone}; keep every line that the statements do not contradict"
    source = "\n".join((old, profile.name, profile.entity_id, *profile.tags, *statements))
    for fault in drift(new, source):
        if any(char.isdigit() for char in fault.word):
            return f"{fault.word[:40]!r} is neither on the page nor in the statements"
    return ""


def _words(line: str) -> set[str]:
    return set(terms(line[: 2 * SUMMARY_CHARS]))
