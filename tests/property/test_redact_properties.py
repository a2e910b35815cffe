"""Redaction holds whatever stands around a secret (R1, W7)."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from taishi.language.redaction.redactor import Redactor

REDACTOR = Redactor(email=True, phone=True)
LIMIT = 60

ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def key(prefix: str, size: int, alphabet: str = ALNUM) -> st.SearchStrategy[str]:
    """A vendor's key: keys are random, so they mix letters and digits."""
    rest = st.text(alphabet, min_size=size, max_size=size + 8)
    return rest.map(lambda tail: f"{prefix}a7Q{tail}")


DISTINCT = st.one_of(
    key("sk-proj-", 40),
    key("sk-ant-api03-", 40),
    key("sk-", 40),
    key("AIza", 32),
    key("ya29.", 30),
    key("ghp_", 33),
    key("github_pat_", 50),
    key("glpat-", 20),
    key("xoxb-", 20),
    key("sk_live_", 20),
    key("npm_", 33),
    key("pypi-AgEI", 40),
    key("gsk_", 40),
    key("eyJhbGciOiJIUzI1NiJ9.eyJ", 20).map(lambda jwt: f"{jwt}.c2lnbmF0dXJl"),
)
# These need an edge: glued to letters or digits they would be some other word or number.
BOUNDED = st.one_of(
    key("LTAI", 16),
    key("AKID", 30),
    key("hf_", 30),
    st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", min_size=16, max_size=16).map("AKIA{}".format),
    key("12345678:AA", 30),
    key("M", 20, "ABCdef123").map(lambda head: f"{head}.GabcDE.{'x1Y' * 10}"),
    st.sampled_from(["4111 1111 1111 1111", "card 5555555555554444", "3782 822463 10005"]),
    st.sampled_from(["+8613812345678", "(555) 123-4567", "ann@example.com"]),
)
PASSWORD = st.text("ABCxyz0189!@#$%^*+~?/", min_size=6, max_size=40).map("q7{}".format)
NAMED = st.one_of(
    st.tuples(st.sampled_from(["password=", "Token: ", "密码是", "密码：", "api_key="]), PASSWORD),
    st.tuples(st.sampled_from(['"password": "', "'clientSecret': '", 'apiKey="']), PASSWORD),
    st.tuples(st.just("\nAuthorization: Bearer "), PASSWORD),
    st.tuples(st.just("\nCookie: sid="), PASSWORD),
)  # fmt: skip
AROUND = st.text(max_size=80) | st.text("=:-@\"' \n0149aeyJsk[]{}\\,.", max_size=80)
EDGE = st.sampled_from([" ", "\n", "，", "我", "（"])
JSON_LIKE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text() | st.integers() | st.binary(), inner)
    ),
    max_leaves=20,
)


def assert_gone(secret: str, text: str) -> None:
    assert secret not in REDACTOR.text(text)
    for limit in (LIMIT, 500):
        shown = REDACTOR.preview(text, limit)
        assert len(shown) <= limit
        assert secret not in shown


@given(AROUND, DISTINCT, AROUND)
@settings(max_examples=300, deadline=None)
def test_R1_a_key_never_survives_in_any_text(before: str, secret: str, after: str) -> None:
    assert_gone(secret, before + secret + after)


@given(AROUND, EDGE, BOUNDED, EDGE, AROUND)
@settings(max_examples=300, deadline=None)
def test_R1_a_bounded_secret_never_survives(
    before: str, left: str, secret: str, right: str, after: str
) -> None:
    assert_gone(secret, before + left + secret + right + after)


@given(AROUND, NAMED, EDGE, AROUND)
@settings(max_examples=300, deadline=None)
def test_R1_a_named_secret_never_survives(
    before: str, named: tuple[str, str], right: str, after: str
) -> None:
    name, secret = named
    assert_gone(secret, before + " " + name + secret + right + after)


@given(st.integers(0, 520), DISTINCT, st.integers(0, 3000))
@settings(max_examples=150, deadline=None)
def test_W7_no_part_of_a_key_shows_at_the_cut(start: int, secret: str, more: int) -> None:
    shown = REDACTOR.preview("." * start + secret + " ." * more)
    visible = secret[:12]
    assert visible not in shown


@given(st.lists(AROUND | DISTINCT | BOUNDED | NAMED.map("".join), max_size=6).map("".join))
@settings(max_examples=400, deadline=None)
def test_R1_redacting_twice_changes_nothing(text: str) -> None:
    once = REDACTOR.text(text)
    assert REDACTOR.text(once) == once
    assert REDACTOR.found(once) == []


@given(JSON_LIKE)
@settings(max_examples=200, deadline=None)
def test_W7_any_structure_becomes_json(value: object) -> None:
    json.dumps(REDACTOR.value(value), allow_nan=False)
    assert len(REDACTOR.preview(value)) <= 500


@given(JSON_LIKE, DISTINCT)
@settings(max_examples=150, deadline=None)
def test_R1_a_secret_never_survives_in_a_structure(value: object, secret: str) -> None:
    holder = {"kept": [value, {"note": (secret, secret.encode())}], secret: 1, "password": value}
    assert secret not in json.dumps(REDACTOR.value(holder), ensure_ascii=False)
    assert secret not in REDACTOR.preview(holder)
