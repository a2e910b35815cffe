"""A key that is bound to somebody goes with them, by whichever door they are forgotten; and a door
that no key opens any more is not called open."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from server.conftest import Served
from taishi import Memory, Scope
from taishi.adapters.mem0 import Memory as Mem0
from taishi.api_keys import FILE, Keys
from taishi.cli import taishi
from taishi.cli.context import CliContext
from taishi.cli.mcp import _forget_access
from taishi.cli.serve import announce, key_state, new_application
from taishi.doctor.key_checks import access_keys
from taishi.types import Partition

MCP = {"Accept": "application/json, text/event-stream"}
Forget = Callable[[Served, dict[str, str]], Any]


def by_rest(served: Served, shown: dict[str, str]) -> Any:
    return served.client.post("/v1/forget", headers=shown, json={"scope": {"user": "ann"}})


def by_mem0(served: Served, shown: dict[str, str]) -> Any:
    shown = {"Authorization": shown["Authorization"].replace("Bearer", "Token")}
    return served.client.delete("/v1/memories/", headers=shown, params={"user_id": "ann"})


def by_mem0_entity(served: Served, shown: dict[str, str]) -> Any:
    return served.client.delete("/mem0/v2/entities/user/ann/", headers=shown)


def by_mem0_of_its_own_server(served: Served, shown: dict[str, str]) -> Any:
    return served.client.delete("/mem0/memories", headers=shown, params={"user_id": "ann"})


@pytest.mark.parametrize(
    "forget",
    [by_rest, by_mem0, by_mem0_entity, by_mem0_of_its_own_server],
    ids=lambda f: f.__name__,
)
def test_O2_the_key_of_a_forgotten_person_goes_by_every_door(
    served: Served, forget: Forget
) -> None:
    served.memory.remember(Scope(user="ann"), "Ann rows")
    _, bot = served.key(rights="write")
    _, anns = served.key(user="ann")
    _, bens = served.key(user="ben")
    _, elsewhere = served.key(user="ann", workspace="other")
    assert forget(served, bot).status_code == 200
    assert served.client.get("/v1/whoami", headers=anns).status_code == 401
    for kept in (bot, bens, elsewhere):
        assert served.client.get("/v1/whoami", headers=kept).status_code == 200
    assert [(key.user, key.workspace) for key in served.keys.list()] == [
        (None, "default"), ("ben", "default"), ("ann", "other"),
    ]  # fmt: skip


def test_O2_a_part_of_what_is_known_leaves_the_key(served: Served) -> None:
    """One memory, or one run of mem0's, is not the person."""
    id = served.memory.remember(Scope(user="ann"), "Ann rows", kind="note")
    served.memory.remember(Scope(user="ann"), "Ann sings", kind="note", session="run")
    _, bot = served.key(rights="write")
    _, anns = served.key(user="ann")
    asked = {"user_id": "ann", "run_id": "run"}
    gone = served.client.delete("/mem0/v1/memories/", headers=bot, params=asked)
    assert gone.status_code == 200
    asked = {"scope": {"user": "ann"}, "id": str(id)}
    assert served.client.post("/v1/forget", headers=bot, json=asked).json()["removed"] == 1
    assert served.memory.records.newest(Scope(user="ann")).records == ()
    assert served.client.get("/v1/whoami", headers=anns).status_code == 200


def test_O2_a_model_that_forgets_by_mcp_ends_the_key_too(
    open_memory: Callable[..., Memory],
) -> None:
    from fastapi.testclient import TestClient

    memory = open_memory()
    keys = Keys(memory.status()["folder"])
    secret = keys.create("anns", user="ann", rights="write")[1]
    bot = keys.create("bot", rights="write")[1]
    memory.remember(Scope(user="ann"), "Ann rows")
    app = new_application(memory, keys, "testserver", "en")
    arguments = {"everything": True, "confirm": "user ann"}
    call = {
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "forget", "arguments": arguments},
    }  # fmt: skip
    shown = {**MCP, "Authorization": f"Bearer {bot}", "X-Taishi-User": "ann"}
    with TestClient(app) as client:
        answer = client.post("/mcp", headers=shown, json=call).json()["result"]
        assert not answer["isError"] and answer["structuredContent"]["forgotten"] == 2, answer
        mine = {"Authorization": f"Bearer {secret}"}
        assert client.get("/v1/whoami", headers=mine).status_code == 401
    assert [key.name for key in keys.list()] == ["bot"]


def test_O2_an_mcp_server_on_a_folder_ends_the_keys_there(tmp_path: Path) -> None:
    keys = Keys(tmp_path)
    keys.create("anns", user="ann")
    assert _forget_access(str(tmp_path), Partition("default", "private", "ann")) == 1
    assert keys.list() == []
    assert _forget_access("http://127.0.0.1:1", Partition("default", "private", "ann")) == 0


def test_a_program_that_forgets_on_a_folder_leaves_the_keys_of_a_server(tmp_path: Path) -> None:
    keys = Keys(tmp_path / "data")
    keys.create("anns", user="ann")
    memory = Mem0(tmp_path / "data")
    memory.add("Ann rows", user_id="ann", infer=False)
    memory.delete_all(user_id="ann")
    memory.close()
    assert len(keys.list()) == 1


def listed(folder: Path, *options: str) -> Any:
    command = ["--data", str(folder), "--lang", "en", "keys", "list", *options]
    return CliRunner().invoke(taishi, command)


def test_keys_that_are_all_gone_are_not_called_an_open_server(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    Memory.open(tmp_path / "data").close()
    assert "open to everyone" in listed(tmp_path / "data").stdout
    keys = Keys(tmp_path / "data")
    keys.create("anns", user="ann")
    assert "401" not in listed(tmp_path / "data").output
    keys.forget(Partition("default", "private", "ann"))
    said = listed(tmp_path / "data")
    assert "open to everyone" not in said.output
    assert "401" in said.stdout and "keys create NAME" in said.stdout
    assert json.loads(listed(tmp_path / "data", "--json").stdout) == {"keys": []}


def test_keys_that_are_all_revoked_or_over_open_nothing(tmp_path: Path) -> None:
    now = [1000.0]
    keys = Keys(tmp_path, clock=lambda: now[0])
    key, _ = keys.create("bot")
    keys.create("guest", expires=2000.0)
    assert keys.any_live
    keys.revoke(key.id)
    assert keys.any_live
    now[0] = 2000.0
    assert not keys.any_live and keys.set_up
    said = listed(tmp_path)
    assert "guest" in said.stdout and "401" in said.stderr
    assert "401" not in said.stdout


@pytest.mark.parametrize(("language", "words"), [
    ("en", "no API key is in force"), ("zh", "没有有效的密钥"),
])  # fmt: skip
def test_serve_says_at_its_start_that_no_key_is_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], language: str, words: str
) -> None:
    def told(as_json: bool = False) -> str:
        app = CliContext(lang=language)
        announce(app, "http://127.0.0.1:1", key_state(app, Keys(tmp_path)), as_json)
        return capsys.readouterr().err

    assert words not in told()
    key, _ = Keys(tmp_path).create("bot")
    assert "401" not in told()
    Keys(tmp_path).revoke(key.id)
    for as_json in (False, True):
        assert words in told(as_json) and "401" in told(as_json)
    (tmp_path / FILE).unlink()
    assert "401" not in told()


def test_doctor_warns_of_a_server_that_nobody_is_let_into(tmp_path: Path) -> None:
    key, _ = Keys(tmp_path).create("bot")
    assert access_keys(tmp_path).level == "ok"
    Keys(tmp_path).revoke(key.id)
    found = access_keys(tmp_path)
    assert found.level == "warning" and "401" in found.text("en") and "401" in found.text("zh")
