"""A file of keys that cannot be read: nobody is let in, and it is said why; mended, all is well."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from server.conftest import Served
from taishi import api_keys, load
from taishi.api_keys import FILE, Keys
from taishi.cli.context import CliContext
from taishi.cli.serve import announce, key_state
from taishi.disk.key_file import KeyFile
from taishi.doctor.key_checks import access_keys
from taishi.errors import CorruptError, TaishiError, UnreachableError
from taishi.server.auth import keys_unreadable
from taishi.server.run import check_keys

GUARDED = ["/v1/whoami", "/v1/export", "/openai/v1/models", "/metrics"]
ROUTES = [*GUARDED, "/docs", "/openapi.json"]


def damaged(whole: bytes) -> dict[str, bytes]:
    """Ways in which a file of two keys may be broken; each must not be taken for keys."""
    parsed = json.loads(whole)

    def changed(**values: Any) -> bytes:
        rows = [{**row, **values} for row in parsed["keys"]]
        return json.dumps({**parsed, "keys": rows}).encode()

    return {
        "empty": b"",
        "cut": whole[: len(whole) // 2],
        "zeros": bytes(len(whole)),
        "no object": b"[]",
        "no keys": b"{}",
        "keys of another shape": b'{"keys": {"a": 1}}',
        "a row of another shape": b'{"keys": [1]}',
        "not UTF-8": whole.replace(b"test", b"t\xff\xfest"),
        "deep": b"[" * 200_000,
        "rights nobody knows": changed(rights="root"),
        "rights of another type": changed(rights=["admin"]),
        "an empty user, which would be everybody": changed(user=""),
        "a user of another type": changed(user=["u1"]),
        "a workspace that is false": changed(workspace=False),
        "an end that is text": changed(expires="never"),
        "an end that is not a number": changed(expires=float("nan")),
        "an end beyond all numbers": changed(expires=10**400),
        "a beginning beyond all numbers": changed(created=-(10**400)),
        "no hash": changed(sha256=None),
        "a short hash": changed(sha256=""),
        "an id that is a number": changed(id=7),
    }


def test_P5_keys_in_a_database_that_is_away_are_not_called_damaged() -> None:
    away = keys_unreadable(UnreachableError("PostgreSQL at db/memory does not answer"))
    damaged_file = keys_unreadable(CorruptError("keys.json is damaged"))
    assert away.status == damaged_file.status == 503
    assert "send the request again" in str(away) and "damaged" not in str(away)
    assert "damaged" in str(damaged_file)


def test_P5_a_damaged_file_of_keys_answers_503_until_it_is_mended(
    serve: Callable[..., Served],
) -> None:
    served = serve(hosts=["127.0.0.1", "testserver"])
    _, shown = served.key()
    served.key(user="u1")
    path = served.keys.path
    whole = path.read_bytes()
    for name, content in damaged(whole).items():
        path.write_bytes(content)
        for route in ROUTES:
            for headers in (shown, {}):
                answer = served.client.get(route, headers=headers)
                assert answer.status_code == 503, (name, route)
                assert "keys" in answer.text and str(path.parent) not in answer.text
                assert answer.headers["Retry-After"]
        problem = served.client.get("/v1/whoami").json()
        assert problem["type"] == "urn:taishi:problem:keys" and "taishi doctor" in problem["detail"]
        assert served.client.get("/health/live").status_code == 200
        assert path.read_bytes() == content  # and nothing writes over it
        path.write_bytes(whole)
        assert served.client.get("/v1/whoami", headers=shown).status_code == 200, name
        assert served.client.get("/v1/whoami").status_code == 401, name


def test_not_ready_while_keys_cannot_be_read(served: Served) -> None:
    _, shown = served.key()
    whole = served.keys.path.read_bytes()
    served.keys.path.write_bytes(b"{")
    answer = served.client.get("/health/ready")
    assert answer.status_code == 503 and list(answer.json()["reasons"]) == ["keys"]
    served.keys.path.write_bytes(whole)
    assert served.client.get("/v1/whoami", headers=shown).status_code == 200


def test_a_server_that_never_saw_keys_does_not_open_for_a_damaged_file(served: Served) -> None:
    assert served.client.get("/v1/whoami").status_code == 200
    served.keys.path.write_bytes(b"")
    assert served.client.get("/v1/whoami").status_code == 503


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
@pytest.mark.parametrize("content", [b"", b"{", b"[]"])
def test_P5_deleting_a_damaged_file_locks_the_door_until_new_keys_are_made(
    serve: Callable[..., Served], content: bytes, host: str
) -> None:
    """What our own text advises must not open a server that started with the damage."""
    served = serve(hosts=["127.0.0.1", "testserver"])
    served.keys.path.write_bytes(content)
    check_keys(host, served.keys)
    served.keys.path.unlink()
    for route in GUARDED:
        assert served.client.get(route).status_code == 401, route
        answer = served.client.get(route, headers={"X-API-Key": "tsk_a_b"})
        assert answer.status_code == 401, route
    assert served.client.get("/health/live").status_code == 200
    _, secret = Keys(served.keys.path.parent).create("new", rights="admin")  # another process
    shown = {"X-API-Key": secret}
    assert served.client.get("/v1/whoami", headers=shown).status_code == 200
    assert served.client.get("/v1/whoami").status_code == 401


def test_a_file_that_could_not_be_looked_at_may_have_been_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = Keys(tmp_path)
    assert not keys.set_up

    def refused(self: Path, **_: object) -> os.stat_result:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "stat", refused)
        with pytest.raises(TaishiError):
            keys.list()
    assert keys.set_up


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in its place")
def test_a_folder_in_its_place(served: Served) -> None:
    served.keys.path.mkdir()
    assert served.client.get("/v1/whoami").status_code == 503


def test_doctor_names_the_file(tmp_path: Path) -> None:
    assert access_keys(tmp_path).level == "ok"
    _, secret = Keys(tmp_path).create("bot")
    found = access_keys(tmp_path)
    assert found.level == "ok" and "1 key " in found.message.en
    whole = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(whole[:-9])
    found = access_keys(tmp_path)
    assert found.level == "problem" and str(tmp_path / FILE) in found.message.en
    assert "503" in found.text("en") and "503" in found.text("zh")
    assert str(tmp_path / FILE) in found.message.zh and "已损坏" in found.message.zh
    assert "damaged" in found.message.en and "nobody" not in found.message.zh
    (tmp_path / FILE).write_bytes(whole)
    assert access_keys(tmp_path).level == "ok" and Keys(tmp_path).find(secret)


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in its place")
def test_doctor_says_in_chinese_that_keys_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    found = access_keys(tmp_path)
    assert found.level == "problem" and "cannot be read" in found.message.en
    assert found.message.zh.startswith(f"无法读取 {tmp_path / FILE}")


@pytest.mark.parametrize(("language", "why", "not_why"), [
    ("en", "is damaged", "损坏"), ("zh", "已损坏", "damaged"),
])  # fmt: skip
def test_serve_says_why_it_answers_503_in_the_language_of_whoever_starts_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], language: str, why: str, not_why: str
) -> None:
    (tmp_path / FILE).write_text("{")
    app = CliContext(lang=language)
    announce(app, "http://127.0.0.1:1", key_state(app, Keys(tmp_path)), False)
    said = capsys.readouterr().err
    assert str(tmp_path / FILE) in said and why in said and not_why not in said


def test_doctor_looks_at_keys(tmp_path: Path) -> None:
    from taishi.doctor.checks import run_checks

    def settings(**overrides: str) -> Any:
        base = {"models.embedding.kind": "none", "memory.data": str(tmp_path)}
        return load(environ={}, overrides={**base, **overrides})

    (tmp_path / FILE).write_text("{")
    levels = {found.check: found.level for found in run_checks(settings)}
    assert levels["keys"] == "problem" and levels["disk"] == "ok"


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_a_server_may_start_with_them_and_answers_503(tmp_path: Path, host: str) -> None:
    (tmp_path / FILE).write_text("{")
    check_keys(host, Keys(tmp_path))
    with pytest.raises(CorruptError):
        Keys(tmp_path).list()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    keys = Keys(tmp_path)
    keys.create("bot")
    keys.path.chmod(0)
    with pytest.raises(TaishiError):
        Keys(tmp_path).find("tsk_a_b")


class Away(KeyFile):
    """A document that cannot be looked at for a while, as in a database that does not answer."""

    is_away = False

    @property
    def is_permanent(self) -> bool:
        return True

    def stamp(self) -> Any:
        if self.is_away:
            raise UnreachableError("it does not answer")
        return super().stamp()


@pytest.fixture
def away(monkeypatch: pytest.MonkeyPatch) -> type[Away]:
    monkeypatch.setattr(api_keys, "_document_at", Away)
    monkeypatch.setattr(Away, "is_away", False)
    return Away


def test_a_server_without_keys_goes_on_when_their_database_is_back(
    serve: Callable[..., Served], away: type[Away]
) -> None:
    served = serve()
    assert served.client.get("/v1/whoami").status_code == 200
    away.is_away = True
    assert served.client.get("/v1/whoami").status_code == 503
    away.is_away = False
    assert served.client.get("/v1/whoami").status_code == 200
    _, shown = served.key()
    away.is_away = True
    assert served.client.get("/v1/whoami").status_code == 503
    away.is_away = False
    assert served.client.get("/v1/whoami").status_code == 401
    assert served.client.get("/v1/whoami", headers=shown).status_code == 200


@pytest.mark.parametrize(("host", "is_locked"), [("127.0.0.1", False), ("0.0.0.0", True)])
def test_a_start_beside_a_database_that_is_away_opens_no_public_address(
    serve: Callable[..., Served], away: type[Away], host: str, is_locked: bool
) -> None:
    served = serve()
    away.is_away = True
    check_keys(host, served.keys)
    away.is_away = False
    assert served.client.get("/v1/whoami").status_code == (401 if is_locked else 200)
    _, shown = served.key()
    assert served.client.get("/v1/whoami", headers=shown).status_code == 200
