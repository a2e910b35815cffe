"""Keys: hashed at rest, bound, revoked, expired; several processes agree."""

from __future__ import annotations

import json
import stat
import sys
import threading
from pathlib import Path

import pytest

from taishi.api_keys import FILE, Key, Keys
from taishi.errors import CorruptError, ForbiddenError, InputError, ScopeError, UnknownKeyError
from taishi.server.auth import Caller, caller_for_secret
from taishi.types import Partition


def caller(**binding: object) -> Caller:
    return Caller(Key("k", "k", **{"workspace": "w", "rights": "write", **binding}))  # type: ignore[arg-type]


def test_a_secret_is_shown_once_and_only_its_hash_is_kept(tmp_path: Path) -> None:
    key, secret = Keys(tmp_path).create("bot", "w", "read", user="u1")
    assert secret.startswith(f"tsk_{key.id}_")
    text = (tmp_path / FILE).read_text()
    assert secret not in text and secret.removeprefix(f"tsk_{key.id}_") not in text
    assert Keys(tmp_path).find(secret) == key
    if sys.platform != "win32":
        assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600


@pytest.mark.parametrize("wrong", ["", "tsk_", "x", "tsk_a_b", "tsk_\ud800_é", "tsk" * 100_000])
def test_what_is_no_secret_opens_nothing(tmp_path: Path, wrong: str) -> None:
    keys = Keys(tmp_path)
    key, secret = keys.create("bot")
    assert keys.find(wrong) is None
    assert keys.find(f"tsk_{key.id}_{wrong}") is None
    assert keys.find(secret[:-1]) is None
    assert keys.find(secret.replace("tsk", "xsk", 1)) is None


def test_another_process_sees_a_new_key_and_a_revoked_one(tmp_path: Path) -> None:
    here, there = Keys(tmp_path), Keys(tmp_path)
    assert not there.set_up
    key, secret = here.create("bot")
    assert there.find(secret) == key
    here.revoke(key.id)
    assert there.find(secret) is None
    assert there.list()[0].revoked is not None


def test_revoking_the_last_key_locks_the_door(tmp_path: Path) -> None:
    keys = Keys(tmp_path)
    key, secret = keys.create("bot")
    keys.revoke(key.id)
    assert Keys(tmp_path).set_up
    with pytest.raises(UnknownKeyError):
        caller_for_secret(Keys(tmp_path), secret)
    with pytest.raises(UnknownKeyError):
        caller_for_secret(Keys(tmp_path), None)
    (tmp_path / FILE).unlink()
    assert keys.set_up  # whoever saw a key does not open up because a file went


def test_a_key_expires(tmp_path: Path) -> None:
    now = [1000.0]
    keys = Keys(tmp_path, clock=lambda: now[0])
    _, secret = keys.create("bot", expires=2000.0)
    assert keys.find(secret)
    now[0] = 2000.0
    assert keys.find(secret) is None
    with pytest.raises(InputError):
        keys.create("late", expires=1999.0)


def test_keys_of_a_forgotten_person_go_and_the_door_stays_locked(tmp_path: Path) -> None:
    keys = Keys(tmp_path)
    keys.create("one", "w", user="u1")
    keys.create("two", "w", user="u1", group="g1")
    assert keys.forget(Partition("other", "private", "u1")) == 0
    assert keys.forget(Partition("w", "private", "u1")) == 2
    assert keys.list() == [] and "u1" not in (tmp_path / FILE).read_text()
    assert Keys(tmp_path).set_up
    with pytest.raises(UnknownKeyError):
        caller_for_secret(Keys(tmp_path), None)


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"keys": [1]}', '{"keys": [{"id": "x"}]}'])
def test_a_damaged_file_lets_nobody_in(tmp_path: Path, content: str) -> None:
    (tmp_path / FILE).write_text(content)
    for ask in (lambda k: k.find("tsk_a_b"), lambda k: k.set_up, lambda k: k.create("new")):
        with pytest.raises(CorruptError):
            ask(Keys(tmp_path))
    assert (tmp_path / FILE).read_text() == content


def test_keys_made_at_the_same_time_are_all_kept(tmp_path: Path) -> None:
    def make() -> None:
        for _ in range(5):
            Keys(tmp_path).create("bot")

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(Keys(tmp_path).list()) == 20
    assert len(json.loads((tmp_path / FILE).read_text())["keys"]) == 20


@pytest.mark.parametrize("binding", [{"user": ""}, {"group": " "}, {"agent": "\x00"},
                                     {"workspace": ""}])  # fmt: skip
def test_a_binding_that_would_bind_nothing_is_refused(
    tmp_path: Path, binding: dict[str, str]
) -> None:
    with pytest.raises(InputError):
        Keys(tmp_path).create("bot", **binding)  # type: ignore[arg-type]
    assert not Keys(tmp_path).set_up


def test_S1_a_key_fills_in_what_it_is_bound_to() -> None:
    assert caller(user="u1").scope().home.id == "u1"
    assert caller(group="g1").scope(user="anyone").home.kind == "group"
    assert caller(agent="a1").scope().home.kind == "agent"
    assert caller(user="u1", group="g1").scope().user == "u1"
    assert caller().scope(user=7).user == "7"
    assert Caller().scope(user="u", workspace="any").workspace == "any"


@pytest.mark.parametrize(
    ("binding", "asked"),
    [
        ({}, {"user": "u1", "workspace": "other"}),
        ({"user": "u1"}, {"user": "u2"}),
        ({"user": "u1"}, {"group": "g1"}),
        ({"user": "u1"}, {"shared": True}),
        ({"user": "u1"}, {"workspace": "default"}),
        ({"group": "g1"}, {"group": "g2"}),
        ({"group": "g1"}, {"shared": True}),
        ({"agent": "a1"}, {"agent": "a2"}),
        ({"agent": "a1"}, {"user": "u1"}),
        ({"agent": "a1"}, {"group": "g1"}),
        ({"user": "u1", "group": "g1"}, {"user": "u2"}),
        ({"user": "u1", "group": "g1"}, {"group": "g2"}),
    ],
)
def test_S3_a_key_never_reaches_outside(binding: dict[str, str], asked: dict[str, object]) -> None:
    with pytest.raises(ForbiddenError):
        caller(**binding).scope(**asked)  # type: ignore[arg-type]


def test_S3_no_scope_is_an_error_also_with_a_key() -> None:
    with pytest.raises(ScopeError):
        caller().scope()


def test_nobody_writes_down_what_another_says() -> None:
    private = caller(user="u1")
    assert private.allowed_speaker(private.scope(), "u1") == "u1"
    with pytest.raises(ForbiddenError):
        private.allowed_speaker(private.scope(), "u2")
    group = caller(group="g1")
    assert group.allowed_speaker(group.scope(), "u2") == "u2"
    agent = caller(agent="a1")
    with pytest.raises(ForbiddenError):
        agent.allowed_speaker(agent.scope(), "u2")


def test_rights_include_the_ones_before() -> None:
    assert Caller().may("admin")
    for rights, may in (("read", 1), ("write", 2), ("admin", 3)):
        holder = caller(rights=rights)
        assert [holder.may(r) for r in ("read", "write", "admin")].count(True) == may
