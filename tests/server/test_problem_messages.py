"""Errors in the caller's words: fields as they were sent, no Python, Chinese if asked for."""

from __future__ import annotations

import re
from typing import Any

import pytest

from server.conftest import Served
from taishi.language.accept_language import language_of
from taishi.server.problem_messages import to_json_terms

ANN = {"scope": {"user": "ann"}}
JARGON = re.compile(
    r"Scope\(|\bstr\b|\bdict\b|\bint\b|\bNone|Input should|Value error|Field required|pydantic"
    r"|function-|list\[|\bpass\b"
)
CHINESE = re.compile("[\u4e00-\u9fff]")
# path, body, what the answer says of which field, and how
WRONG: list[tuple[str, Any, int, str, str]] = [
    ("/v1/recall", {"query": "x"}, 400, "", '"user"'),
    ("/v1/recall", ANN, 422, "query", "is needed"),
    ("/v1/recall", {**ANN, "query": 7}, 422, "query", "must be text"),
    ("/v1/recall", {**ANN, "query": "x", "top_k": "3"}, 422, "top_k", "whole number"),
    ("/v1/recall", {**ANN, "query": "x", "top_k": 0}, 422, "top_k", "at least 1"),
    ("/v1/recall", {**ANN, "query": "x", "top_k": 9999}, 422, "top_k", "at most 1000"),
    ("/v1/recall", {**ANN, "query": "x", "explain": "yes"}, 422, "explain", "true or false"),
    ("/v1/recall", {**ANN, "query": "x", "kinds": ["cat"]}, 422, "kinds.0", "one of"),
    ("/v1/recall", {**ANN, "query": "x", "kinds": "fact"}, 422, "kinds", "must be a list"),
    ("/v1/recall", {"scope": "ann", "query": "x"}, 422, "scope", "must be an object"),
    ("/v1/recall", {"scope": {"usr": "ann"}, "query": "x"}, 422, "scope.usr", "did you mean"),
    ("/v1/recall", {"scope": {"user": []}, "query": "x"}, 422, "scope.user", "must be text"),
    ("/v1/recall", {"scope": {"user": "a\nb"}, "query": "x"}, 422, "scope.user", "control"),
    ("/v1/recall", {**ANN, "query": "x", "time_from": []}, 422, "time_from", "must be text"),
    ("/v1/recall", {**ANN, "query": "x", "time_from": "soon"}, 400, "", "ISO 8601"),
    ("/v1/turns", {**ANN, "new_info": 7}, 422, "new_info", "must be text or must be a list"),
    ("/v1/turns", {**ANN, "new_info": ["a", 7]}, 422, "new_info.1", "must be text"),
    ("/v1/turns", {**ANN, "messages": [{"txt": "x"}]}, 422, "messages.0.text", "is needed"),
    ("/v1/sessions/end", ANN, 400, "", "session"),
]  # fmt: skip


@pytest.mark.parametrize("path, body, status, where, what", WRONG)
def test_T2_errors_name_fields_as_they_were_sent(
    steady: Served, path: str, body: Any, status: int, where: str, what: str
) -> None:
    answer = steady.client.post(path, json=body)
    told = answer.json()
    assert answer.status_code == status, told
    assert not JARGON.search(answer.text), answer.text
    assert what in told["detail"]
    if where:
        assert where in [row["where"] for row in told["errors"]]


@pytest.mark.parametrize("path, body, status, where, what", WRONG)
def test_T2_the_same_in_chinese(
    steady: Served, path: str, body: Any, status: int, where: str, what: str
) -> None:
    headers = {"Accept-Language": "zh-CN,zh;q=0.9,en;q=0.5"}
    answer = steady.client.post(path, json=body, headers=headers)
    told = answer.json()
    assert answer.headers["content-language"] == "zh"
    assert CHINESE.search(told["title"])
    assert CHINESE.search(told["detail"])
    assert not re.search(r"[a-z]{2,} [a-z]{2,} [a-z]{2,}", told["detail"]), told["detail"]
    assert told["type"].startswith("urn:taishi:problem:")


def test_T2_common_refusals_are_in_chinese_too(served: Served) -> None:
    served.key()
    headers = {"Accept-Language": "zh"}
    client = served.client
    key = {**headers, **served.key()[1]}
    plain = {**key, "Content-Type": "text/plain"}
    json = {**key, "Content-Type": "application/json"}
    for answer, status in (
        (client.post("/v1/recall", json={}, headers=headers), 401),
        (client.get("/v1/nowhere", headers=key), 404),
        (client.get("/v1/recall", headers=key), 405),
        (client.post("/v1/recall", content=b"{}", headers=plain), 415),
        (client.post("/v1/recall", content=b"{", headers=json), 400),
        (
            client.post("/v1/recall", content=b"x", headers={**json, "Content-Length": "9" * 12}),
            413,
        ),
    ):
        assert answer.status_code == status
        assert CHINESE.search(answer.json()["title"]), answer.text
        assert CHINESE.search(answer.json()["detail"]), answer.text


def test_updating_what_is_put_right_elsewhere_names_the_route(served: Served) -> None:
    _, key = served.key()
    body = {"scope": {"user": "ann"}, "text": "Ann lives in Bonn", "kind": "fact"}
    id = served.client.post("/v1/memories", json=body, headers=key).json()["id"]
    change = {"scope": {"user": "ann"}, "text": "Ann lives in Trier"}
    for language, opening in (
        ("en", "facts are not updated: use "),
        ("zh", "事实不能直接修改：请用 "),
    ):
        headers = {**key, "Accept-Language": language}
        answer = served.client.patch(f"/v1/memories/{id}", json=change, headers=headers)
        assert answer.status_code == 400
        assert answer.json()["detail"].startswith(
            f"{opening}POST /v1/facts/{{id}}/correct (correctFact in TypeScript)"
        )


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"), ("zh", "zh"), ("zh-CN", "zh"), ("zh-Hant-TW;q=0.8", "zh"), ("en, zh", "en"),
        ("en;q=0.3, zh;q=0.9", "zh"), ("fr, de", "en"), ("fr, zh;q=0.1", "zh"), ("zh;q=0", "en"),
        ("zh;q=x", "en"), ("*", "en"), (",;,;q=,", "en"), ("x" * 9999, "en"),
    ],
)  # fmt: skip
def test_the_language_that_is_preferred(accepted: str, language: str) -> None:
    assert language_of({"accept-language": accepted}) == language


def test_the_engines_words_become_those_of_json() -> None:
    assert to_json_terms("pass Scope(group=…, user=…) now") == (
        'send scope {"group": …, "user": …} now'
    )
    assert to_json_terms("Scope(shared=True)") == 'scope {"shared": true}'
