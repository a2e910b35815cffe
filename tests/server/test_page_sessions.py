"""Signing in on the web pages: what a cookie opens, and what it does not."""

from __future__ import annotations

import pytest

from server.conftest import Served
from taishi.http_origins import is_same_origin
from taishi.server import pages
from taishi.server.sessions import COOKIE, LIFE_SECONDS, MAX_SESSIONS, Sessions

PAGE = {"X-Taishi-Pages": "1", "Sec-Fetch-Site": "same-origin"}


def sign_in(served: Served) -> str:
    _, shown = served.key(rights="admin", workspace=None)
    answer = served.client.post("/ui/session", headers=shown)
    assert answer.status_code == 204
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie and "Path=/" in cookie
    served.client.cookies.clear()
    return cookie.partition(";")[0]


def test_a_session_opens_what_its_key_opens(served: Served) -> None:
    cookie = sign_in(served)
    headers = {**PAGE, "Cookie": cookie}
    answer = served.client.get("/v1/whoami", headers=headers)
    assert answer.status_code == 200 and answer.json()["rights"] == "admin"
    assert served.client.delete("/ui/session", headers=headers).status_code == 204
    assert served.client.get("/v1/whoami", headers=headers).status_code == 401


@pytest.mark.parametrize("said", [
    {},  # what a form on a foreign page sends: no header of ours
    {"Sec-Fetch-Site": "same-origin"},
    {"X-Taishi-Pages": "1", "Sec-Fetch-Site": "cross-site"},
    {"X-Taishi-Pages": "1", "Sec-Fetch-Site": "same-site"},  # another port of this machine
    {"X-Taishi-Pages": "1", "Sec-Fetch-Site": "none"},
    {"X-Taishi-Pages": "1", "Origin": "http://evil.example"},
    {"X-Taishi-Pages": "1", "Origin": "http://testserver:81"},
    {"X-Taishi-Pages": "1", "Origin": "null"},
])  # fmt: skip
def test_a_cookie_alone_or_from_another_page_opens_nothing(
    served: Served, said: dict[str, str]
) -> None:
    cookie = sign_in(served)
    for method, path in (("GET", "/v1/whoami"), ("POST", "/v1/forget"), ("DELETE", "/ui/session")):
        answer = served.client.request(method, path, headers={**said, "Cookie": cookie})
        assert answer.status_code == 401, (method, path, answer.text)
    own = {"X-Taishi-Pages": "1", "Origin": "http://testserver", "Cookie": cookie}
    assert served.client.get("/v1/whoami", headers=own).status_code == 200


def test_a_session_ends_with_its_key(served: Served) -> None:
    cookie = sign_in(served)
    headers = {**PAGE, "Cookie": cookie}
    assert served.client.get("/v1/whoami", headers=headers).status_code == 200
    served.keys.revoke(served.keys.list()[0].id)
    assert served.client.get("/v1/whoami", headers=headers).status_code == 401


@pytest.mark.parametrize("cookie", [f"{COOKIE}=x", f"{COOKIE}=", "other=1", f"{COOKIE}=\xff", ";="])
def test_a_made_up_cookie_opens_nothing(served: Served, cookie: str) -> None:
    sign_in(served)
    headers = {**PAGE, "Cookie": cookie.encode("latin-1")}
    assert served.client.get("/v1/whoami", headers=headers).status_code == 401


def test_a_wrong_key_gets_no_session(served: Served) -> None:
    served.key()
    for headers in ({}, {"Authorization": "Bearer tsk_x_y"}):
        answer = served.client.post("/ui/session", headers=headers)
        assert answer.status_code == 401 and "set-cookie" not in answer.headers


def test_without_keys_there_is_nothing_to_sign_in_to(served: Served) -> None:
    answer = served.client.post("/ui/session")
    assert answer.status_code == 204 and "set-cookie" not in answer.headers


def test_sessions_end_and_are_bounded() -> None:
    now = [0.0]
    sessions = Sessions(clock=lambda: now[0])

    def asked(token: str) -> dict[str, str]:
        return {"host": "a", "x-taishi-pages": "1", "cookie": f"{COOKIE}={token}"}

    first = sessions.begin("k1")
    assert sessions.key_id(asked(first)) == "k1"
    now[0] = LIFE_SECONDS
    assert sessions.key_id(asked(first)) is None
    tokens = [sessions.begin("k2") for _ in range(MAX_SESSIONS)]
    assert len(sessions._known) == MAX_SESSIONS and sessions.key_id(asked(tokens[0])) == "k2"


def test_behind_a_proxy_with_tls_the_origin_is_still_ours() -> None:
    assert is_same_origin({"host": "m.example", "origin": "https://m.example"})
    assert not is_same_origin({"host": "m.example", "origin": "https://m.example:8443"})
    assert not is_same_origin({"host": "", "origin": "https://m.example"})


def test_the_page_says_how_to_build_it_and_runs_no_foreign_script(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = served.client.get("/")
    assert answer.status_code == 200
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "script-src 'unsafe" not in policy
    if (pages.STATIC / "index.html").exists():
        assert "<script>" not in answer.text and "script-src 'self'" in policy
    else:
        assert "make pages" in answer.text


@pytest.mark.parametrize("name", ["nothing.js", "..%2findex.html", "%2e%2e%2f__init__.py", ".env"])
def test_only_assets_are_served(served: Served, name: str) -> None:
    assert served.client.get(f"/ui/assets/{name}").status_code == 404
