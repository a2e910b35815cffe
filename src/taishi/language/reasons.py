"""Explains to a person why a word could not be resolved."""

from __future__ import annotations

import re

from .gate import Fault

_WHY = (
    (
        r"we|us|our|ours|ourselves|let|我们|咱们|咱|我俩|咱俩|我仨|俺们|我們|咱們|我哋",
        "who belongs to it was not said",
    ),
    (
        r"you|your|yours|yourself|yourselves|你|您|妳|你们|您们|你俩|你仨|你們|y|u",
        "it is not certain who is spoken to",
    ),
    (r"i|me|my|mine|myself|我|俺|本人|偶|窝", "who speaks was not given"),
    (
        r"he|him|his|himself|she|her|hers|herself|他|她|这位|那位|這位",
        "it is not certain who is meant",
    ),
    (
        r"they|them|their|theirs|themselves|他们|她们|他俩|她俩|他仨|他們|她們|佢哋",
        "who is meant was not said",
    ),
    (r"it|its|itself|它|它们|牠|this|that|these|those|这|那|這", "what is meant was not said"),
    (r"here|这里|这儿|这边|此处|此地|本地|locally|這裡|這邊|這兒", "no location was given"),
)
_BY_REASON = {
    "pronoun": "it is not certain who is meant",
    "relative_time": "the date cannot be told from the words",
    "relative_place": "the place was not named",
    "language": "the rules do not know this language",
    "drift": "it was not in the input",
}


def why_open_correction(word: str) -> str:
    """'Rome' not resolved: what it corrects was not said."""
    return f"'{word[:40]}' not resolved: what it corrects was not said"


def why_left(fault: Fault, *, in_quote: bool = False, in_hypothesis: bool = False) -> str:
    """'we' not resolved: who belongs to it was not said."""
    word = fault.word if len(fault.word) <= 40 else f"{fault.word[:40]}…"
    if in_quote:
        return f"'{word}' not resolved: it stands in a quote or a pasted text"
    if in_hypothesis:
        return f"'{word}' not resolved: the sentence only supposes a case"
    base = re.split("['’]", fault.word.lower())[0]
    for words, why in _WHY:
        if fault.reason != "relative_time" and re.fullmatch(words, base):
            return f"'{word}' not resolved: {why}"
    return f"'{word}' not resolved: {_BY_REASON[fault.reason]}"
