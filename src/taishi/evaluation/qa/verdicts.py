"""What a judge said: right, wrong, or nothing that can be read. In doubt it is not right."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from ...language.json_repair import parse_json

Verdict = Literal["right", "wrong", "unparsable"]

KEYS = ("verdict", "label", "is_correct", "correct", "judgement", "judgment", "grade", "result")
RIGHT = frozenset({"right", "correct", "yes", "true", "对", "正确", "是"})
WRONG = frozenset(
    {"wrong", "incorrect", "no", "false", "错", "错误", "不对", "不正确", "不是", "否"}
)
LONGEST_LEAD = 200
# Chinese has no spaces, so its words are looked for at the start; the longer ones first.
_WORD = re.compile(r"[a-z]{1,20}|不正确|不对|不是|错误|正确|[对错是否]")
_STARTS = re.compile(r"[\s*_#>\"'“”`(（【\[]{0,20}(?:verdict|label|结论|判定|评判)?[\s*:：]{0,10}")


def parse(text: str) -> Verdict:
    """A JSON object with a verdict, or words that begin with one."""
    stripped = text.strip()
    if "{" in stripped:
        return _of_json(stripped)
    return _of_words(stripped)


def _of_json(text: str) -> Verdict:
    try:
        value = parse_json(text)
    except ValueError:
        return "unparsable"
    if not isinstance(value, Mapping):
        return "unparsable"
    lowered: dict[str, Any] = {str(key).strip().lower(): one for key, one in value.items()}
    given = next((lowered[key] for key in KEYS if key in lowered), None)
    if isinstance(given, bool):
        return "right" if given else "wrong"
    word = given.strip().strip(".!。！").lower() if isinstance(given, str) else ""
    return "right" if word in RIGHT else "wrong" if word in WRONG else "unparsable"


def _of_words(text: str) -> Verdict:
    """The first word decides, unless the same line also says the opposite."""
    lead = text[:LONGEST_LEAD].lower().split("\n")[0]
    start = _STARTS.match(lead)
    first = _WORD.match(lead, start.end() if start else 0)
    if first is None or first[0] not in RIGHT | WRONG:
        return "unparsable"
    said = set(_WORD.findall(lead))
    if said & RIGHT and said & WRONG:
        return "unparsable"
    return "right" if first[0] in RIGHT else "wrong"
