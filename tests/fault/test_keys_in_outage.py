"""API keys in PostgreSQL while it is away: known ones are let in without a wait, for a while; what
is unknown or was revoked is not (M3)."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator

import pytest

from support.cut_off import PostgresServer
from support.engine_postgres import PostgresEngine
from support.engine_postgres import own_postgres as own_postgres
from taishi.api_keys import Keys
from taishi.backends.postgres import key_row
from taishi.errors import UnreachableError
from taishi.server.run import check_keys

pytestmark = pytest.mark.timeout(300)
WAIT = 1.0  # for an answer that is bounded by 0.2 s, on a machine that is busy


@pytest.fixture
def address(own_postgres: PostgresEngine) -> Iterator[str]:
    own_postgres.run("CREATE DATABASE keyed OWNER taishi TEMPLATE taishi_template")
    yield own_postgres.address("keyed")
    if not (own_postgres.data / "postmaster.pid").exists():
        own_postgres.start()


def took(work: Callable[[], object]) -> float:
    began = time.monotonic()
    work()
    return time.monotonic() - began


@pytest.mark.parametrize("how", ("hang", "kill"))
def test_M3_the_first_look_at_a_key_does_not_wait_for_a_dead_database(
    own_postgres: PostgresEngine, address: str, how: str
) -> None:
    server, keys = PostgresServer(own_postgres), Keys(address)
    known, secret = keys.create("bot")
    revoked, gone = keys.create("old")
    keys.revoke(revoked.id)
    assert keys.find(secret) == known and keys.find(gone) is None
    time.sleep(1.0)  # what was read is not fresh any more
    getattr(server, how)()
    try:
        waits = [took(lambda: keys.find(secret)) for _ in range(20)]
        print(how, f"first {waits[0]:.3f} s, then {statistics.median(waits[1:]):.4f} s")
        assert keys.find(secret) == known
        assert keys.find(gone) is None and keys.find(f"{secret}x") is None
        assert max(waits) < WAIT, waits
    finally:
        server.go_on() if how == "hang" else server.come_back()
    keys.revoke(known.id)
    assert keys.find(secret) is None


def test_M3_a_known_key_is_good_for_five_minutes_at_most(
    own_postgres: PostgresEngine, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys, fresh = Keys(address), Keys(address)
    known, secret = keys.create("bot")
    assert keys.find(secret) == known
    own_postgres.stop("immediate")
    time.sleep(1.0)
    assert keys.find(secret) == known
    with pytest.raises(UnreachableError):
        fresh.find(secret)  # it never read them: nobody is let in
    monkeypatch.setattr(key_row, "STALE_SECONDS", 0.5)
    with pytest.raises(UnreachableError):
        keys.find(secret)


def test_M3_a_revocation_counts_as_soon_as_the_database_answers_again(
    own_postgres: PostgresEngine, address: str
) -> None:
    """Revoked by another server while this one waited for an answer in vain."""
    here, there = Keys(address), Keys(address)
    known, secret = here.create("bot")
    assert here.find(secret) == known and there.find(secret) == known
    time.sleep(1.0)
    own_postgres.hang()
    try:
        assert here.find(secret) == known
    finally:
        own_postgres.go_on()
    there.revoke(known.id)
    assert there.find(secret) is None
    end = time.monotonic() + 30
    while here.find(secret) is not None and time.monotonic() < end:
        time.sleep(0.05)
    assert here.find(secret) is None
    for _ in range(100):
        assert here.find(secret) is None


def test_M3_a_memory_without_keys_has_none_after_an_outage(
    own_postgres: PostgresEngine, address: str
) -> None:
    """A row is never deleted: what the database says when it answers again is true."""
    seen, fresh, public = Keys(address), Keys(address), Keys(address)
    assert not seen.set_up
    own_postgres.stop("immediate")
    time.sleep(1.0)
    for keys in (seen, fresh):
        with pytest.raises(UnreachableError):
            keys.find("tsk_a_b")
    check_keys("0.0.0.0", public)
    own_postgres.start()
    end = time.monotonic() + 30
    while time.monotonic() < end:
        try:
            assert not seen.set_up and not fresh.set_up
            assert public.set_up, "a public address opens to nobody without a key"
            break
        except UnreachableError:
            time.sleep(0.1)
    else:
        pytest.fail("the database does not answer")
    known, secret = seen.create("bot")
    time.sleep(1.0)
    assert fresh.find(secret) == public.find(secret) == known and fresh.set_up
