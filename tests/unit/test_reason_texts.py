"""Reasons are stored in English and shown in the language of the page."""

from __future__ import annotations

import pytest

from taishi.language import reasons
from taishi.language.reason_texts import REASONS, reason_of, warning_in
from taishi.language.unresolved_words_chinese import CHINESE
from taishi.language.unresolved_words_english import ENGLISH


def test_every_reason_that_is_written_has_a_chinese_text() -> None:
    written = {why for _, why in reasons._WHY} | set(reasons._BY_REASON.values())
    written |= {word.why for word in (*ENGLISH, *CHINESE)}
    assert written - REASONS.keys() == set()


@pytest.mark.parametrize(
    ("warning", "reason", "whole"),
    [
        (
            "'他' not resolved: it is not certain who is meant",
            "不确定指谁",
            "“他”没写清：不确定指谁",
        ),
        (
            "'I' not resolved: it stands in a quote or a pasted text",
            "在引文或粘贴的文字里",
            "“I”没写清：在引文或粘贴的文字里",
        ),
        ("relative_time not resolved: yesterday", "yesterday", "没写清日期：yesterday"),
        ("the time is not known", "时间不明", "时间不明"),
        ("something else", "something else", "something else"),
    ],
)
def test_a_warning_in_chinese(warning: str, reason: str, whole: str) -> None:
    assert reason_of(warning, "zh") == reason
    assert warning_in(warning, "zh") == whole
    assert warning_in(warning, "en") == warning
