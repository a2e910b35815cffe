"""Measures how well time expressions are found and resolved, on case files.

`python -m taishi.evaluation.times FILE… [--misses]` reads lists of cases, each with an `input`, a
`reference` and `results`; a result has a `text`, a `type` and accepted `values`. Dates, date ranges
and datetimes are counted. A result is right when a span that overlaps its text resolves to one of
its values. A range with one bound ("since May", "before 2018") is right when that bound is an edge
of the span, because a span names the date that was said and not all the time before or after it.

A second figure looks from the other side: of all spans found, of whatever type, how many are wrong.
A span is wrong if the file has no result where it stands (a part taken out of a larger expression,
a word that is no time) or a result with other values. Where a part of a day begins is a convention
("evening" from 16:00 in the files, from 18:00 here), so such spans are compared by their day and by
whether the hours meet. The files write a lunar date in the numbers of the lunar calendar; it is
turned into a date of ours before it is compared.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..language.when import TimeSpan, find_times
from ..language.when.lunar import lunar_day

COUNTED = ("date", "daterange", "datetime")

EXCLUSIONS = {
    "reign years": "元年|民国|康熙|雍正|乾隆|神龙",
    "week numbers": r"\bweek \d+\b|\bw\d\d\b|第\d+周$",
    "business days and fiscal years": (
        r"\b(business|working|work) ?(days?|week)\b|workweek|\b(fiscal|school) year|\b[fs]y ?\d"
    ),
    "query operators": r"[<>=]|\b(greater|less|more|fewer) than\b|\band (greater|less)\b",
}
"""Classes of expressions that chats do not contain, by what their text matches."""


_LUNAR = re.compile("农历|阴历|正月|腊月|大年|初[一二三四五六七八九十]|廿")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One expected result and what came of it."""

    language: str
    type: str
    outcome: str
    detail: str


def outcomes(cases: Iterable[dict[str, Any]], language: str) -> Iterator[Outcome]:
    """Compare every counted result of every case with what is found."""
    for case in cases:
        reference = datetime.fromisoformat(case["reference"]).replace(tzinfo=UTC)
        text = case["input"]
        spans = find_times(text, reference)
        cursor = 0
        for result in case["results"]:
            start, near = _nearby(text, result["text"], cursor, spans)
            cursor = max(cursor, start + len(result["text"]))
            if result["type"] not in COUNTED:
                continue
            outcome = excluded(result) or (
                "right" if any(_agrees(s, v) for s in near for v in _values(result)) else "wrong"
            )
            yield Outcome(language, result["type"], outcome, _detail(case, result, near))


def found_spans(cases: Iterable[dict[str, Any]], language: str) -> Iterator[Outcome]:
    """Every span that is found, and whether a result of the file confirms it."""
    for case in cases:
        reference = datetime.fromisoformat(case["reference"]).replace(tzinfo=UTC)
        for span in find_times(case["input"], reference):
            overlapping = [
                result for result in case["results"] if _overlaps(case["input"], result, span)
            ]
            is_confirmed = any(
                _confirms(span, v) for result in overlapping for v in _values(result)
            )
            skipped = overlapping and all(excluded(result) for result in overlapping)
            outcome = "right" if is_confirmed else "left out" if skipped else "wrong"
            yield Outcome(language, span.kind, outcome, f"{case['input'][:100]!r} {span.text!r}")


def _values(result: dict[str, Any]) -> list[dict[str, str]]:
    """The accepted values; lunar dates also in the Gregorian calendar."""
    values: list[dict[str, str]] = result["values"]
    if not _LUNAR.search(result["text"]):
        return values
    return values + [{**v, "value": _to_gregorian(v.get("value", ""))} for v in values]


def _to_gregorian(value: str) -> str:
    day, _, clock = value.partition(" ")
    try:
        converted = lunar_day(*map(int, day.split("-")))
    except (TypeError, ValueError):
        return ""
    return f"{converted.begin:%Y-%m-%d} {clock}".strip() if converted else ""


def _overlaps(text: str, result: dict[str, Any], span: TimeSpan) -> bool:
    text, part = (t.lower().replace("，", ",").replace("：", ":") for t in (text, result["text"]))
    matches = re.finditer(re.escape(part), text)
    return any(match.start() < span.end and span.start < match.end() for match in matches)


def _confirms(span: TimeSpan, value: dict[str, str]) -> bool:
    begin, until = span.begin.replace(tzinfo=None), span.until.replace(tzinfo=None)
    kind = value["type"]
    if kind == "date" or (kind == "daterange" and "value" not in value):
        return _agrees(span, value)
    if kind == "daterange":  # "around the 21st"
        return value["value"] == str(begin.date())
    if "value" in value:
        return value["value"] in (f"{begin:%F %T}", f"{begin:%T}")
    first, last = value.get("start"), value.get("end")
    if span.grain == "part" or span.kind.endswith("range"):
        return _hours_overlap(begin, until, first, last)
    bounds = {f"{begin:%F %T}", f"{begin:%T}", f"{until:%F %T}", f"{until:%T}"}
    return bool({first, last} - {None}) and (first or last) in bounds and not (first and last)


def _hours_overlap(begin: datetime, until: datetime, first: str | None, last: str | None) -> bool:
    """Whether a range of hours has the right day and overlaps the expected part of it."""
    if not (first and last):
        return (first or last) in (f"{begin:%F %T}", f"{until:%F %T}", f"{begin:%T}", f"{until:%T}")
    if (first, last) == (f"{begin:%T}", f"{until:%T}"):
        return True
    day = f"{begin:%F} "
    start, end = (edge if " " in edge else day + edge for edge in (first, last))
    return start < f"{until:%F %T}" and f"{begin:%F %T}" < end


def excluded(result: dict[str, Any]) -> str | None:
    """The exclusion class of a result, if any."""
    if all(v.get("value") == "not resolved" for v in result["values"]):
        return "no value in the file"
    if _LUNAR.search(result["text"]) and not all(v.get("value") for v in _values(result)):
        return "no such lunar day"
    for name, pattern in EXCLUSIONS.items():
        if re.search(pattern, result["text"].lower()):
            return name
    return None


def _nearby(
    text: str, part: str, cursor: int, spans: Sequence[TimeSpan]
) -> tuple[int, list[TimeSpan]]:
    """Find the result's place: its first occurrence from the cursor on that a span overlaps.

    The file gives no positions, and a word may occur first as part of a name (今日头条 … 今日).
    """
    text, part = (t.lower().replace("，", ",").replace("：", ":") for t in (text, part))
    start = text.find(part, cursor)
    first = start
    while start >= 0:
        near = [s for s in spans if s.start < start + len(part) and start < s.end]
        if near:
            return start, near
        start = text.find(part, start + 1)
    return max(first, 0), []


def _agrees(span: TimeSpan, value: dict[str, str]) -> bool:
    begin, until = span.begin.replace(tzinfo=None), span.until.replace(tzinfo=None)
    if value["type"] == "daterange":
        start, end = value.get("start"), value.get("end")
        if start and end:
            return (str(begin.date()), str(until.date())) == (start, end)
        return (start or end) in (str(begin.date()), str(until.date()))
    if value["type"] == "date":
        one_day = (until - begin).days == 1 or until == begin
        return one_day and str(begin.date()) == value.get("value")
    return span.begin == span.until and str(begin.replace(microsecond=0)) == value.get("value")


def _detail(case: dict[str, Any], result: dict[str, Any], near: Sequence[TimeSpan]) -> str:
    wanted = " | ".join(
        v.get("value") or f"{v.get('start', '')}..{v.get('end', '')}" for v in result["values"]
    )
    got = " | ".join(f"{s.text!r} {s.begin:%F %T}..{s.until:%F %T}" for s in near) or "nothing"
    return f"{case['reference'][:16]} {case['input'][:100]!r} «{result['text']}» {wanted} <- {got}"


def report(results: Sequence[Outcome], spans: Sequence[Outcome] = ()) -> Iterator[str]:
    """Totals by language and type, what was left out and why, and the share of wrong spans."""
    for language in sorted({o.language for o in results}):
        own = [o for o in results if o.language == language]
        counted = [o for o in own if o.outcome in ("right", "wrong")]
        for kind in (*COUNTED, "all"):
            of_kind = [o for o in counted if kind in (o.type, "all")]
            right = sum(o.outcome == "right" for o in of_kind)
            share = right / len(of_kind) if of_kind else 0.0
            yield f"{language} {kind:10} {right:4}/{len(of_kind):<4} {share:6.1%}"
        excluded_counts = Counter(o.outcome for o in own if o.outcome not in ("right", "wrong"))
        share = excluded_counts.total() / len(own)
        yield f"{language} left out   {excluded_counts.total():4}/{len(own):<4} {share:6.1%}"
        for reason, count in excluded_counts.most_common():
            yield f"{language}   {count:4}  {reason}"
        judged = [s for s in spans if s.language == language and s.outcome != "left out"]
        wrong = sum(s.outcome == "wrong" for s in judged)
        share = wrong / len(judged) if judged else 0.0
        yield f"{language} wrong spans {wrong:3}/{len(judged):<4} {share:6.1%}"


def main(paths: Sequence[str], *, misses: bool = False) -> int:
    """Print the figures for each file; the language is taken from its text."""
    results: list[Outcome] = []
    spans: list[Outcome] = []
    for path in paths:
        cases = json.loads(Path(path).read_text(encoding="utf-8"))
        chinese = sum(bool(re.search("[一-鿿]", case["input"])) for case in cases)
        language = "zh" if chinese * 2 > len(cases) else "en"
        results += outcomes(cases, language)
        spans += found_spans(cases, language)
    for line in report(results, spans):
        print(line)
    if misses:
        for label, outcome in [*(("MISS", o) for o in results), *(("SPAN", s) for s in spans)]:
            if outcome.outcome == "wrong":
                print(f"{label} {outcome.language} {outcome.type}: {outcome.detail}")
    return 0


if __name__ == "__main__":
    arguments = [a for a in sys.argv[1:] if a != "--misses"]
    if not arguments:
        sys.exit("give one or more case files: python -m taishi.evaluation.times FILE…")
    sys.exit(main(arguments, misses="--misses" in sys.argv))
