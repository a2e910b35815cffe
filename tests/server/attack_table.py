"""The attack table: every route × Host × Origin × path trick × key, and what must come of each.

The routes come from the app itself, so that a new one is attacked by itself. What must come of a
row (`expected`) is worked out from a few rules that are written down here once more, apart from
the code: whose name a Host is, and what a key opens, is said by hand in each list.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, product
from typing import Any, Literal
from urllib.parse import unquote, urlencode

from server.test_matrix import PLANS, TARGETS

VICTIM = TARGETS[0]  # user u1 of workspace a
OUR_NAME = "memory.example"  # in server.hosts
OUR_PAGE = "https://app.example"  # in server.cors_origins
PORT = "{port}"
Kind = Literal["nobody", "twice", "reader", "stranger", "owner", "mem0"]
REFUSED = frozenset({400, 401, 403, 404, 405, 422})
READS = ("/recall", "/context", "/search", "/search/", "/v3/memories/")  # POST routes that read


@dataclass(frozen=True)
class Asked:
    """A route as the app has it, and a request for it that would do something to the victim."""

    method: str
    template: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    right: str = "read"
    level: str = "scope"  # scope, workspace, server, self; none: open to everybody

    @property
    def is_harmless(self) -> bool:
        return self.method in ("GET", "HEAD") or self.path.endswith(READS)


@dataclass(frozen=True)
class Host:
    text: str
    ours: bool = False


@dataclass(frozen=True)
class Page:
    """What a browser says of the page that asks. {host}: the Host of the same request."""

    headers: Mapping[str, str]
    ours: bool = False


@dataclass(frozen=True)
class Shown:
    """How a key is shown. {right}: a good one of the kind; the others are made by the test."""

    headers: Sequence[tuple[str, str]]
    kind: Kind = "nobody"
    query: str = ""


HOSTS = [
    Host(f"127.0.0.1:{PORT}", True), Host("127.0.0.1", True), Host(f"localhost:{PORT}", True),
    Host("LocalHost", True), Host(f"[::1]:{PORT}", True), Host("127.0.0.1:1", True),
    Host(OUR_NAME, True), Host(f"{OUR_NAME.upper()}:443", True),
    Host("evil.example"), Host(f"evil.example:{PORT}"), Host("127.0.0.1.evil.example"),
    Host(f"127.0.0.1:{PORT}.evil.example"), Host(f"localhost:{PORT}@evil.example"),
    Host(f"evil.example@127.0.0.1:{PORT}"), Host("localhost.evil.example"), Host("localhost."),
    Host("127.0.0.1."), Host("localhost.localdomain"), Host("127.1"), Host("2130706433"),
    Host("0x7f000001"), Host("0177.0.0.1"), Host("127.0.0.2"), Host(f"0.0.0.0:{PORT}"),
    Host(f"[::]:{PORT}"), Host("[::ffff:127.0.0.1]"), Host("[::1].evil.example"),
    Host("[::1%25lo]"), Host("::1"), Host("evil.example#127.0.0.1"), Host("127.0.0.1/evil.example"),
    Host("127.0.0.1, evil.example"), Host("127.0.0.1 evil.example"), Host("127.0.0.1:99999"),
    Host("127.0.0.1:"), Host("127.0.0.1:-1"), Host(f"not-{OUR_NAME}"), Host(f"{OUR_NAME}.evil.org"),
    Host("http://127.0.0.1"), Host(""), Host("*"), Host("null"), Host("127.0.0.1%00.evil.example"),
]  # fmt: skip

PAGES = [
    Page({}, True), Page({"Origin": "http://{host}"}, True),
    Page({"Sec-Fetch-Site": "same-origin"}, True), Page({"Sec-Fetch-Site": "none"}, True),
    Page({"Origin": OUR_PAGE}, True),
    Page({"Origin": OUR_PAGE, "Sec-Fetch-Site": "cross-site"}, True),
    Page({"Origin": "null"}), Page({"Origin": ""}), Page({"Origin": "http://evil.example"}),
    Page({"Origin": "http://127.0.0.1:4"}), Page({"Origin": "http://localhost:65535"}),
    Page({"Origin": "http://{host}:4"}), Page({"Origin": "http://{host}@evil.example"}),
    Page({"Origin": "http://{host}.evil.example"}), Page({"Origin": "http://evil.example/{host}"}),
    Page({"Origin": "http://evil.example#{host}"}), Page({"Origin": "http://{host}/page"}),
    Page({"Origin": "http://{host} http://evil.example"}), Page({"Origin": "ftp://{host}"}),
    Page({"Origin": "file://"}), Page({"Origin": "chrome-extension://{host}"}),
    Page({"Origin": "{host}"}), Page({"Origin": "//{host}"}), Page({"Origin": "http:{host}"}),
    Page({"Origin": f"{OUR_PAGE}.evil.org"}), Page({"Origin": f"{OUR_PAGE}:444"}),
    Page({"Origin": OUR_PAGE.replace("https", "http")}), Page({"Origin": f"{OUR_PAGE}@evil.org"}),
    Page({"Sec-Fetch-Site": "cross-site"}), Page({"Sec-Fetch-Site": "same-site"}),
    Page({"Sec-Fetch-Site": "Cross-Site"}), Page({"Sec-Fetch-Site": "whatever"}),
    Page({"Origin": "http://{host}", "Sec-Fetch-Site": "cross-site"}),
]  # fmt: skip


def _last(path: str, between: str) -> str:
    head, _, tail = path.rpartition("/")
    return f"{head}{between}{tail}"


def _hexed(path: str, sign: str) -> str:
    return f"{path[:-1]}{sign}{ord(path[-1]):02x}"


TRICKS: dict[str, Callable[[str], str]] = {
    "as it is": lambda path: path,
    "an encoded letter": lambda path: _hexed(path, "%"),
    "a letter encoded twice": lambda path: _hexed(path, "%25"),
    "an encoded slash": lambda path: _last(path, "%2f"),
    "a slash encoded twice": lambda path: _last(path, "%252f"),
    "a slash in full width": lambda path: _last(path, "%EF%BC%8F"),
    "an overlong slash": lambda path: _last(path, "%c0%af"),
    "a slash at the end": lambda path: f"{path}/",
    "two slashes": lambda path: f"/{path}",
    "two slashes inside": lambda path: _last(path, "//"),
    "a dot": lambda path: f"/.{path}",
    "a dot inside": lambda path: _last(path, "/./"),
    "up at the end": lambda path: f"{path}/..",
    "up from an open path": lambda path: f"/health/live/../..{path}",
    "up, encoded": lambda path: f"/health/%2e%2e{path}",
    "up, encoded twice": lambda path: f"/health/%252e%252e{path}",
    "up with encoded slashes": lambda path: f"/docs%2f..{path}",
    "up inside": lambda path: _last(path, "/x/../"),
    "down and elsewhere": lambda path: f"{path}%2f..%2f..%2ffiles",
    "a semicolon": lambda path: f"{path};x=1",
    "up with a semicolon": lambda path: f"/docs/..;{path}",
    "backslashes": lambda path: path.replace("/", "\\"),
    "a backslash inside": lambda path: _last(path, "\\"),
    "an encoded backslash": lambda path: _last(path, "%5c"),
    "an encoded null": lambda path: f"{path}%00",
    "a null": lambda path: f"{path}\x00",
    "an encoded newline": lambda path: f"{path}%0a",
    "an encoded head": lambda path: f"{path}%20HTTP/1.1%0d%0aHost:%20evil.example",
    "an encoded space": lambda path: f"{path}%20",
    "a space": lambda path: f"{path} x",
    "a tab": lambda path: f"{path}\tx",
    "capitals": lambda path: path.upper(),
    "a suffix": lambda path: f"{path}.json",
    "a fragment": lambda path: f"{path}#x",
    "an address": lambda path: f"http://127.0.0.1{path}",
    "another's address": lambda path: f"http://evil.example{path}",
    "without its slash": lambda path: path[1:],
    "broken encoding": lambda path: f"{path}%zz",
}

_WRONG = "tsk_0123456789ab_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
SHOWN: dict[str, Shown] = {
    "none": Shown([]),
    "wrong": Shown([("Authorization", f"Bearer {_WRONG}")]),
    "wrong, as X-API-Key": Shown([("X-API-Key", _WRONG)]),
    "empty": Shown([("Authorization", "Bearer ")]),
    "empty X-API-Key": Shown([("X-API-Key", "")]),
    "revoked": Shown([("Authorization", "Bearer {revoked}")]),
    "expired": Shown([("Authorization", "Bearer {expired}")]),
    "cut": Shown([("Authorization", "Bearer {cut}")]),
    "with more behind it": Shown([("Authorization", "Bearer {right}A")]),
    "another key's id": Shown([("Authorization", "Bearer {crossed}")]),
    "the hash": Shown([("Authorization", "Bearer {hash}")]),
    "capitals": Shown([("Authorization", "Bearer {capitals}")]),
    "no scheme": Shown([("Authorization", "{right}")]),
    "another scheme": Shown([("Authorization", "Digest {right}")]),
    "mem0's scheme": Shown([("Authorization", "Token {right}")], "mem0"),
    "Basic": Shown([("Authorization", "Basic {basic}")]),
    "a list": Shown([("Authorization", f"Bearer {_WRONG}, Bearer {{right}}")]),
    "a header with a line under it": Shown([("X_API_Key", "{right}")]),
    "a cookie": Shown([("Cookie", "key={right}; Authorization=Bearer {right}")]),
    "in the query": Shown([], query="key={right}&api_key={right}&access_token={right}"),
    "for a proxy": Shown([("Proxy-Authorization", "Bearer {right}")]),
    "a wrong one first": Shown([("X-API-Key", _WRONG), ("Authorization", "Bearer {right}")]),
    "forwarded from here": Shown([("X-Forwarded-For", "127.0.0.1"), ("X-Real-IP", "127.0.0.1"),
                                  ("Forwarded", "for=127.0.0.1;host=localhost")]),
    "another path in a header": Shown([("X-Original-URL", "/health/live"),
                                       ("X-Rewrite-URL", "/health/live"),
                                       ("X-HTTP-Method-Override", "GET")]),
    "twice, right and wrong": Shown([("Authorization", "Bearer {right}"),
                                     ("Authorization", f"Bearer {_WRONG}")], "twice"),
    "twice, wrong and right": Shown([("Authorization", f"Bearer {_WRONG}"),
                                     ("authorization", "Bearer {right}")], "twice"),
    "X-API-Key twice": Shown([("X-API-Key", _WRONG), ("x-api-key", "{right}")], "twice"),
    "two people": Shown([("Authorization", "Bearer {stranger}"), ("X-Taishi-User", "u2"),
                         ("X-Taishi-User", "u1")], "twice"),
    "may only read": Shown([("Authorization", "Bearer {reader}")], "reader"),
    "somebody else's": Shown([("Authorization", "Bearer {stranger}")], "stranger"),
    "somebody else's, as X-API-Key": Shown([("X-API-Key", "{stranger}")], "stranger"),
    "right": Shown([("Authorization", "Bearer {right}")], "owner"),
    "right, lower case": Shown([("authorization", "bearer {right}")], "owner"),
    "right, upper case": Shown([("AUTHORIZATION", "BEARER {right}")], "owner"),
    "right, as X-API-Key": Shown([("X-API-Key", "{right}")], "owner"),
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One attack, or a control: everything as it should be."""

    asked: Asked
    host: Host
    page: Page
    trick: str
    shown: str

    @property
    def target(self) -> str:
        return TRICKS[self.trick](self.asked.path)

    def __str__(self) -> str:
        parts = (f"{self.asked.method} {self.asked.template}", f"Host {self.host.text!r}",
                 f"page {dict(self.page.headers)}", self.trick, f"key: {self.shown}")  # fmt: skip
        return " | ".join(parts)


@dataclass(frozen=True)
class Expected:
    """`statuses`: one of these. `is_allowed`: it may do what it asks for."""

    statuses: frozenset[int]
    is_allowed: bool = False


ALLOWED = Expected(frozenset({200, 201, 202, 204, 400, 404, 405, 409, 422}), True)


def one_of(*statuses: int) -> Expected:
    return Expected(frozenset(statuses))


def expected(row: Row, has_keys: bool) -> Expected:
    """The rules, in the order in which the server should ask."""
    kind = SHOWN[row.shown].kind
    if any(sign <= " " for sign in row.target):
        return one_of(400)  # this is no request line
    if kind == "twice" or not row.host.text.isprintable():
        return one_of(400)
    if not has_keys and not (row.host.ours and row.page.ours):
        return one_of(400, 403)
    if not _is_its_path(row.asked, unquote(row.target, "latin-1")):
        return Expected(REFUSED)  # it may be the path of a record that nobody has
    if kind == "mem0" and row.asked.path.startswith("/v1/"):
        return Expected(REFUSED)  # it is taken for a path of mem0's, which it is not
    if not has_keys or row.asked.level == "none":
        return ALLOWED
    if kind == "mem0":
        kind = "owner" if row.asked.path.startswith("/mem0/") else "nobody"
    return _by_key(kind, row.asked)


def _is_its_path(asked: Asked, given: str) -> bool:
    """Whether a path, decoded once, is the route's: the very same or, where the route ends in an
    id, with another id."""
    if given == asked.path:
        return True
    stem, _, id = given.rpartition("/")
    is_id = bool(id) and all(sign >= " " for sign in id)
    return asked.template.endswith("}") and is_id and stem == asked.path.rpartition("/")[0]


def _by_key(kind: Kind, asked: Asked) -> Expected:
    if kind == "nobody":
        return one_of(401)
    if kind == "owner" or asked.level in ("self", "any"):
        return ALLOWED
    if kind == "reader":
        is_enough = asked.right == "read" and asked.level == "scope"
        return ALLOWED if is_enough else one_of(403)
    return one_of(403, 404)  # a stranger's; of a page it may only see that it does not see it


def routes_of(app: Any) -> list[Asked]:
    """Every route of an app, however deep it lies; without a plan, as one that needs a key."""
    found = []
    for path, methods in _walk(app.routes):
        for method in sorted(set(methods or ("POST",)) - {"HEAD", "OPTIONS"}):
            found.append(_asked(method, path))
    return sorted(found, key=lambda asked: (asked.template, asked.method))


def _walk(routes: Any) -> Iterator[tuple[str, Any]]:
    for route in routes:
        inner = getattr(route, "original_router", None) or getattr(route, "app", None)
        if getattr(route, "path", None) is not None and not hasattr(inner, "routes"):
            yield route.path, route.methods
        else:
            yield from _walk(inner.routes)


JSON = {"Content-Type": "application/json"}
CHAT = {"model": "m", "user": "u1", "messages": [{"role": "user", "content": "I like tea."}]}
WHO = {"X-Taishi-User": "u1", "X-Taishi-Workspace": "a"}
TOOLS = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
MCP = {**JSON, **WHO, "Accept": "application/json, text/event-stream"}


def _body(value: Any) -> bytes:
    return json.dumps(value).encode()


_MINE = {"user_id": "u1"}
_WRITE = {"headers": {**JSON, "X-Taishi-Workspace": "a"}, "right": "write"}
_READ = {**_WRITE, "right": "read"}
_BATCH = {"memories": [{"memory_id": "user:u1:note", "text": "planted"}]}
_CHANGE = {**_WRITE, "body": _body({"text": "planted"})}
_ADD = {**_WRITE, "body": _body({"messages": "planted", "infer": False, **_MINE})}
_SEARCH = {**_READ, "body": _body({"query": "tea", "filters": _MINE})}
MEM0: dict[str, dict[str, Any]] = {
    "GET /mem0/v1/ping/": {"level": "any"},
    "POST /mem0/v3/memories/add/": _ADD,
    "POST /mem0/v3/memories/search/": _SEARCH,
    "POST /mem0/v3/memories/": {**_READ, "body": _body({"filters": _MINE})},
    "DELETE /mem0/v1/memories/": {**_WRITE, "query": _MINE},
    "GET /mem0/v1/memories/{memory_id}/history/": _READ,
    "GET /mem0/v1/memories/{memory_id}/": _READ,
    "PUT /mem0/v1/memories/{memory_id}/": _CHANGE,
    "DELETE /mem0/v1/memories/{memory_id}/": _WRITE,
    "GET /mem0/v1/entities/": {"level": "any"},
    "DELETE /mem0/v2/entities/{entity}/{name}/": _WRITE,
    "PUT /mem0/v1/batch/": {**_WRITE, "body": _body(_BATCH)},
    "DELETE /mem0/v1/batch/": {
        **_WRITE,
        "body": _body({"memories": [{"memory_id": "user:u1:other"}]}),
    },
    "POST /mem0/memories": _ADD,
    "GET /mem0/memories": {**_READ, "query": _MINE},
    "DELETE /mem0/memories": {**_WRITE, "query": _MINE},
    "GET /mem0/memories/{memory_id}/history": _READ,
    "GET /mem0/memories/{memory_id}": _READ,
    "PUT /mem0/memories/{memory_id}": _CHANGE,
    "DELETE /mem0/memories/{memory_id}": _WRITE,
    "POST /mem0/search": _SEARCH,
}
# Each deletes something of its own, or the second would find nothing.
MEM0_IDS = {
    "DELETE /mem0/v1/memories/{memory_id}/": "user:u1:procedure",
    "DELETE /mem0/memories/{memory_id}": "user:u1:event",
}
# What is not under /v1; everybody may see those of the level none.
OTHERS: dict[str, dict[str, Any]] = {
    "GET /openapi.json": {"level": "none"},
    "GET /docs": {"level": "none"},
    "GET /": {"level": "none"},
    "GET /ui/assets/{name}": {"level": "none"},
    "POST /ui/session": {"level": "any"},
    "DELETE /ui/session": {"level": "any"},
    "GET /health/live": {"level": "none"},
    "GET /health/ready": {"level": "none"},
    "GET /metrics": {"level": "server", "right": "admin"},
    "POST /mcp": {"headers": MCP, "body": _body(TOOLS)},
    "POST /openai/v1/chat/completions": {"headers": {**JSON, **WHO}, "body": _body(CHAT)},
    "POST /openai/v1/responses": {
        "headers": {**JSON, **WHO},
        "body": _body({"model": "m", "input": "I like tea."}),
    },
    "POST /openai/v1/embeddings": {
        "level": "any",
        "headers": JSON,
        "body": _body({"model": "m", "input": "tea"}),
    },
    **MEM0,
    "GET /openai/v1/models": {"level": "any"},
    "GET /openai/v1/models/{model}": {"level": "any"},
}
FILLED = {"{entity_type}": "user", "{entity_id}": "u1", "{revision}": "r1", "{name}": "nothing",
          "{model}": "scripted", "{path}": "MEMORY.md", "{entity}": "user"}  # fmt: skip


def _asked(method: str, template: str) -> Asked:
    template = template.replace(":path}", "}")
    name, plan = f"{method} {template}", PLANS.get(f"{method} {template}")
    path = template.replace("{id}", plan.about if plan else "fact")
    path = path.replace("{memory_id}", MEM0_IDS.get(name, "user:u1:note"))
    for what, value in FILLED.items():
        path = path.replace(what, value)
    if plan is None:
        return Asked(method, template, path, **OTHERS.get(name, {}))
    query: dict[str, Any] = {}
    headers, body = dict(JSON), b""
    if plan.lines:
        headers = {"Content-Type": "application/x-ndjson"}
        query, body = {"workspace": "a"}, b"{}\n"
    elif "{entity_type}" in template:
        query = {"workspace": "a"} if plan.body is None else {}
        body = b"" if plan.body is None else _body(plan.body | {"workspace": "a"})
    elif plan.level == "scope":
        scope = VICTIM.asked | ({"session": "s"} if "sessions" in path else {})
        query = dict(scope | plan.query) if plan.query is not None else {}
        body = b"" if plan.query is not None else _body((plan.body or {}) | {"scope": scope})
        if plan.raw is not None:
            headers, body = {"Content-Type": "application/octet-stream"}, plan.raw
    elif plan.body is not None:
        body = _body(plan.body)
    level = "any" if plan.level == "workspace of any" else plan.level
    return Asked(method, template, path, query, headers, body, plan.right, level)


def singles(routes: Sequence[Asked], has_keys: bool, every: int) -> Iterator[Row]:
    """One thing wrong at a time, all else as it should be: every key on every route, and each of
    the rest on every so many routes, by turns."""
    host, page = HOSTS[0], PAGES[0]
    rows = [Row(asked, host, page, "as it is", shown) for asked in routes for shown in SHOWN]
    yield from rows if has_keys else ()
    for number, trick in enumerate(TRICKS):
        for asked in routes[number % every :: every]:
            yield Row(asked, host, page, trick, "right")
    strange = chain(product(HOSTS, [page]), product([host], PAGES))
    for number, (one, other) in enumerate(strange):
        for asked in routes[number % (4 * every) :: 4 * every]:
            yield Row(asked, one, other, "as it is", "none")


def sample(routes: Sequence[Asked], count: int | None, seed: int) -> Iterator[Row]:
    """Rows of the whole product, each as likely as any other; None: all of it, in order."""
    sizes = (routes, HOSTS, PAGES, tuple(TRICKS), tuple(SHOWN))
    total = 1
    for one in sizes:
        total *= len(one)
    chosen = range(total) if count is None else random.Random(seed).sample(range(total), count)
    for number in chosen:
        parts: list[Any] = []
        for one in sizes:
            number, place = divmod(number, len(one))
            parts.append(one[place])
        yield Row(*parts)


def on_the_line(row: Row, port: int, secrets: Mapping[str, str]) -> bytes:
    """A row as the bytes that are sent."""
    shown = SHOWN[row.shown]
    host = row.host.text.replace(PORT, str(port))
    query = "&".join(filter(None, (urlencode(row.asked.query), shown.query.format(**secrets))))
    lines = [f"{row.asked.method} {row.target}{'?' if query else ''}{query} HTTP/1.1",
             f"Host: {host}"]  # fmt: skip
    named = {name.lower() for name, _ in shown.headers}
    own = ((n, v) for n, v in row.asked.headers.items() if n.lower() not in named)
    page = ((name, value.replace("{host}", host)) for name, value in row.page.headers.items())
    keys = ((name, value.format(**secrets)) for name, value in shown.headers)
    lines += [f"{name}: {value}" for name, value in chain(own, page, keys)]
    if row.asked.body or row.asked.method != "GET":
        lines.append(f"Content-Length: {len(row.asked.body)}")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + row.asked.body
