"""Which name was probably meant by one that a tool does not know; often none is near enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from .messages import message

MOST_CHARS = 40
LEAST_PART = 3  # characters that a part of a name has, to be taken for it
LEAST_SIMILAR = 0.7
# What other tools call the same; the first that the tool has.
_SYNONYMS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("limit", "k", "n", "count", "max_results", "num_results", "size"), ("top_k",)),
    **dict.fromkeys(("text", "q", "question", "search", "prompt", "message"), ("query", "text")),
    **dict.fromkeys(("content", "memory", "fact", "statement", "body", "value"), ("text",)),
    **dict.fromkeys(("query", "keyword", "keywords", "contains"), ("text",)),
    **dict.fromkeys(("memory_id", "record_id", "fact_id"), ("id",)),
    **dict.fromkeys(("from", "since", "start", "start_time", "begin"), ("time_from",)),
    **dict.fromkeys(("to", "until", "end", "end_time", "before"), ("time_to",)),
    **dict.fromkeys(("user", "user_id"), ("target_user_id", "entity_id")),
    **dict.fromkeys(("group", "group_id"), ("target_group_id", "entity_id")),
    **dict.fromkeys(("filter", "where"), ("filters",)),
    **dict.fromkeys(("type", "category"), ("kind", "entity_type")),
    **dict.fromkeys(("page", "after", "next", "offset"), ("cursor", "from_line")),
    **dict.fromkeys(("expiry", "expires_at", "expiration_date", "ttl"), ("expires",)),
    **dict.fromkeys(("file", "name", "note"), ("path",)),
    "summary": ("action_summary",),
}


def nearest(name: str, names: Sequence[str]) -> str | None:
    """A synonym, a name that contains it, or one that is much alike; None if there is none."""
    word = name[:MOST_CHARS].strip().lower()
    for known in _SYNONYMS.get(word, ()):
        if known in names:
            return known
    if len(word) >= LEAST_PART:
        for candidate in names:
            if word in candidate:
                return candidate
    return next(iter(get_close_matches(word, names, n=1, cutoff=LEAST_SIMILAR)), None)


def meant(name: str, names: Sequence[str], language: str) -> str:
    """The end of a sentence about an unknown name: with a guess, if there is a good one."""
    found = nearest(name, names)
    return message(language, "meant" if found else "meant_nothing", nearest=found)
