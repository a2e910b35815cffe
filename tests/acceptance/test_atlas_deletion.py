"""The portable acceptance tests of the ids `deletion.*`: what was deleted stays away, whatever is
fed again, run again, restarted, imported or restored; and the deletion itself is on record.

Every probe has a twin that was not deleted and must be found by the same probe all along.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import mcp_types
import pytest
from click.testing import Result
from fastapi.testclient import TestClient
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.applications import Starlette
from starlette.routing import Route

from support.running_app import RunningApp
from taishi import Memory, Scope
from taishi.api_keys import Keys
from taishi.mcp_server import scope_of, streamable_http_app
from taishi.server.app import create_app

Open = Callable[..., Memory]
ANN = Scope(user="ann-8812", session="s1")
TOKEN, TWIN = "Vantablik3302", "Quorvex7719"
QUESTION = f"what are the dog {TOKEN} and the cat {TWIN} called?"
OLD = 1_790_000_000.0  # when it was said
SLOW = {"query.recall_timeout": 5.0}


def source(number: int, text: str) -> dict[str, Any]:
    """The original material: a message with its id and its time."""
    return {"text": text, "speaker": "Ann", "id": f"m{number}", "time": OLD + number}


SOURCES = (
    source(1, f"My dog is called {TOKEN}."),
    source(2, f"My cat is called {TWIN}."),
    source(3, "I live in Cork."),
)


def feed(memory: Memory, scope: Scope = ANN) -> list[str]:
    """The transcript, turn by turn; each turn sees the messages before it. The ids of the turns."""
    ids = []
    for number, message in enumerate(SOURCES):
        seen = list(SOURCES[: number + 1])
        id = memory.end_turn(scope, "", message["text"], seen, sender_name="Ann",
                             request_id=f"r{message['id']}")  # fmt: skip
        ids.append(id or "")
    memory.drain()
    return ids


def background(memory: Memory) -> None:
    """Every pass there is: work, embedding, summaries, lives, rebuild, new vectors."""
    memory.drain()
    memory.sessions.end(ANN)
    while memory._services.background.run_upkeep():
        pass
    memory._services.upkeep.expire()
    memory.maintenance.rebuild()
    memory.maintenance.reembed()
    memory.drain()


@contextmanager
def mcp_door(memory: Memory) -> Iterator[Callable[[str, dict[str, Any]], str]]:
    door = streamable_http_app(memory, scope_of)
    app = Starlette(routes=[Route("/mcp", endpoint=door)], lifespan=door.run)
    with RunningApp(app) as server:

        async def ask(tool: str, arguments: dict[str, Any]) -> str:
            async with (
                httpx2.AsyncClient(headers={"X-Taishi-User": "ann-8812"}, timeout=20) as http,
                Client(streamable_http_client(f"{server.url}/mcp", http_client=http)) as client,
            ):
                (content,) = (await client.call_tool(tool, arguments)).content
                assert isinstance(content, mcp_types.TextContent)
                return content.text

        yield lambda tool, arguments: asyncio.run(ask(tool, arguments))


def leak_probes(memory: Memory, folder: Path, scratch: Path, doors: bool = True) -> dict[str, str]:
    """What each way of getting at the memory gives, as text. The question itself is not told
    back by any of them but `recall`, so only hits are looked at there."""
    asked = "the dog and the cat"
    found = {
        "recall": str(memory.recall(ANN, QUESTION, top_k=200, floor=0.0).hits),
        "newest": str(memory.recall(ANN, "", top_k=200, floor=0.0).hits),
        "block": memory.context(ANN, QUESTION, 4000),
        "events": str(memory.search_events(ANN, QUESTION, top_k=200).hits),
        "pages": str(memory.search_profiles(ANN, QUESTION).hits),
        "page": str(memory.profiles.source(ANN)),
        "revisions": str(
            [memory.profiles.diff(ANN, one) for one in memory.profiles.revisions(ANN)]
        ),
        "facts": str(memory.facts.list(ANN)),
        "listing": str(memory.records.list(ANN, limit=1000).records),
        "jobs": str(memory.jobs.list()),
        "export": "".join(memory.transfer.export()),
        "bytes": _bytes(memory, folder),
    }
    if not doors:
        return found
    with TestClient(create_app(memory, keys=Keys(folder / "none"))) as client:
        who = {"user": "ann-8812"}
        found["REST recall"] = client.post(
            "/v1/recall", json={"query": asked, "scope": who, "top_k": 100, "floor": 0.0}
        ).text
        found["REST list"] = client.get("/v1/memories", params=who).text
        found["REST context"] = client.post("/v1/context", json={"query": asked, "scope": who}).text
    with mcp_door(memory) as tool:
        found["MCP recall"] = tool("recall", {"query": asked})
        found["MCP context"] = tool("context", {"query": asked})
    found["backup"] = _restored(memory, scratch)
    return found


def _restored(memory: Memory, scratch: Path) -> str:
    """A copy made now, opened as a memory of its own."""
    shutil.rmtree(scratch, ignore_errors=True)
    memory.transfer.backup(scratch)
    with Memory.open(scratch, memory.settings) as copy:
        return str(copy.recall(ANN, QUESTION, top_k=200, floor=0.0).hits) + "".join(
            copy.transfer.export()
        )


def _bytes(memory: Memory, folder: Path) -> str:
    memory._services.runtime.parts.store.erasure.scrub()
    files = [one for one in sorted(folder.rglob("*")) if one.is_file()]
    return " ".join(f"{token} in {one.name}" for token in (TOKEN, TWIN) for one in files
                    if token.encode() in one.read_bytes())  # fmt: skip


def assert_absent(found: dict[str, str], step: str) -> None:
    leaks = [name for name, said in found.items() if TOKEN in said]
    assert not leaks, f"{step}: still reachable by {leaks}; {found['bytes']}"
    blind = [name for name, said in found.items() if TWIN not in said]
    assert set(blind) <= {"jobs", "revisions"}, f"{step}: the control was not found by {blind}"


def litter(folder: Path) -> None:
    """What killed writers leave: a half-written page and job, and a job that nobody can read."""
    said = f"My dog is called {TOKEN}."
    for name in ("profiles/users/.ann-8812.md.x.tmp", "queues/pending/.half.tmp"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(said)
        os.utime(path, (OLD, OLD))
    failed = folder / "queues" / "failed" / f"{int(OLD) * 10**9:020d}-{'a' * 12}.3.0.json"
    failed.write_text(f'{{"broken": "{said}"')


@pytest.mark.parametrize("by", ["record", "scope"])
def test_atlas_deletion_absent_after_reindex_and_restart(
    open_memory: Open, tmp_path: Path, by: str, run: Callable[..., Result]
) -> None:
    folder, scratch = tmp_path / "data", tmp_path / "scratch"
    twin = Scope(user="bea-8813", session="s1")
    memory = open_memory(SLOW)
    # 1, 2: written, settled, and found by every probe that there is
    dog, *_ = feed(memory)
    memory.sessions.end(ANN)
    before = leak_probes(memory, folder, scratch)
    unseen = [name for name, said in before.items() if TOKEN not in said]
    assert set(unseen) <= {"jobs", "revisions"}, unseen
    old_export = list(memory.transfer.export())
    litter(folder)
    assert len(list(folder.rglob("*.tmp"))) == 2
    if by == "scope":
        feed(memory, twin)
        _whole_person(memory, folder, old_export)
        return
    # 3, 4: deleted by the product's own path, and gone
    assert run("--data", folder, "forget", dog, "--user", "ann-8812").exit_code == 0
    assert_absent(leak_probes(memory, folder, scratch), "after the deletion")
    assert not [one for one in folder.rglob("*.tmp") if TOKEN.encode() in one.read_bytes()]
    # 5, 6: the original material is fed once more
    assert feed(memory)[0] == ""
    assert_absent(leak_probes(memory, folder, scratch, doors=False), "after it was fed again")
    # 7, 8: every background job
    background(memory)
    assert_absent(leak_probes(memory, folder, scratch, doors=False), "after the background work")
    # restart, and all of it again
    memory.close()
    memory = open_memory(SLOW)
    feed(memory)
    background(memory)
    # 9: every derived store by name
    assert_absent(leak_probes(memory, folder, scratch, doors=False), "after a restart")
    # an export from before, taken in over what is there
    done = memory.transfer.import_records(old_export, replace=True)
    assert sum(done.forgotten.values()) >= 2
    background(memory)
    assert_absent(leak_probes(memory, folder, scratch), "after an old export")
    # 10: on record, and never with what was deleted
    told = [one for one in memory.deletions.list(1000) if one.what in ("record", "derived")]
    assert [(one.what, one.actor, one.door, one.kind) for one in told] == [
        ("derived", "person", "cli", "private"),
        ("record", "person", "cli", "private"),
    ]
    assert told[1].removed == 1 and told[0].removed >= 1
    assert TOKEN not in str(told) and "ann-8812" not in str(told)
    # What a person says anew is theirs to say.
    memory.end_turn(ANN, "", f"My dog is called {TOKEN}.", sender_name="Ann")
    memory.drain()
    assert TOKEN in memory.context(ANN, QUESTION)


def _whole_person(memory: Memory, folder: Path, old_export: list[str]) -> None:
    words = memory.deletions.traces(ANN)
    removed = memory.forget(ANN, actor="key-7", door="rest")
    assert removed > 5
    for _ in range(2):
        proof = memory.deletions.prove(ANN, words)
        assert not [one for one in proof.found if TOKEN in one.what], proof.found
        assert not memory.recall(ANN, QUESTION, top_k=100, floor=0.0).hits
        assert TOKEN not in memory.context(ANN, QUESTION)
        assert memory.profiles.source(ANN) is None
        feed(memory)
        background(memory)
        memory.transfer.import_records(old_export, replace=True)
    twin = Scope(user="bea-8813", session="s1")
    assert TOKEN in memory.context(twin, QUESTION), "what another person said is theirs"
    told = next(one for one in memory.deletions.list() if one.what == "scope")
    assert (told.actor, told.door, told.kind, told.removed) == ("key-7", "rest", "private", removed)


def test_atlas_deletion_absent_from_shared_copies(open_memory: Open, tmp_path: Path) -> None:
    """Linked, exported, imported, backed up while it was live; then the original is deleted."""
    memory = open_memory(SLOW)
    group = Scope(group="club", user="ann-8812")
    dog, *_ = feed(memory)
    memory.set_link(ANN, True)
    export, backup = list(memory.transfer.export()), tmp_path / "backup"
    memory.transfer.backup(backup)
    memory.transfer.import_records(export, remap={"default": "second"})
    second = Scope(user="ann-8812", session="s1", workspace="second")
    third = Scope(user="ann-8812", session="s1", workspace="third")
    memory.transfer.import_records(export, remap={"default": "third"})
    memory.drain()
    places = {"linked group": group, "second": second, "third": third}

    def shown() -> dict[str, str]:
        return {name: memory.context(scope, QUESTION, 4000) for name, scope in places.items()}

    assert all(TOKEN in said and TWIN in said for said in shown().values()), "the control"
    memory.forget(ANN, dog, actor="person", door="cli")
    for name, said in shown().items():
        assert TOKEN not in said and TWIN in said, name
    assert TOKEN not in "".join(memory.transfer.export())
    assert TWIN in "".join(memory.transfer.export(workspace="second"))
    # What was taken before does not bring it back: not here, and not into the copies.
    with Memory.open(backup, memory.settings) as restored:
        assert TOKEN in restored.context(ANN, QUESTION), "the backup is as it was"
        lines = list(restored.transfer.export())
    for taken in (export, lines):
        for remap in ({}, {"default": "second"}, {"default": "third"}):
            done = memory.transfer.import_records(taken, remap=remap, replace=True)
            assert sum(done.forgotten.values()) >= 2, remap
            memory.drain()
            assert TOKEN not in "".join(memory.transfer.export()), remap
    # Unless somebody says so, and that is on record.
    done = memory.transfer.import_records(export, even_forgotten=True)
    assert not done.forgotten and TOKEN in "".join(memory.transfer.export())
    assert (memory.deletions.list()[0].what, memory.deletions.list()[0].removed < 0) == (
        "import",
        True,
    )
    # A whole person reaches the copies, too.
    memory.forget(ANN)
    assert not memory.recall(second, QUESTION, top_k=100, floor=0.0).hits
    assert TWIN not in "".join(memory.transfer.export(workspace="third"))
