"""The attack table against a real server on a real socket: no row gets further than it may.

`make attack` runs many more rows of the product (ATTACK_ROWS; 0: all of them).
"""

from __future__ import annotations

import base64
import os
import re
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from server.attack_table import (
    HOSTS,
    MEM0,
    OUR_NAME,
    OUR_PAGE,
    PAGES,
    SHOWN,
    TRICKS,
    VICTIM,
    Asked,
    Expected,
    Row,
    expected,
    on_the_line,
    routes_of,
    sample,
    singles,
)
from server.test_matrix import land, picture, seed
from support.hash_embedder import HashEmbedder
from support.raw_http import Answer, RawClient
from support.running_app import RunningApp
from support.scripted_upstream import ScriptedUpstream
from taishi import Memory, load
from taishi.api_keys import Keys
from taishi.cli.serve import new_application
from taishi.server.auth import Caller

ROWS = int(os.environ.get("ATTACK_ROWS", "150"))
IS_LONG = "ATTACK_ROWS" in os.environ
SEED = int(os.environ.get("ATTACK_SEED", time.time_ns() % 1000 if IS_LONG else 7))
UPSTREAM_KEY = "sk-operator-key-of-the-upstream"


@dataclass
class Target:
    """A server with something to lose behind it, and one connection to it."""

    memory: Memory
    app: Any
    server: RunningApp
    upstream: ScriptedUpstream
    secrets: dict[str, str]
    has_keys: bool
    client: RawClient | None = None
    holes: list[str] = field(default_factory=list)
    codes: Counter[int] = field(default_factory=Counter)

    @property
    def routes(self) -> list[Asked]:
        return routes_of(self.app)

    def send(self, row: Row) -> Answer:
        data = on_the_line(row, self.server.address[1], self.secrets)
        for _ in range(2):
            self.client = self.client or RawClient(self.server.address)
            answer = self.client.ask(data)
            if answer.status == 0 or answer.headers.get("connection") == "close":
                self.client.__exit__()
                self.client = None
            if answer.status:
                return answer
        return answer

    def attack(self, row: Row) -> bool:
        """One row; False if it is no attack: it may do what it asks for, and would."""
        wanted = expected(row, self.has_keys)
        if wanted.is_allowed and not row.asked.is_harmless:
            return False
        before = len(self.upstream.requests)
        answer = self.send(row)
        self.codes[answer.status] += 1
        why = self._hole(row, wanted, answer, before)
        if why:
            self.holes.append(f"{why}: {row}: {answer.status} {answer.body[:200]!r}")
        return True

    def _hole(self, row: Row, wanted: Expected, answer: Answer, before: int) -> str:
        if answer.status not in wanted.statuses:
            return f"not one of {sorted(wanted.statuses)}"
        text = answer.body.decode("utf-8", "replace")
        if not wanted.is_allowed and VICTIM.mark in text:
            return "it shows the victim's memory"
        if UPSTREAM_KEY in text or UPSTREAM_KEY in str(answer.headers):
            return "it shows the upstream's key"
        shared = answer.headers.get("access-control-allow-origin")
        if shared not in (None, row.page.headers.get("Origin") if row.page.ours else None):
            return "a foreign page may read the answer"
        asked = {(seen.method, seen.path) for seen in self.upstream.requests[before:]}
        is_list = asked == {("GET", "/v1/models")} and answer.status in (200, 404)
        return "" if is_list or not asked else f"the upstream was asked {asked}"


@pytest.fixture(scope="module", params=["without keys", "with keys"])
def target(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    with attacked(tmp_path_factory.mktemp("attacked"), request.param == "with keys") as made:
        yield made


@contextmanager
def attacked(folder: Path, has_keys: bool) -> Iterator[Target]:
    """As `taishi serve` makes it, with every door."""
    with ExitStack() as stack:
        upstream = stack.enter_context(ScriptedUpstream())
        file = folder.with_name(f"{folder.name}.toml")  # PUT /v1/settings writes it
        file.write_text("")
        settings = load(environ={"TAISHI_CONFIG": str(file)}, overrides={
            "query.recall_timeout": 5.0,
            "server.hosts": OUR_NAME, "server.cors_origins": OUR_PAGE,
            "server.rate_per_minute": 0, "server.failed_keys_per_minute": 0,
            "proxy.upstream_url": upstream.url, "proxy.api_key": UPSTREAM_KEY,
        })  # fmt: skip
        memory = stack.enter_context(Memory.open(folder, settings, embedder=HashEmbedder()))
        seed(memory)
        keys = Keys(folder)
        secrets = _secrets(keys) if has_keys else dict.fromkeys(_NAMES, "tsk_none_none")
        app = new_application(memory, keys, "127.0.0.1", "en")
        server = stack.enter_context(RunningApp(app, settings.server))
        made = Target(memory, app, server, upstream, secrets, has_keys)
        yield made
        if made.client is not None:
            made.client.__exit__()


_NAMES = ("right", "reader", "stranger", "revoked", "expired", "cut", "crossed", "hash", "capitals",
          "basic")  # fmt: skip


def _secrets(keys: Keys) -> dict[str, str]:
    """Good keys of each kind, and things made from them that are none."""
    _, right = keys.create("right", None, "admin")
    _, reader = keys.create("reader", "a", "read")
    _, stranger = keys.create("stranger", "a", "admin", user="u2")
    gone, revoked = keys.create("revoked", None, "admin")
    keys.revoke(gone.id)
    late, expired = keys.create("expired", None, "admin", expires=time.time() + 0.05)
    assert late.expires is not None
    time.sleep(0.06)
    crossed = "_".join((*reader.split("_")[:2], right.split("_", 2)[2]))
    digest = next(e.digest for e in keys._read().values() if e.key.name == "right")
    basic = base64.b64encode(f":{right}".encode()).decode()
    return {"right": right, "reader": reader, "stranger": stranger, "revoked": revoked,
            "expired": expired, "cut": right[:-1], "crossed": crossed, "hash": digest,
            "capitals": right.upper(), "basic": basic}  # fmt: skip


def test_P5_every_route_of_the_app_is_in_the_table(target: Target) -> None:
    names = {f"{asked.method} {asked.template}" for asked in target.routes}
    described = {
        f"{method.upper()} {path}"
        for path, methods in target.app.openapi()["paths"].items()
        for method in methods
    }
    assert described <= names
    pages = {"GET /", "GET /ui/assets/{name}", "POST /ui/session", "DELETE /ui/session"}
    assert names - described == {"GET /openapi.json", "GET /docs", "POST /mcp", *pages, *MEM0}
    is_open = {asked.path for asked in target.routes if asked.level == "none"}
    open_pages = {"/", "/ui/assets/nothing"}
    assert is_open == {"/openapi.json", "/docs", "/health/live", "/health/ready", *open_pages}
    assert len(names) * len(HOSTS) * len(PAGES) * len(TRICKS) * len(SHOWN) > 50_000_000


def test_P5_no_row_of_the_attack_table_is_a_hole(target: Target) -> None:
    land(target.memory)
    before = picture(target.memory)
    deletions = len(target.memory.deletions.list())
    every = 1 if IS_LONG else 2
    rows = chain(
        singles(target.routes, target.has_keys, every),
        sample(target.routes, ROWS or None, SEED),
    )
    tried = sum(target.attack(row) for row in rows)
    assert not target.holes, f"seed {SEED}, {len(target.holes)} holes:\n" + "\n".join(
        target.holes[:40]
    )
    land(target.memory)
    assert picture(target.memory) == before
    assert len(target.memory.deletions.list()) == deletions
    assert tried > 1500 and not any(code >= 500 for code in target.codes), target.codes
    refusals = {400, 404} | ({401, 403} if target.has_keys else {403})
    assert all(target.codes[code] > 20 for code in refusals), target.codes
    print(f"\n{tried:,} rows, {dict(sorted(target.codes.items()))}, 0 holes")


def test_P5_the_same_requests_without_a_trick_do_what_they_ask(target: Target) -> None:
    """Or nothing above would mean anything. Last, as it changes things."""
    routes = sorted(target.routes, key=_harm)
    target.upstream.requests.clear()
    wrong: list[str] = []
    shows: set[str] = set()
    for asked in routes:
        answer = target.send(Row(asked, HOSTS[0], PAGES[0], "as it is", "right"))
        name = f"{asked.method} {asked.template}"
        # Ids that nobody knows beforehand: then the answer is that there is no such thing.
        missing = "{revision}" in name or "{name}" in name or "/v1/shared/" in name
        missing = missing or name == "GET /v1/note-operations"
        good = (200, 201, 202, 204, *((404, 400, 409, 422) if missing else ()))
        is_good = answer.status in good
        if not is_good and name != "POST /v1/import":
            wrong.append(f"{name}: {answer.status} {answer.body[:200]!r}")
        if VICTIM.mark.encode() in answer.body:
            shows.add(name)
    assert not wrong, "\n".join(wrong)
    assert {"GET /v1/export", "POST /v1/recall", "GET /v1/memories/{id}"} <= shows
    seen = Counter((one.method, one.path) for one in target.upstream.requests)
    assert set(seen) == {("POST", "/v1/chat/completions"), ("POST", "/v1/responses"),
                         ("POST", "/v1/embeddings"), ("GET", "/v1/models")}  # fmt: skip
    assert {one.headers["authorization"] for one in target.upstream.requests} == {
        f"Bearer {UPSTREAM_KEY}"
    }


def _harm(asked: Asked) -> int:
    late = {
        "DELETE /v1/notes": 4,
        "DELETE /mem0/v1/memories/": 4,
        "DELETE /mem0/memories": 4,
        "POST /v1/forget": 4,
        "PUT /v1/settings": 5,
        "POST /v1/keys": 6,
    }  # then keys are needed
    last = late.get(f"{asked.method} {asked.template}")
    return last or (0 if asked.is_harmless else 3 if asked.method == "DELETE" else 2)


def test_a_new_route_is_attacked_without_being_told(tmp_path: Path) -> None:
    """A route that somebody adds and forgets to guard is a hole in the table at once."""
    with attacked(tmp_path, has_keys=True) as small:
        _with_a_forgotten_route(small)


def _with_a_forgotten_route(small: Target) -> None:
    @small.app.get("/v1/forgotten")
    async def forgotten() -> dict[str, str]:
        return {"text": "open to all"}

    (new,) = (one for one in small.routes if one.path == "/v1/forgotten")
    small.attack(Row(new, HOSTS[0], PAGES[0], "as it is", "none"))
    assert len(small.holes) == 1 and "/v1/forgotten" in small.holes[0]


def by_prefix(headers: Any, names: Any, origins: Any) -> bool:
    """How one should not look at a Host and an Origin."""
    ours = ("127.0.0.1", "localhost")
    origin = headers.get("origin", "http://localhost").partition("://")[2]
    return bool(headers["host"].startswith(ours) and origin.startswith(ours))


BREAKS: dict[str, tuple[str, Any, str]] = {
    "a name by its start": ("taishi.server.middleware.is_trusted", by_prefix, "GET /v1/export"),
    "any key will do": (
        "taishi.server.auth.caller_for_secret",
        lambda *_: Caller(),
        "GET /v1/export",
    ),
    "rights are not asked": ("taishi.server.auth.Caller.need", print, "POST /v1/turns"),
    "control characters": ("taishi.server.middleware._CONTROL", re.compile("never"), "GET /docs"),
    "headers twice": ("taishi.server.middleware.SINGLE_HEADERS", frozenset(), "GET /v1/whoami"),
}  # fmt: skip


@pytest.mark.parametrize("what", BREAKS)
def test_the_table_shows_a_hole_where_there_is_one(
    target: Target, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    place, broken, name = BREAKS[what]
    if target.has_keys is (what == "a name by its start"):
        pytest.skip("it makes no difference here")
    (asked,) = (one for one in target.routes if f"{one.method} {one.template}" == name)
    monkeypatch.setattr(place, broken)
    target.holes.clear()
    for row in singles([asked] * 4, target.has_keys, 1):
        if not target.holes:
            target.attack(row)
    assert target.holes
    target.holes.clear()
