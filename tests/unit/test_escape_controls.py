"""What hides or acts is written out, what belongs to a script stays (I1)."""

from __future__ import annotations

import json
import re
import time
import unicodedata
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taishi import Memory, Profile, Scope
from taishi.cli.output import one_line, safe
from taishi.context_block.block import FORMS, block, sanitize_line
from taishi.language.escape_controls import json_visible, visible
from taishi.language.redaction.redactor import Redactor
from taishi.tools import formatting
from taishi.types import Hit

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
# All that must not reach a reader as it is, whatever stands beside it.
HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff"
    "\ufff9-\ufffb\U000e0001\ud800-\udfff]"
)
NASTY = [
    "\x08", "\x1b[31m", "\x1b]0;title\x07", "\x00", "\x7f", "\x85", "\x9b31m", "\u202e", "\u202d",
    "\u2066", "\u2067", "\u2069", "\u200b", "\u200d", "\u2060", "\ufeff", "\u2028", "\u2029",
    "\u00ad", "\U000e0041", "\U000e0001", "\ufe0f\ufe0f", "\u061c", "\u200f", "\ufff9", "\ud800",
]  # fmt: skip
READABLE = [
    "plain text, with\ttab", "两行\n中文", "👨\u200d👩\u200d👧\u200d👦 family", "🏳\ufe0f\u200d🌈",
    "❤\ufe0f 1\ufe0f\u20e3",
    "👍🏽 👩🏽\u200d🚀", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f England",
    "שלום עולם", "שלום \u200f(abc)\u200f עולם", "مرحبا بالعالم، كيف الحال؟", "می\u200cخواهم بروم",
    "हिन्दी क्\u200dष", "สวัสดี\u200bครับ", "葛\U000e0100城", "naïve café Ω", "𝗯old 🇳🇴",
]  # fmt: skip


@pytest.mark.parametrize("hidden", NASTY, ids=ascii)
def test_I1_what_hides_is_written_out(hidden: str) -> None:
    shown = visible(f"pay{hidden}pal")
    assert shown != f"pay{hidden}pal" and shown.startswith("pay\\") and shown.endswith("pal")
    assert HIDDEN.search(shown) is None
    assert all(unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in shown)


@pytest.mark.parametrize("text", READABLE)
def test_I1_what_belongs_to_a_script_stays(text: str) -> None:
    assert visible(text) == text
    assert json_visible(json.dumps(text, ensure_ascii=False)) == json.dumps(
        text, ensure_ascii=False
    )


@pytest.mark.parametrize(
    "unit", [*NASTY, "👨\u200d", "\u05d0\u200f", "\U0001f3f4", "\U000e0061", "a\ufe0f"]
)
def test_it_takes_as_long_as_the_text_is(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    started = time.thread_time()
    visible(text)
    assert time.thread_time() - started < 0.5


WILD = st.lists(
    st.sampled_from([*NASTY, *READABLE, "word", " ", "密码", "\n"]), min_size=1, max_size=8
).map("".join)


def forms(text: str) -> dict[str, str]:
    """A stored text, and a page and names that hold it, in every form in which they are shown."""
    name = sanitize_line(text)[:40] or "x"
    hit = Hit("r1", text, 1.0, "note", NOW, text, None, {"place": "default/private/ann"}, None)
    event = Hit(
        "r2", text, 1.0, "event", NOW, "Ann", None, {"did_what": text, "new_info": [text]}, None
    )
    page = Profile("user", "ann", text, (text,), text)
    drawn = {
        form: block([hit, event], [page], NOW, 4000, form, language)  # type: ignore[arg-type]
        for form in FORMS
        for language in ("en",)
    }
    redactor, zone = Redactor(), ZoneInfo("UTC")
    drawn["tool events"] = formatting.events([hit, event], redactor, "en")
    drawn["tool memories"] = formatting.memories([hit], Scope(user="ann"), redactor, "zh")
    drawn["tool profile"] = formatting.profile(page, redactor, zone, "en")
    drawn["terminal"] = safe(text)
    drawn["cell"] = one_line(text)
    drawn["name"] = name
    drawn["json"] = json_visible(json.dumps({"text": text}, ensure_ascii=False))
    return drawn


@given(WILD)
@settings(max_examples=200, deadline=None)
def test_I1_no_form_shows_a_hidden_character(text: str) -> None:
    for form, shown in forms(text).items():
        assert HIDDEN.search(shown) is None, form
    assert json.loads(forms(text)["json"])["text"] == text


@given(st.text(max_size=60))
@settings(max_examples=200, deadline=None)
def test_I1_any_text_is_shown_without_them(text: str) -> None:
    shown = visible(text)
    assert HIDDEN.search(shown) is None
    assert visible(shown) == shown


def test_I1_what_is_stored_stays_and_the_block_shows_it_written_out(memory: Memory) -> None:
    ann = Scope(user="ann")
    told = "Ann paid Bob 10\u202e001\u202c euros\x08 for the bicycle"
    id = memory.remember(ann, told, speaker="An\u200bn")
    memory.profiles.set(ann, "- rides a \u2067bicycle\u2069", name="Ann\u202e")
    kept = memory.records.get(ann, id or "")
    assert kept is not None and kept.text == told
    for form in FORMS:
        shown = memory.context(ann, "who paid for the bicycle?", form=form)  # type: ignore[arg-type]
        assert "10\\u202e001\\u202c euros\\u0008" in shown
        assert "\\u2067bicycle\\u2069" in shown and HIDDEN.search(shown) is None
