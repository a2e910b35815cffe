"""The tags of a fact after it was put right."""

from __future__ import annotations

import re

from ..language.told_names import told_name
from ..types import Record
from .fact_lifecycle import ids_in
from .text_identity import has_words, same


def corrected_tags(record: Record, new_text: str) -> list[str]:
    """The tags of a fact under its new wording: a word of the old one alone ("Oslo") goes with it,
    what it is about ("residence") stays. Where it is a part of a longer name now ("Harlow & Pike"),
    it is that name. A name takes the place of the one before, which the new
    wording may still have: "Katharina, not Catherine"."""
    is_name = record.data.get("category") == "name"
    old, new = (told_name(text) if is_name else "" for text in (record.text, new_text))
    kept = [
        _whole_name(tag, new_text)
        for tag in ids_in(record, "tags")
        if has_words(new_text, tag) or not has_words(record.text, tag)
    ]
    if not new or same(old, new):
        return kept
    return [*(tag for tag in kept if not same(tag, old)), new]


def _whole_name(tag: str, text: str) -> str:
    """ "Harlow & Pike" for "Harlow", if that is what the text names."""
    if not tag[:1].isupper():
        return tag
    more = r"(?: (?:& )?[A-Z][\w'’-]*)"
    found = re.search(rf"(?<!\w){re.escape(tag)}{more}+", text)
    return found[0] if found else tag
