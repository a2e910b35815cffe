"""Signing in on the web pages: what a cookie opens, and what it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.conftest import Served
from taishi.disk.key_file import SESSIONS_FILE as FILE
from taishi.disk.key_file import KeyFile
from taishi.http_origins import is_same_origin
from taishi.server import pages
from taishi.server.session_secret import MAX_ENDED, SessionSecret
from taishi.server.sessions import COOKIE, LIFE_SECONDS, Sessions

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


def asked(token: str) -> dict[str, str]:
    return {"host": "a", "x-taishi-pages": "1", "cookie": f"{COOKIE}={token}"}


def test_sessions_expire() -> None:
    now = [1000.0]
    sessions = Sessions(clock=lambda: now[0])
    token = sessions.begin("k1")
    assert sessions.key_id(asked(token)) == "k1"
    now[0] += LIFE_SECONDS
    assert sessions.key_id(asked(token)) is None


def test_every_process_of_a_folder_knows_a_session_and_its_end(tmp_path: Path) -> None:
    here, there = (Sessions(SessionSecret(KeyFile(tmp_path, FILE))) for _ in range(2))
    elsewhere = Sessions(SessionSecret(KeyFile(tmp_path / "another", FILE)))
    token = here.begin("k1")
    elsewhere.begin("k1")
    assert there.key_id(asked(token)) == "k1" and elsewhere.key_id(asked(token)) is None
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600
    again = Sessions(SessionSecret(KeyFile(tmp_path, FILE)))  # after a restart
    assert again.key_id(asked(token)) == "k1"
    there.end(asked(token))
    assert [one.key_id(asked(token)) for one in (here, there, again)] == [None] * 3
    assert here.key_id(asked(here.begin("k2"))) == "k2"


def test_a_changed_cookie_opens_nothing(tmp_path: Path) -> None:
    sessions = Sessions(SessionSecret(KeyFile(tmp_path, FILE)))
    token = sessions.begin("k1")
    key, expires, nonce, mac = token.split(".")
    forged = [f"k2.{expires}.{nonce}.{mac}", f"{key}.{int(expires) + 1}.{nonce}.{mac}",
              f"{key}.{expires}.{nonce[::-1]}.{mac}", f"{key}.{expires}.{nonce}.{'0' * 64}",
              f"{key}.{expires}.{nonce}.", f"{token}0", "9" * 5000, "...",
              token.upper()]  # fmt: skip
    assert [sessions.key_id(asked(one)) for one in forged] == [None] * len(forged)
    assert sessions.key_id(asked(token)) == "k1"


def test_no_ended_session_is_forgotten_however_many_there_are(tmp_path: Path) -> None:
    secret = SessionSecret(KeyFile(tmp_path, FILE))
    sessions = Sessions(secret)
    first = sessions.begin("k1")
    sessions.end(asked(first))
    state = secret.ready()
    for number in range(MAX_ENDED):
        state.ended[f"{number}"] = 1e12
    last = sessions.begin("k2")
    sessions.end(asked(last))  # over the bound: all sessions end, with a new secret
    assert sessions.key_id(asked(first)) is None and sessions.key_id(asked(last)) is None
    assert secret.ready().secret != state.secret


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"secret": "00", "ended": {}}', '{"secret": 1}']
)
def test_a_damaged_secret_ends_sessions_and_is_made_anew(tmp_path: Path, content: str) -> None:
    token = Sessions(SessionSecret(KeyFile(tmp_path, FILE))).begin("k1")
    (tmp_path / FILE).write_text(content)
    sessions = Sessions(SessionSecret(KeyFile(tmp_path, FILE)))
    assert sessions.key_id(asked(token)) is None
    assert sessions.key_id(asked(sessions.begin("k1"))) == "k1"


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
