"""The memory as a whole over HTTP: export, import, backup, proof, settings."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from fastapi.testclient import TestClient

from server.conftest import Served
from taishi import Memory, Scope, load
from taishi.api_keys import Keys
from taishi.server.app import create_app

LINES = {"Content-Type": "application/x-ndjson"}


def fill(memory: Memory) -> None:
    for workspace in ("a", "b"):
        for user in ("u1", "u2"):
            scope = Scope(user=user, workspace=workspace)
            memory.remember(scope, f"tea of {user} in {workspace}", id="one")
            memory.profiles.set(scope, f"- {user} in {workspace}")


def test_O2_an_export_comes_in_again_elsewhere(
    serve: Callable[..., Served], open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    served = serve()
    fill(served.memory)
    answer = served.client.get("/v1/export", params={"workspace": "a"})
    assert answer.headers["Content-Type"].startswith("application/x-ndjson")
    lines = answer.text.splitlines()
    assert all(json.loads(line) for line in lines)
    assert "in b" not in answer.text and "u2 in a" in answer.text
    other = open_memory(folder=tmp_path / "other")
    client = TestClient(create_app(other, keys=Keys(tmp_path / "other")))
    for dry in (True, False, False):
        came = client.post(
            "/v1/import", params={"dry_run": dry}, content=answer.content, headers=LINES
        )
        assert came.status_code == 200, came.text
    assert sum(came.json()["same"].values()) > 0 and not came.json()["added"]
    assert other.record(Scope(user="u1", workspace="a"), "one") is not None
    moved = client.post(
        "/v1/import",
        params={"workspace": "c", "from_workspace": "a"},
        content=answer.content,
        headers=LINES,
    )
    assert moved.status_code == 200, moved.text
    assert other.record(Scope(user="u1", workspace="c"), "one") is not None


def test_S3_what_is_outside_a_key_neither_goes_out_nor_comes_in(served: Served) -> None:
    fill(served.memory)
    everything = served.client.get("/v1/export").content
    _, narrow = served.key(workspace="a", rights="admin", user="u1")
    _, whole = served.key(workspace="a", rights="admin")
    _, writer = served.key(workspace="a", rights="write")
    own = served.client.get("/v1/export", headers=narrow)
    assert "u1 in a" in own.text and "u2" not in own.text and "in b" not in own.text
    for shown, params in ((narrow, {"user": "u2"}), (whole, {"workspace": "b"}), (writer, {})):
        assert served.client.get("/v1/export", params=params, headers=shown).status_code == 403
    for shown, content, status in (
        (narrow, own.content, 403),  # a line may name whom it is by, and so reach their page
        (writer, own.content, 403),
        (whole, everything, 400),  # a line from elsewhere is a wrong line
        (whole, own.content, 200),
    ):
        came = served.client.post("/v1/import", content=content, headers={**LINES, **shown})
        assert came.status_code == status, came.text


def test_import_refuses_what_is_no_export(served: Served) -> None:
    bad = served.client.post("/v1/import", content=b"{}\nnonsense\n", headers=LINES)
    assert bad.status_code == 400
    plain = served.client.post("/v1/import", content=b"{}", headers={"Content-Type": "text/plain"})
    assert plain.status_code == 415
    assert served.client.post("/v1/import", content=b"\xff\x00", headers=LINES).status_code == 400


def test_O2_backup_and_reembed(serve: Callable[..., Served], tmp_path: Path) -> None:
    served = serve({"server.backups": str(tmp_path / "backups")})
    fill(served.memory)
    made = served.client.post("/v1/backup").json()
    assert Path(made["path"]).parent == tmp_path / "backups"
    with Memory.open(
        made["path"], load(environ={}, overrides={"models.embedding.kind": "none"})
    ) as m:
        assert m.record(Scope(user="u1", workspace="a"), "one") is not None
    assert served.client.post("/v1/reembed").json()["waiting"] > 0


def test_O2_forget_with_a_proof(served: Served) -> None:
    fill(served.memory)
    body = {"scope": {"user": "u1", "workspace": "a"}, "prove": True}
    _, shown = served.key(workspace="a", rights="admin")
    assert served.client.post("/v1/forget", json=body, headers=shown).status_code == 403
    assert served.memory.records.get(Scope(user="u1", workspace="a"), "one") is not None
    key, _ = served.key(workspace="a", user="u1")
    _, owner = served.key(workspace=None, rights="admin")
    told = served.client.post("/v1/forget", json=body, headers=owner).json()
    assert told["removed"] >= 1 and told["proof"]["absent"], told
    assert told["proof"]["files"] > 0
    assert key.id not in [one.id for one in served.keys.list()]  # it named the person


def test_C2_settings_are_shown_without_keys_and_changed_in_the_file(
    tmp_path: Path, open_memory: Callable[..., Memory]
) -> None:
    file = tmp_path / "taishi.toml"
    file.write_text('# mine\n[query]\nrecall_top_k = 5 # few\n[proxy]\napi_key = "sk-secret"\n')
    settings = load(file, environ={}, overrides={"models.embedding.kind": "none"})
    with Memory.open(tmp_path / "data", settings) as memory:
        client = TestClient(create_app(memory, keys=Keys(tmp_path / "data")))
        told = client.get("/v1/settings")
        assert told.json()["settings"]["query"]["recall_top_k"] == 5
        assert "sk-secret" not in told.text
        done = client.put("/v1/settings", json={"changes": {"query.recall_top_k": 7}}).json()
        assert done["applied"] == ["query.recall_top_k"]
        assert memory.settings.query.recall_top_k == 7
        text = file.read_text()
        assert "# mine" in text and "recall_top_k = 7 # few" in text
        for changes in ({"query.recall_top_k": "x"}, {"query.nonsense": 1}, {"nope": {}}):
            assert client.put("/v1/settings", json={"changes": changes}).status_code == 400
        assert file.read_text() == text
