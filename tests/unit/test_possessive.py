"""Possessive groups read the same on every Python, in both spellings."""

from __future__ import annotations

import re

import pytest

from taishi.language.possessive import possessive
from taishi.language.redaction.redactor import Redactor

QUOTED = r"(?!\")(?:[^\\\r\n]|\\[^\r\n])"


@pytest.mark.parametrize("has_fault", [False, True])
def test_an_unfinished_round_reads_nothing(has_fault: bool) -> None:
    if not has_fault and possessive("x") != possessive("x", has_fault=False):
        pytest.skip("this Python needs the other spelling")
    read = re.compile(possessive(QUOTED, has_fault))
    for text, end in (('abc" d', 3), ('"', 0), (r'a\"b" c', 4), ("abc", 3), ("", 0)):
        found = read.match(text)
        assert found is not None and found.end() == end, text
    assert re.compile(possessive("a", has_fault) + "a").match("aaa") is None, "nothing given back"


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ('{"password": "hunter2hunter2"}', '{"password": "[redacted:password]"}'),
        ("password='hunter2hunter2', next", "password='[redacted:password]', next"),
        (
            '{"a": "{\\"password\\": \\"hunter2hunter2\\"}"}',
            '{"a": "{\\"password\\": \\"[redacted:password]\\"}"}',
        ),
    ],
)
def test_R1_a_quoted_secret_keeps_its_quotes(text: str, redacted: str) -> None:
    assert Redactor().text(text) == redacted
