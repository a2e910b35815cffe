"""The measuring command for time expressions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from taishi.evaluation.times import found_spans, main, outcomes


def case(text: str, part: str, kind: str, **value: str) -> dict[str, object]:
    values = [{"timex": "", "type": kind, **value}]
    result = {"text": part, "type": kind, "values": values}
    return {"input": text, "reference": "2016-11-07T00:00:00", "results": [result]}


@pytest.mark.parametrize(
    ("made", "outcome"),
    [
        (case("back tomorrow", "tomorrow", "date", value="2016-11-08"), "right"),
        (case("back tomorrow", "tomorrow", "date", value="2016-11-09"), "wrong"),
        (case("nothing here", "here", "date", value="2016-11-09"), "wrong"),
        (
            case("last week", "last week", "daterange", start="2016-10-31", end="2016-11-07"),
            "right",
        ),
        (
            case("last week", "last week", "daterange", start="2016-10-31", end="2016-11-08"),
            "wrong",
        ),
        (case("before 2018", "before 2018", "daterange", end="2018-01-01"), "right"),
        (case("before 2018", "before 2018", "daterange", end="2017-01-01"), "wrong"),
        (case("明天八点", "明天八点", "datetime", value="2016-11-08 08:00:00"), "right"),
        (case("week 23", "week 23", "daterange", start="2016-06-06"), "week numbers"),
        (
            case("this summer", "this summer", "daterange", value="not resolved"),
            "no value in the file",
        ),
    ],
)
def test_outcome_of_a_case(made: dict[str, object], outcome: str) -> None:
    assert [o.outcome for o in outcomes([made], "en")] == [outcome]


def test_other_types_are_not_counted() -> None:
    assert list(outcomes([case("for 3 days", "3 days", "duration", value="259200")], "en")) == []


@pytest.mark.parametrize(
    ("made", "outcomes_of_spans"),
    [
        (case("back tomorrow", "tomorrow", "date", value="2016-11-08"), ["right"]),
        (case("back tomorrow", "tomorrow", "date", value="2016-11-09"), ["wrong"]),
        (case("back tomorrow", "back", "duration", value="7200"), ["wrong"]),
        (case("back in week 9 of 2016", "week 9 of 2016", "daterange", start="2016-02-29"), []),
        (case("tonight", "tonight", "datetimerange", start="2016-11-07 20:00:00",
              end="2016-11-07 23:59:59"), ["right"]),
        (case("tonight", "tonight", "datetimerange", start="2016-11-08 20:00:00",
              end="2016-11-08 23:59:59"), ["wrong"]),
        (case("at 3pm", "3pm", "time", value="15:00:00"), ["right"]),
        (case("2015年八月初一", "2015年八月初一", "date", value="2015-08-01"), ["right"]),
        (case("this summer", "this summer", "daterange", value="not resolved"), ["left out"]),
    ],
)  # fmt: skip
def test_outcome_of_every_span_found(made: dict[str, object], outcomes_of_spans: list[str]) -> None:
    assert [o.outcome for o in found_spans([made], "en")] == outcomes_of_spans


def test_totals_exclusions_and_misses_are_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = [
        case("back tomorrow", "tomorrow", "date", value="2016-11-08"),
        case("back tomorrow", "tomorrow", "date", value="2016-11-09"),
        case("week 23", "week 23", "daterange", start="2016-06-06"),
    ]
    path = tmp_path / "cases.json"
    path.write_text(json.dumps(cases), encoding="utf-8")
    assert main([str(path)], misses=True) == 0
    printed = capsys.readouterr().out
    assert "en all           1/2     50.0%" in printed
    assert "1  week numbers" in printed
    assert printed.count("MISS en date") == 1
    assert "en wrong spans   1/2     50.0%" in printed
