"""One list of what a reader does not see: redaction, comparison, names, answers and prompts."""

from __future__ import annotations

import json
import unicodedata

import pytest

from taishi.historian.coerce import text_of
from taishi.historian.participants import clean_name
from taishi.historian.prompt_loader import fenced
from taishi.language.normalise import canonical
from taishi.language.redaction.folded_text import folded
from taishi.language.redaction.redactor import Redactor

UNSEEN = [
    "\u00ad", "\u034f", "\u061c", "\u115f", "\u17b4", "\u180b", "\u180f", "\u200b", "\u202e",
    "\u2066", "\u206f", "\u3164", "\ufe0f", "\ufeff", "\uffa0", "\ufff9", "\U0001bca0",
    "\U0001d173", "\U000e0041", "\U000e0100",
]  # fmt: skip
KEY = "AKIA" + "Q7ZK3M5T8WXN2VLB"


@pytest.mark.parametrize("unseen", UNSEEN, ids=lambda one: f"U+{ord(one):04X}")
def test_a_character_that_is_not_seen_is_unseen_everywhere(unseen: str) -> None:
    split = f"{KEY[:9]}{unseen}{KEY[9:]}"
    assert folded(split).text == KEY
    assert Redactor().text(f"the key is {split} now") == Redactor().text(f"the key is {KEY} now")
    assert KEY[9:] not in Redactor().text(f"the key is {split} now")
    assert canonical(f"An{unseen}na") == canonical("Anna")
    assert clean_name(f"An{unseen}na") == "Anna"
    assert clean_name(unseen * 3) is None
    assert text_of(f"An{unseen}na moved", 100) == "Anna moved"
    shown = fenced({"text": f"An{unseen}na"})
    assert unseen not in shown
    body = shown.removeprefix("```json\n").removesuffix("\n```")
    assert json.loads(body) == {"text": f"An{unseen}na"}


@pytest.mark.parametrize("seen", ["é", "安", "ア", "한", "😀", "\u0301", "ａ"])
def test_what_is_seen_stays(seen: str) -> None:
    assert clean_name(f"An{seen}na") == f"An{seen}na"
    assert text_of(f"An{seen}na moved", 100) == f"An{seen}na moved"
    assert seen in fenced({"text": seen})
    assert unicodedata.normalize("NFKC", folded(f"x{seen}").text) == unicodedata.normalize(
        "NFKC", f"x{seen}"
    )
