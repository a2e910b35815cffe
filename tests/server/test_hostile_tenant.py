# ruff: noqa: SIM117  (a server of its own in each database)
"""A tenant who forges everything reads and writes nothing of another, even with our own filter of
workspaces switched off: PostgreSQL's row-level security is a wall of its own (S3)."""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from fastapi.testclient import TestClient

from server import test_matrix
from server.test_matrix import PLANS, Plan, Target, marks_in, picture, seed, send
from support.engine_postgres import PostgresEngine
from support.engine_postgres import postgres_engine as postgres_engine
from taishi import Memory, Scope
from taishi.api_keys import Keys
from taishi.backends.postgres.database import Database
from taishi.backends.postgres.index_source import PostgresIndexSource
from taishi.backends.postgres.partitions import PartitionWorkspaces
from taishi.backends.postgres.records import PostgresRecords
from taishi.errors import StorageError
from taishi.server.app import create_app
from taishi.types import Partition

VICTIMS = [one for one in test_matrix.TARGETS if one.scope.workspace == "b"]
# The same names as the victim's, in a workspace of one's own.
MIRROR = [
    Target("eu1", Scope(user="u1", workspace="evil")),
    Target("eshared", Scope(shared=True, workspace="evil")),
]
FORGED: list[Any] = [
    "b", "b' OR '1'='1", "evil'; SET taishi.all_workspaces = 'on'; --", "%", "_", "*", "../b",
    "b/private:u1", "private:u1", 4294967297, "4294967297", -1, "fact' UNION SELECT data FROM "
    "records --", "eyJuIjo0Mjk0OTY3Mjk3fQ", "4294967297.1", "\\x00", "b\u0000", ["b", "%"],
    {"workspace": "b"}, None, True,
]  # fmt: skip
ROWS = int(os.environ.get("ATTACK_ROWS", "80"))
_OWN = re.compile(r"\b(?:\w+\.)?workspace = (%s|%\(workspace\)s)")
_JOINED = re.compile(r"\b\w+\.workspace = \w+\.workspace\b")


@contextmanager
def served(address: str, folder: Path, make_settings: Callable[..., Any]) -> Iterator[Any]:
    """A server on this address, the memory behind it, and an admin of the workspace `evil`."""
    settings = make_settings({
        "storage.folder": str(folder), "query.recall_timeout": 10.0,
        "server.rate_per_minute": 0, "server.failed_keys_per_minute": 0,
    })  # fmt: skip
    keys = Keys(address)
    _, secret = keys.create("evil", "evil", "admin")
    with (
        Memory.open(address, settings) as memory,
        TestClient(create_app(memory, keys=keys), raise_server_exceptions=False) as client,
    ):
        yield client, memory, {"Authorization": f"Bearer {secret}"}


@pytest.fixture
def seeded_b(monkeypatch: pytest.MonkeyPatch) -> Callable[[Memory], None]:
    monkeypatch.setattr(test_matrix, "TARGETS", VICTIMS)
    return seed


@contextmanager
def filter_off() -> Iterator[None]:
    """No statement asks for a workspace any more; who a connection is bound to stays."""
    execute = psycopg.Cursor.execute

    def lax(self: Any, query: Any, *arguments: Any, **options: Any) -> Any:
        if isinstance(query, str):
            query = _JOINED.sub("true", _OWN.sub(r"(\1::text IS NOT NULL)", query))
        return execute(self, query, *arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(psycopg.Cursor, "execute", lax)
        yield


def mirrored(
    client: TestClient, memory: Memory, shown: dict[str, str], rights: str
) -> Iterator[tuple[str, Any]]:
    """Every route about the attacker's own workspace, with the ids of the victim's."""
    for name in (name for name, plan in PLANS.items() if plan.right in rights):
        for target in MIRROR:
            if "{revision}" in name and not memory.profiles.revisions(MIRROR[0].scope):
                continue
            try:
                answer = send(client, memory, name, target, shown)
            except StorageError:  # without filter and wall, the test's own look-ups find several
                continue
            if answer is not None:
                yield name, answer


def forgeries(rows: int) -> list[tuple[str, Plan, Any]]:
    """Routes with one field forged; a sample, or all of them."""
    found = []
    for name, plan in PLANS.items():
        fields = {**(plan.query or {}), **(plan.body or {})}
        for field in (*fields, "user", "group", "workspace", "session", "id", "cursor"):
            found += [(name, plan, (field, forged)) for forged in FORGED]
    return random.Random(7).sample(found, rows) if rows and rows < len(found) else found


def forge(client: TestClient, shown: dict[str, str], name: str, plan: Plan, change: Any) -> Any:
    field, forged = change
    method, _, path = name.partition(" ")
    scope: dict[str, Any] = {"user": "u1", "workspace": "evil", "session": "s"}
    body, query = dict(plan.body or {}), dict(plan.query or {})
    if field in scope or field == "group":
        scope[field] = forged
    elif field != "id":
        (body if plan.body is not None else query)[field] = forged
    id = str(forged) if field == "id" else "fact"
    path = re.sub(r"\{entity_type\}", "user", path)
    path = re.sub(r"\{entity_id\}", "u1", path)
    path = re.sub(r"\{\w+\}", lambda _: httpx_quoted(id), path)
    if plan.body is not None:
        data = json.dumps({"scope": scope, **body})
        headers = {**shown, "Content-Type": "application/json"}
        return client.request(method, path, content=data, headers=headers)
    flat = {k: str(v) for k, v in {**scope, **query}.items() if v is not None}
    return client.request(method, path, params=flat, headers=shown)


def httpx_quoted(text: str) -> str:
    from urllib.parse import quote

    return quote(text, safe="") or "x"


def test_S3_forged_fields_show_and_change_nothing_of_others(
    postgres_engine: PostgresEngine,
    tmp_path: Path,
    make_settings: Callable[..., Any],
    seeded_b: Callable[[Memory], None],
) -> None:
    with postgres_engine.database() as address:
        with served(address, tmp_path, make_settings) as (client, memory, shown):
            seeded_b(memory)
            before = picture(memory)
            for is_off in (False, True):
                codes = set()
                for name, plan, change in forgeries(ROWS // 2):
                    if is_off:
                        with filter_off():
                            answer = forge(client, shown, name, plan, change)
                    else:
                        answer = forge(client, shown, name, plan, change)
                    codes.add(answer.status_code)
                    told = f"{name} {change} {is_off}: {answer.status_code} {answer.text[:300]}"
                    assert not marks_in(answer.text), told
                    assert answer.status_code != 500, told
                assert {200, 403} <= codes, codes
            assert picture(memory) == before


def test_S3_with_our_filter_off_the_wall_holds(
    postgres_engine: PostgresEngine,
    tmp_path: Path,
    make_settings: Callable[..., Any],
    seeded_b: Callable[[Memory], None],
) -> None:
    with postgres_engine.database() as address:
        with served(address, tmp_path, make_settings) as (client, memory, shown):
            seeded_b(memory)
            before = picture(memory)
            with filter_off():
                answers = list(mirrored(client, memory, shown, "read write admin"))
            assert len(answers) > 80
            for name, answer in answers:
                assert not marks_in(answer.text), f"{name}: {answer.text[:300]}"
            assert picture(memory) == before
    # The control: the same without the wall, as a superuser.
    with postgres_engine.database() as address:
        admin = postgres_engine.admin(address.rpartition("/")[2])
        with served(admin, tmp_path / "admin", make_settings) as (client, memory, shown):
            seeded_b(memory)
            with filter_off():
                answers = list(mirrored(client, memory, shown, "read"))
            leaks = {name for name, answer in answers if marks_in(answer.text)}
            print(f"{len(leaks)} of {len(PLANS)} routes would leak")
            assert {"POST /v1/recall", "GET /v1/memories"} <= leaks, leaks


def test_S3_numbers_of_another_workspace_open_nothing(
    postgres_engine: PostgresEngine,
    tmp_path: Path,
    make_settings: Callable[..., Any],
    seeded_b: Callable[[Memory], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Partition and record numbers, given to the store's own parts while bound to `evil`."""
    with postgres_engine.database() as address:
        with served(address, tmp_path, make_settings) as (_, memory, _):
            seeded_b(memory)
        admin = postgres_engine.admin(address.rpartition("/")[2])
        own = Partition("evil", "private", "u1")
        monkeypatch.setattr(PartitionWorkspaces, "of", lambda self, no: "evil")
        found = {}
        for name, where in (("walled", address), ("superuser", admin)):
            db = Database(where)
            try:
                with db.reading("b") as connection:
                    numbers = [n for (n,) in connection.execute("SELECT number FROM records")]
                    (no,) = connection.execute(
                        "SELECT no FROM partitions WHERE kind = 'private' AND workspace = 'b'"
                    ).fetchone() or (0,)
                source = PostgresIndexSource(db, PartitionWorkspaces(db))
                records = PostgresRecords(db)
                seen = len(records.fetch(numbers, [own]))
                rows = sum(map(len, source.snapshot(no, None).rows.values()))
                changes = source.changes(no, 0, None)
                found[name] = seen, rows, len(changes.rows) if changes else 0
                if name == "walled":
                    check_tables(db)
            finally:
                db.close()
        assert found["walled"] == (0, 0, 0)
        assert min(found["superuser"]) > 0, "the control: without the wall they would"


def check_tables(db: Database) -> None:
    """No table shows, changes or deletes a row of b to a connection of `evil`."""
    with db.reading("evil") as connection:
        tables = [name for (name,) in connection.execute(
            "SELECT table_name FROM information_schema.columns "
            "WHERE table_schema = 'public' AND column_name = 'workspace'"
        )]  # fmt: skip
        assert len(tables) > 8
        for table in tables:
            for sql in ("SELECT 1 FROM {}", "UPDATE {} SET workspace = 'evil'", "DELETE FROM {}"):
                assert connection.execute(sql.format(table)).rowcount == 0, (table, sql)
