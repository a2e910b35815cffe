"""OAuth for /mcp: the official client's own flow over real HTTP, and everything that must fail."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import re
import secrets
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import httpx2
import pytest
import uvicorn
from click.testing import CliRunner
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)

from taishi import Memory, Scope, load
from taishi.api_keys import Keys
from taishi.cli import taishi as command
from taishi.cli.serve import new_application
from taishi.server.oauth.store import OAuthStore

HIDDEN = re.compile(r'name="form" value="([^"]+)"')
HERE = "http://127.0.0.1:9/callback"
LIMITS = {"server.failed_keys_per_minute": 0, "server.rate_per_minute": 0}


@dataclass
class Site:
    """A server with OAuth on, its keys, and what a client and a person do there."""

    url: str
    folder: Path
    memory: Memory
    keys: Keys
    store: OAuthStore
    later: float = 0.0
    opened: list[httpx.Client] = field(default_factory=list)
    http: httpx.Client = field(init=False)

    def __post_init__(self) -> None:
        self.http = self.new_http()

    def new_http(self) -> httpx.Client:
        """Closed with the site."""
        self.opened.append(httpx.Client())
        return self.opened[-1]

    @property
    def resource(self) -> str:
        return f"{self.url}/mcp"

    def register(self, *uris: str, **more: Any) -> httpx.Response:
        body = {"redirect_uris": list(uris or (HERE,)), "client_name": "Test client", **more}
        return self.http.post(f"{self.url}/register", json=body)

    def token(self, **form: str) -> httpx.Response:
        return self.http.post(f"{self.url}/token", data=form)

    def ask(self, token: str, **headers: str) -> httpx.Response:
        """The list of tools, with a token."""
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        accept = "application/json, text/event-stream"
        sent = {"Authorization": f"Bearer {token}", "Accept": accept, **headers}
        return self.http.post(self.resource, json=body, headers=sent)


@dataclass
class Browser:
    """A person with a browser: opens the address, types a key, allows or denies."""

    site: Site
    key: str
    language: str = "en"

    def __post_init__(self) -> None:
        self.http = self.site.new_http()

    def open(self, url: str) -> httpx.Response:
        return self.http.get(url, headers={"Accept-Language": self.language})

    def post(self, form: dict[str, str], **headers: str) -> httpx.Response:
        sent = {"Origin": self.site.url, "Accept-Language": self.language, **headers}
        return self.http.post(f"{self.site.url}/authorize", data=form, headers=sent)

    def sign_in(self, page: httpx.Response, **headers: str) -> httpx.Response:
        return self.post({"step": "sign-in", "form": hidden(page), "key": self.key}, **headers)

    def decide(self, page: httpx.Response, decision: str = "allow", **more: str) -> httpx.Response:
        return self.post({"step": "decide", "form": hidden(page), "decision": decision, **more})

    def allow(self, url: str, **more: str) -> dict[str, str]:
        """All of it; the parameters of the address that the browser is sent to."""
        answer = self.decide(self.sign_in(self.open(url)), **more)
        assert answer.status_code == 303, answer.text
        return parameters(answer)


def hidden(page: httpx.Response) -> str:
    found = HIDDEN.search(page.text)
    assert found, page.text
    return unescape(found[1])


def parameters(answer: httpx.Response) -> dict[str, str]:
    query = urlsplit(answer.headers["location"]).query
    return {name: values[0] for name, values in parse_qs(query).items()}


def challenge_of(verifier: str) -> str:
    hashed = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(hashed).decode().rstrip("=")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with socket.socket(proto=socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        overrides = {"models.embedding.kind": "none", "query.recall_timeout": 10.0, **LIMITS}
        settings = load(environ={}, overrides={**overrides, "server.oauth_url": url})
        folder = tmp_path / "data"
        with Memory.open(folder, settings) as memory:
            keys = Keys(folder)
            app = new_application(memory, keys, "127.0.0.1", "en")
            place = Site(url, folder, memory, keys, app.state.oauth_store)
            app.state.oauth_store._clock = lambda: time.time() + place.later
            config = uvicorn.Config(app, log_config=None, ws="none", timeout_graceful_shutdown=2)
            server = uvicorn.Server(config)
            thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
            thread.start()
            while not server.started and thread.is_alive():
                time.sleep(0.01)
            try:
                yield place
            finally:
                server.should_exit = True
                thread.join(20)
                for http in place.opened:
                    http.close()


@pytest.fixture
def browser(site: Site) -> Browser:
    _, secret = site.keys.create("ann", user="ann")
    return Browser(site, secret)


@dataclass
class Flow:
    """A client that does each step by hand, so that each can be done wrongly."""

    site: Site
    client: str
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48))

    def url(self, **changes: str | None) -> str:
        given = {
            "response_type": "code",
            "client_id": self.client,
            "redirect_uri": HERE,
            "code_challenge": challenge_of(self.verifier),
            "code_challenge_method": "S256",
            "state": "s-1",
            "resource": self.site.resource,
            **changes,
        }
        sent = {name: value for name, value in given.items() if value is not None}
        return str(httpx.URL(f"{self.site.url}/authorize", params=sent))

    def exchange(self, code: str, **changes: str) -> httpx.Response:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "client_id": self.client,
            "redirect_uri": HERE,
            "code_verifier": self.verifier,
            "resource": self.site.resource,
        }
        return self.site.token(**{**form, **changes})

    def refresh(self, token: str, **changes: str) -> httpx.Response:
        form = {"grant_type": "refresh_token", "refresh_token": token, "client_id": self.client}
        return self.site.token(**{**form, **changes})


@pytest.fixture
def flow(site: Site) -> Flow:
    return Flow(site, site.register().json()["client_id"])


# -- the official client -------------------------------------------------------------------------


class Kept:
    """Where the official client keeps its tokens."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


def provider_of(site: Site, browser: Browser, kept: Kept, **more: str) -> OAuthClientProvider:
    answers: list[dict[str, str]] = []

    async def redirect(url: str) -> None:
        answers.append(await asyncio.to_thread(browser.allow, url, **more))

    async def callback() -> AuthorizationCodeResult:
        given = answers.pop()
        return AuthorizationCodeResult(code=given["code"], state=given["state"], iss=given["iss"])

    metadata = OAuthClientMetadata.model_validate(
        {"redirect_uris": [HERE], "client_name": "Official client"}
    )
    return OAuthClientProvider(site.resource, metadata, kept, redirect, callback)


async def use(site: Site, provider: OAuthClientProvider, *calls: tuple[str, Any]) -> list[Any]:
    async with (
        httpx2.AsyncClient(auth=provider, timeout=20) as http,
        Client(streamable_http_client(site.resource, http_client=http)) as client,
    ):
        return [await client.call_tool(tool, arguments) for tool, arguments in calls]


def test_the_official_client_connects_and_uses_the_memory(site: Site, browser: Browser) -> None:
    kept = Kept()
    remember = ("remember", {"text": "Ann drinks oolong tea"})
    recall = ("recall", {"query": "oolong tea"})
    done = asyncio.run(use(site, provider_of(site, browser, kept), remember, recall))
    assert not any(one.is_error for one in done)
    assert site.memory.recall(Scope(user="ann"), "oolong tea").hits[0].text.startswith("Ann drinks")
    (connection,) = site.store.list()
    assert connection.approval.client_name == "Official client"
    # With the tokens that it kept it comes back without the person.
    again = provider_of(site, Browser(site, "no key"), kept)
    (found,) = asyncio.run(use(site, again, recall))
    assert "oolong" in found.content[0].text
    assert len(site.store.list()) == 1


def test_the_official_client_renews_an_expired_token(site: Site, browser: Browser) -> None:
    kept = Kept()
    asyncio.run(use(site, provider_of(site, browser, kept), ("list_memories", {})))
    assert kept.tokens
    before = kept.tokens.access_token
    kept.tokens = kept.tokens.model_copy(update={"expires_in": 1, "access_token": "x"})
    again = provider_of(site, Browser(site, "no key"), kept)

    async def play() -> list[Any]:
        await again._initialize()
        again.context.token_expiry_time = time.time() - 10
        return await use(site, again, ("list_memories", {}))

    (found,) = asyncio.run(play())
    assert not found.is_error
    assert kept.tokens.access_token not in ("x", before)
    assert len(site.store.list()) == 1


def test_a_key_for_everybody_is_narrowed_to_one_person(site: Site) -> None:
    _, secret = site.keys.create("owner", None, rights="admin")
    browser, kept = Browser(site, secret), Kept()
    provider = provider_of(site, browser, kept, user="ben", read_only="1")
    site.memory.remember(Scope(user="ann"), "Ann drinks oolong tea")
    site.memory.remember(Scope(user="ben"), "Ben drinks green tea")
    listed, refused = asyncio.run(
        use(site, provider, ("list_memories", {}), ("remember", {"text": "x"}))
    )
    assert [one["text"] for one in listed.structured_content["memories"]] == [
        "Ben drinks green tea"
    ]
    assert refused.is_error
    assert kept.tokens
    assert kept.tokens.scope == "memory:read"
    answer = site.ask(kept.tokens.access_token, **{"X-Taishi-User": "ann"})
    assert answer.status_code == 403


# -- what is published -----------------------------------------------------------------------------


def test_a_401_leads_to_the_metadata_and_on_to_every_endpoint(site: Site, browser: Browser) -> None:
    refused = site.ask("nonsense")
    assert refused.status_code == 401
    found = re.search(r'resource_metadata="([^"]+)"', refused.headers["www-authenticate"])
    assert found
    resource = httpx.get(found[1]).json()
    assert resource["resource"] == site.resource
    assert resource["authorization_servers"] == [site.url]
    assert httpx.get(f"{site.url}/.well-known/oauth-protected-resource").json() == resource
    server = httpx.get(f"{site.url}/.well-known/oauth-authorization-server").json()
    assert server["issuer"] == site.url
    assert server["code_challenge_methods_supported"] == ["S256"]
    for name in ("authorization", "token", "registration", "revocation"):
        assert server[f"{name}_endpoint"].startswith(f"{site.url}/")


def test_it_is_off_unless_the_address_is_set(tmp_path: Path) -> None:
    from fastapi.testclient import TestClient

    settings = load(environ={}, overrides={"models.embedding.kind": "none"})
    with Memory.open(tmp_path / "data", settings) as memory:
        keys = Keys(tmp_path / "data")
        keys.create("ann", user="ann")
        with TestClient(new_application(memory, keys, "127.0.0.1", "en")) as client:
            for path in ("/authorize", "/.well-known/oauth-authorization-server"):
                assert client.get(path).status_code == 404
            assert client.post("/token").status_code == 404
            answer = client.post("/mcp", headers={"Authorization": "Bearer x"}, json={})
            assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("url", ["http://memory.example", "https://a/b", "ftp://a", "https://A.b"])
def test_an_address_that_would_leak_tokens_is_refused(url: str) -> None:
    from taishi.errors import SettingsError

    with pytest.raises(SettingsError):
        load(environ={}, overrides={"server.oauth_url": url})


# -- the consent page ------------------------------------------------------------------------------


@pytest.mark.parametrize(("language", "words"), [("en", "Sign in"), ("zh-CN", "登录")])
def test_the_page_is_in_both_languages_and_runs_nothing(
    site: Site, browser: Browser, flow: Flow, language: str, words: str
) -> None:
    browser.language = language
    page = browser.open(flow.url())
    assert words in page.text
    consent = browser.sign_in(page)
    assert ("允许" in consent.text) == (language == "zh-CN")
    for shown in (page, consent):
        policy = shown.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src" not in policy
        assert "frame-ancestors 'none'" in policy
        assert "<script" not in shown.text
        assert shown.headers["cache-control"] == "no-store"
    assert "form-action 'self' http://127.0.0.1:9" in consent.headers["content-security-policy"]
    assert browser.key not in consent.text


def test_a_clients_name_is_text(site: Site, browser: Browser) -> None:
    name = '<script>alert(1)</script>"><img src=x onerror=y>\n\u202eelgooG'
    client = site.register(client_name=name).json()["client_id"]
    page = browser.open(Flow(site, client).url())
    assert "<script" not in page.text
    assert "<img" not in page.text
    assert "alert(1)" in page.text  # shown, in letters that no browser reads as markup
    assert "onerror=y>" not in page.text
    assert "\u202e" not in page.text


def test_denying_says_so_to_the_client(site: Site, browser: Browser, flow: Flow) -> None:
    answer = browser.decide(browser.sign_in(browser.open(flow.url())), "deny")
    given = parameters(answer)
    assert given["error"] == "access_denied"
    assert given["state"] == "s-1"
    assert given["iss"] == site.url
    assert site.store.list() == []


def test_a_wrong_key_gives_no_consent_page(site: Site, browser: Browser, flow: Flow) -> None:
    browser.key = "tsk_0_wrong"
    page = browser.sign_in(browser.open(flow.url()))
    assert page.status_code == 403
    assert 'name="decision"' not in page.text


def test_a_decision_without_signing_in_is_worth_nothing(
    site: Site, browser: Browser, flow: Flow
) -> None:
    answer = browser.decide(browser.open(flow.url()))
    assert "location" not in answer.headers
    assert 'name="decision"' not in answer.text


def test_a_key_for_everybody_is_offered_the_people_that_are_known(site: Site, flow: Flow) -> None:
    site.memory.remember(Scope(user="ben"), "Ben drinks tea")
    site.memory.profiles.set(Scope(user="ben"), "- drinks tea", name="Ben <b>")
    site.memory.remember(Scope(user="eve", workspace="other"), "Eve drinks milk")
    site.memory.remember(Scope(group="club"), "The club meets")
    _, secret = site.keys.create("all", workspace="default")
    somebody = Browser(site, secret)
    consent = somebody.sign_in(somebody.open(flow.url()))
    offered = re.findall(r'<option value="([^"]*)">([^<]*)<', consent.text)
    assert offered == [("ben", offered[0][1])] and "Ben" in offered[0][1]
    assert "<b>" not in consent.text and 'list="users"' in consent.text
    again = somebody.decide(consent, user="")
    assert again.status_code == 400 and '<option value="ben">' in again.text
    assert "code" in parameters(somebody.decide(again, user="ben"))


def test_a_key_for_one_user_is_offered_nobody(browser: Browser, site: Site, flow: Flow) -> None:
    site.memory.remember(Scope(user="ben"), "Ben drinks tea")
    consent = browser.sign_in(browser.open(flow.url()))
    assert "<option" not in consent.text and "ben" not in consent.text


def test_a_key_that_was_revoked_meanwhile_allows_nothing(
    site: Site, browser: Browser, flow: Flow
) -> None:
    consent = browser.sign_in(browser.open(flow.url()))
    site.keys.revoke(site.keys.list()[0].id)
    assert browser.decide(consent).status_code == 403


def test_forms_of_other_pages_and_browsers_are_refused(
    site: Site, browser: Browser, flow: Flow
) -> None:
    page = browser.open(flow.url())
    foreign = ({"Origin": "https://evil.example"}, {"Origin": "null"})
    for headers in (*foreign, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}):
        assert browser.sign_in(page, **headers).status_code == 403
    consent = browser.sign_in(page)
    victim = Browser(site, browser.key)
    victim.open(flow.url())  # has a cookie of its own
    answer = victim.decide(consent)
    assert answer.status_code == 403
    assert "location" not in answer.headers
    victim.http.cookies.clear()
    assert victim.decide(consent).status_code == 403
    signed = hidden(consent)
    changed = signed[:-1] + ("0" if signed[-1] != "0" else "1")
    form = {"step": "decide", "form": changed, "decision": "allow"}
    assert browser.post(form).status_code == 403


# -- attacks on the request ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "uri",
    [
        "https://evil.example/callback",
        "http://127.0.0.1:9/callback/../evil",
        "http://127.0.0.1:9/callback?x=1",
        "http://127.0.0.1:9@evil.example/callback",
        "http://127.0.0.1.evil.example/callback",
        "//evil.example",
        "javascript:alert(1)",
        "",
    ],
)
def test_nobody_is_sent_to_an_address_that_was_not_registered(
    site: Site, browser: Browser, flow: Flow, uri: str
) -> None:
    for changes in ({}, {"response_type": "nonsense"}):
        answer = browser.open(flow.url(redirect_uri=uri, **changes))
        assert answer.status_code == 400
        assert "location" not in answer.headers


def test_a_program_on_this_machine_may_use_any_port(
    site: Site, browser: Browser, flow: Flow
) -> None:
    uri = "http://127.0.0.1:51234/callback"
    code = browser.allow(flow.url(redirect_uri=uri))["code"]
    assert flow.exchange(code).status_code == 400  # another address than the code was sent to


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"resource": "https://elsewhere.example/mcp"}, "invalid_target"),
        ({"scope": "admin"}, "invalid_scope"),
    ],
)
def test_a_request_that_is_wrong_is_answered_at_the_client(
    site: Site, browser: Browser, flow: Flow, changes: dict[str, str | None], error: str
) -> None:
    answer = browser.open(flow.url(**changes))
    assert answer.status_code == 303
    assert answer.headers["location"].startswith(HERE)
    assert parameters(answer)["error"] == error
    assert parameters(answer)["state"] == "s-1"


def test_a_parameter_that_comes_twice_is_refused(site: Site, browser: Browser, flow: Flow) -> None:
    answer = browser.open(flow.url() + "&redirect_uri=https%3A%2F%2Fevil.example")
    assert answer.status_code == 400
    assert "location" not in answer.headers


@pytest.mark.parametrize(
    "uri",
    [
        "http://evil.example/cb",
        "javascript:alert(1)",
        "data:text/html,x",
        "https://a.example/cb#f",
        "https://user@a.example/cb",
        "/relative",
        "https://a.example/ü",
        "https://a.example/" + "x" * 3000,
    ],
)
def test_addresses_that_cannot_be_registered(site: Site, uri: str) -> None:
    answer = site.register(uri)
    assert answer.status_code == 400
    assert answer.json()["error"] == "invalid_redirect_uri"


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"redirect_uris": 5}', b"[" * 60_000])
def test_registrations_that_cannot_be_read(site: Site, body: bytes) -> None:
    answer = site.http.post(f"{site.url}/register", content=body)
    assert answer.status_code == 400
    assert "error" in answer.json()


def test_apps_may_register_a_scheme_of_their_own(site: Site) -> None:
    answer = site.register("cursor://anysphere.cursor-mcp/oauth/callback", "https://a.example/cb")
    assert answer.status_code == 201
    assert answer.json()["token_endpoint_auth_method"] == "none"
    assert "client_secret" not in answer.json()


# -- attacks on codes and tokens -------------------------------------------------------------------


def test_a_code_is_good_once_and_a_second_try_ends_the_connection(
    site: Site, browser: Browser, flow: Flow
) -> None:
    code = browser.allow(flow.url())["code"]
    tokens = flow.exchange(code).json()
    assert site.ask(tokens["access_token"]).status_code == 200
    again = flow.exchange(code)
    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")
    assert site.ask(tokens["access_token"]).status_code == 401
    assert flow.refresh(tokens["refresh_token"]).status_code == 400


@pytest.mark.parametrize(
    "changes",
    [
        {"code_verifier": "x" * 50},
        {"code_verifier": "short"},
        {"redirect_uri": "http://127.0.0.1:9/other"},
        {"client_id": "somebody-else"},
        {"resource": "https://elsewhere.example/mcp"},
    ],
)
def test_a_code_is_worth_nothing_to_anybody_else(
    site: Site, browser: Browser, flow: Flow, changes: dict[str, str]
) -> None:
    code = browser.allow(flow.url())["code"]
    answer = flow.exchange(code, **changes)
    assert answer.status_code == 400
    assert "access_token" not in answer.json()


def test_a_wrong_verifier_spends_the_code(site: Site, browser: Browser, flow: Flow) -> None:
    code = browser.allow(flow.url())["code"]
    assert flow.exchange(code, code_verifier="x" * 50).status_code == 400
    assert flow.exchange(code).status_code == 400


def test_codes_and_tokens_end(site: Site, browser: Browser, flow: Flow) -> None:
    code = browser.allow(flow.url())["code"]
    site.later = 61
    assert flow.exchange(code).status_code == 400
    site.later = 0
    tokens = flow.exchange(browser.allow(flow.url())["code"]).json()
    assert site.ask(tokens["access_token"]).status_code == 200
    site.later = tokens["expires_in"] + 1
    assert site.ask(tokens["access_token"]).status_code == 401
    renewed = flow.refresh(tokens["refresh_token"]).json()
    assert site.ask(renewed["access_token"]).status_code == 200
    site.later += 61 * 86400
    assert flow.refresh(renewed["refresh_token"]).status_code == 400


def test_a_refresh_token_that_comes_twice_ends_the_connection(
    site: Site, browser: Browser, flow: Flow
) -> None:
    first = flow.exchange(browser.allow(flow.url())["code"]).json()
    second = flow.refresh(first["refresh_token"]).json()
    assert second["refresh_token"] != first["refresh_token"]
    assert flow.refresh(first["refresh_token"]).json()["error"] == "invalid_grant"
    for token in (first["access_token"], second["access_token"]):
        assert site.ask(token).status_code == 401
    assert flow.refresh(second["refresh_token"]).status_code == 400
    assert site.store.list() == []


def test_a_made_up_refresh_token_ends_nothing(site: Site, browser: Browser, flow: Flow) -> None:
    tokens = flow.exchange(browser.allow(flow.url())["code"]).json()
    id = tokens["refresh_token"].split("_")[1]
    assert flow.refresh(f"tsr_{id}_made-up").status_code == 400
    other = site.register().json()["client_id"]
    assert flow.refresh(tokens["refresh_token"], client_id=other).status_code == 400
    assert flow.refresh(tokens["refresh_token"]).status_code == 200


def test_a_token_of_another_resource_opens_nothing(
    site: Site, browser: Browser, flow: Flow
) -> None:
    tokens = flow.exchange(browser.allow(flow.url())["code"]).json()
    approval = site.store.approval_of(tokens["access_token"], site.resource)
    assert approval is not None
    assert site.store.approval_of(tokens["access_token"], "https://other.example/mcp") is None


def test_a_token_opens_mcp_and_no_other_door(site: Site, browser: Browser, flow: Flow) -> None:
    tokens = flow.exchange(browser.allow(flow.url())["code"]).json()
    shown = {"Authorization": f"Bearer {tokens['access_token']}"}
    body = {"scope": {"user": "ann"}, "query": "tea"}
    assert site.http.post(f"{site.url}/v1/recall", json=body, headers=shown).status_code == 401
    assert site.http.get(f"{site.url}/v1/keys", headers=shown).status_code == 401
    assert site.ask(tokens["refresh_token"]).status_code == 401


def test_tokens_end_with_the_key_that_allowed_them(
    site: Site, browser: Browser, flow: Flow
) -> None:
    tokens = flow.exchange(browser.allow(flow.url())["code"]).json()
    site.keys.revoke(site.keys.list()[0].id)
    assert site.ask(tokens["access_token"]).status_code == 401


def test_a_client_can_disconnect_itself_and_nobody_else(
    site: Site, browser: Browser, flow: Flow
) -> None:
    tokens = flow.exchange(browser.allow(flow.url())["code"]).json()
    revoke = f"{site.url}/revoke"
    other = site.register().json()["client_id"]
    form = {"token": tokens["refresh_token"], "client_id": other}
    assert site.http.post(revoke, data=form).status_code == 200
    assert site.ask(tokens["access_token"]).status_code == 200
    form["client_id"] = flow.client
    assert site.http.post(revoke, data=form).status_code == 200
    assert site.ask(tokens["access_token"]).status_code == 401
    assert site.http.post(revoke, data={**form, "token": "unknown"}).status_code == 200


def test_only_hashes_are_stored(site: Site, browser: Browser, flow: Flow) -> None:
    code = browser.allow(flow.url())["code"]
    tokens = flow.exchange(code).json()
    stored = (site.folder / "oauth.json").read_text("utf-8")
    for secret in (code, tokens["access_token"], tokens["refresh_token"], browser.key):
        assert secret not in stored
        assert secret.split("_", 2)[2] not in stored


def test_endless_registrations_push_out_nobody_who_is_connected(
    site: Site, browser: Browser, flow: Flow
) -> None:
    tokens = flow.exchange(browser.allow(flow.url())["code"]).json()
    answers = [site.register().status_code for _ in range(40)]
    assert 429 in answers
    from taishi.server.oauth import pruning
    from taishi.server.oauth.state import Client, State

    state = site.store._read()
    many = {str(n): Client(str(n), "x", (HERE,), time.time() + n) for n in range(3000)}
    crowded = State({**state.clients, **many}, state.codes, state.connections)
    kept = pruning.pruned(crowded, time.time())
    assert len(kept.clients) == pruning.MAX_CLIENTS
    assert flow.client in kept.clients
    assert site.ask(tokens["access_token"]).status_code == 200


# -- looking after connections ---------------------------------------------------------------------


def test_connections_are_listed_and_withdrawn_by_command(
    site: Site, browser: Browser, flow: Flow
) -> None:
    tokens = flow.exchange(browser.allow(flow.url())["code"]).json()
    data = ["--data", str(site.folder)]
    listed = CliRunner().invoke(command, [*data, "oauth", "list", "--json"])
    (one,) = json.loads(listed.stdout)["connections"]
    assert one["client_name"] == "Test client"
    (key,) = [key for key in site.keys.list() if key.id == one["key"]]
    assert key.user and one["user"] == key.user  # the key says whose, the consent page did not ask
    table = CliRunner().invoke(command, [*data, "oauth", "list"]).stdout
    assert "Test client" in table and key.user in table.splitlines()[-1].split()
    done = CliRunner().invoke(command, [*data, "oauth", "revoke", one["id"]])
    assert done.exit_code == 0
    assert site.ask(tokens["access_token"]).status_code == 401
    again = CliRunner().invoke(command, [*data, "--lang", "zh", "oauth", "list"])
    assert "没有以 OAuth 连接的客户端" in again.stdout
    assert CliRunner().invoke(command, [*data, "oauth", "revoke", "none"]).exit_code == 2


def test_connections_are_listed_and_withdrawn_by_rest(
    site: Site, browser: Browser, flow: Flow
) -> None:
    tokens = flow.exchange(browser.allow(flow.url())["code"]).json()
    _, owner = site.keys.create("owner", None, rights="admin")
    shown = {"Authorization": f"Bearer {owner}"}
    listed = site.http.get(f"{site.url}/v1/connections", headers=shown).json()["connections"]
    assert [one["client"] for one in listed] == ["Test client"]
    path = f"{site.url}/v1/connections/{listed[0]['id']}"
    assert site.http.delete(path, headers=shown).status_code == 200
    assert site.http.delete(path, headers=shown).status_code == 404
    assert site.ask(tokens["access_token"]).status_code == 401


def test_forgetting_a_user_ends_the_connections_that_name_them(site: Site, flow: Flow) -> None:
    _, secret = site.keys.create("owner", "default", rights="admin")
    browser = Browser(site, secret)
    needed = browser.decide(browser.sign_in(browser.open(flow.url())))
    assert needed.status_code == 400  # whose memory?
    code = browser.allow(flow.url(), user="ben")["code"]
    assert flow.exchange(code).status_code == 200
    assert "ben" in (site.folder / "oauth.json").read_text()
    shown = {"Authorization": f"Bearer {secret}"}
    body = {"scope": {"user": "ben"}}
    assert site.http.post(f"{site.url}/v1/forget", json=body, headers=shown).status_code == 200
    assert site.store.list() == []
    assert "ben" not in (site.folder / "oauth.json").read_text()


def test_a_damaged_document_lets_nobody_in_and_says_so(
    site: Site, browser: Browser, flow: Flow
) -> None:
    tokens = flow.exchange(browser.allow(flow.url())["code"]).json()
    (site.folder / "oauth.json").write_text("{broken")
    assert site.ask(tokens["access_token"]).status_code in (401, 503)
    assert flow.refresh(tokens["refresh_token"]).status_code == 503
    assert site.ask(browser.key).status_code == 200  # API keys go on
