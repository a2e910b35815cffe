"""JSON as models write it: what was meant is read, what was cut off is left out."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taishi.language.json_repair import parse_json

MEANT = [
    ('{"a": 1}', {"a": 1}),
    ("[1, 2]", [1, 2]),
    ('\ufeff{"a": 1}', {"a": 1}),
    ('```json\n{"a": 1}\n```', {"a": 1}),
    ('```\n{"a": 1}\n```\nHope that helps!', {"a": 1}),
    ('Sure! Here it is:\n{"a": 1}\nAnything else?', {"a": 1}),
    ('As {name} said in [1]: {"a": 1, "b": [2]}', {"a": 1, "b": [2]}),
    ('好的，结果如下：{"a": "是"}。', {"a": "是"}),
    ('{"a": [1, 2,], "b": {"c": 3,},}', {"a": [1, 2], "b": {"c": 3}}),
    ("{'a': 'Ann\\'s', 'b': 'x'}", {"a": "Ann's", "b": "x"}),
    ("{'a': 'Ann's cat', 'b': 'x'}", {"a": "Ann's cat", "b": "x"}),
    ('{"a": "she said "yes" twice", "b": 2}', {"a": 'she said "yes" twice', "b": 2}),
    ('{"a": True, "b": False, "c": None}', {"a": True, "b": False, "c": None}),
    ('{"a": NaN}', {"a": None}),
    ("{a: 1, b_2: 'x', action: add}", {"a": 1, "b_2": "x", "action": "add"}),
    ("｛“甲”：“你好，世界”，“乙”：［1，2］｝", {"甲": "你好，世界", "乙": [1, 2]}),
    ("{＂a＂：＂x＂}", {"a": "x"}),
    ('{"a"："她说“好”，就走了"，"b"：2}', {"a": "她说“好”，就走了", "b": 2}),
    ('{"a": "one\ntwo\tthree\x01"}', {"a": "one\ntwo\tthree\x01"}),
    ('{"a": "one\ntwo",}', {"a": "one\ntwo"}),
    ('<think>perhaps {"a": 0}?</think>{"a": 1}', {"a": 1}),
    ('perhaps {"a": 0}\n</think>\n```json\n{"a": 1}\n```', {"a": 1}),
    ('{"a": "what </think> means"}', {"a": "what </think> means"}),
    ('"{\\"a\\": 1}"', {"a": 1}),
    ('{"a": "\\u4f60\\ud83d\\ude00\\q",}', {"a": "你😀q"}),
    ('{"a": "x"\n "b": "y"}', {"a": "x", "b": "y"}),
    ('{"a": -1.5e3, "b": +2, "c": .5,}', {"a": -1500.0, "b": 2, "c": 0.5}),
    ('{"a": 1, "a": 2,}', {"a": 2}),
    ("{}", {}),
    ("12", 12),
]


@pytest.mark.parametrize(("text", "meant"), MEANT, ids=[text[:30] for text, _ in MEANT])
def test_H2_what_was_meant_is_read(text: str, meant: Any) -> None:
    assert parse_json(text) == meant


CUT = [
    ('{"a": 1, "b": "half a sent', {"a": 1}),
    ('{"a": 1, "b": 12', {"a": 1}),
    ('{"a": 1, "b', {"a": 1}),
    ('{"a": 1, "b":', {"a": 1}),
    ('{"a": {"x": 1}, "b": -', {"a": {"x": 1}}),
    ('{"a": 1, "b": tr', {"a": 1}),
    ('{"a": 1, "b": 1e', {"a": 1}),
    ('{"a": 1,', {"a": 1}),
    ('{"a": [{"x": 1}, {"x": 2', {"a": [{"x": 1}]}),
    ('{"a": {"x": 1, "y": [1, 2', {"a": {"x": 1, "y": [1]}}),
    ('```json\n{"a": 1,\n```', {"a": 1}),
    ('{"a": "whole", "b": "ends in a \\', {"a": "whole"}),
]


@pytest.mark.parametrize(("text", "whole"), CUT)
def test_H2_half_a_value_is_no_value(text: str, whole: Any) -> None:
    assert parse_json(text) == whole


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "no data at all",
        "没有数据",
        "{",
        '{"a',
        "{name}",
        "[see note]",
        '<think>{"a": 1}',
        "\0",
        "\ud800",
        "{" * 100,
        '{"a": }',
        "}{",
        "9" * 5000,
    ],
)
def test_H2_the_hopeless_is_said_to_be_so(text: str) -> None:
    with pytest.raises(ValueError):
        parse_json(text)


@pytest.mark.parametrize(
    "text",
    [
        "{" * 1_000_000,
        "[" * 1_000_000,
        '{"a":' * 200_000,
        '[["' * 330_000,
        '"' * 1_000_000,
        "{a:'" * 250_000,
        '{"a" ' * 200_000,
        '{"a":"' + "\\" * 1_000_000,
        '{"a":"' + '"x' * 500_000,
        '{"a":1' + " " * 1_000_000,
        "<think>" * 150_000,
        "</think>" * 125_000,
        '"' + '\\"' * 500_000 + '"',
        "[1] " * 250_000,
        "，" * 1_000_000,
    ],
    ids=lambda text: text[:8],
)
def test_a_megabyte_of_nonsense_takes_about_a_second(text: str) -> None:
    began = time.thread_time()
    try:
        parse_json(text)
    except ValueError:
        pass
    assert time.thread_time() - began < 3


numbers = st.integers(-(10**9), 10**9) | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers | st.text(max_size=12)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)
objects = st.dictionaries(st.text(max_size=5), values, min_size=1, max_size=5)


@given(objects, st.booleans())
def test_good_json_is_left_alone(value: dict[str, Any], ascii_only: bool) -> None:
    assert parse_json(json.dumps(value, ensure_ascii=ascii_only)) == value


@given(objects)
def test_a_trailing_comma_and_prose_change_nothing(value: dict[str, Any]) -> None:
    text = json.dumps(value)[:-1] + ",}"
    assert parse_json(f"Here:\n```json\n{text}\n```\nDone.") == value


@given(objects, st.data())
@settings(max_examples=200, deadline=None)
def test_what_is_left_of_a_cut_answer_is_true(value: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(value)
    cut = text[: data.draw(st.integers(0, len(text) - 1))]
    try:
        left = parse_json(cut)
    except ValueError:
        return
    assert is_part(left, value), (cut, left)


def is_part(part: Any, whole: Any) -> bool:
    """Each scalar of the part is in the whole, at the same place."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and is_part(part[key], whole[key]) for key in part)
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) <= len(whole) and all(map(is_part, part, whole))
    return type(part) is type(whole) and part == whole


@given(st.text(alphabet="{}[]\"':,，：｛｝“”\\ntrue1. <think>/`", max_size=60))
@settings(max_examples=500, deadline=None)
def test_no_text_makes_it_fall_over(text: str) -> None:
    try:
        parse_json(text)
    except ValueError:
        pass
