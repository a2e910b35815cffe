"""Order and fairness of the queue, processes, archive and keys of a fleet on one database."""

from __future__ import annotations

import base64
import hashlib
import random
import threading
import time
from collections import defaultdict
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as effort
from hypothesis import strategies as st

from support.engine_postgres import postgres as postgres
from support.engine_postgres import postgres_engine as postgres_engine
from taishi.api_keys import Keys
from taishi.backends.postgres.archive import ArchiveTable
from taishi.backends.postgres.database import ALL, Database
from taishi.backends.postgres.processes import ProcessTable
from taishi.backends.postgres.queue import PostgresQueue
from taishi.backends.postgres.table_bytes import TableBytes
from taishi.server.oauth.errors import OAuthError
from taishi.server.oauth.state import Approval
from taishi.server.oauth.store import OAuthStore
from taishi.server.session_secret import SessionSecret
from taishi.server.sessions import COOKIE, Sessions
from taishi.types import Job


@pytest.fixture
def database(postgres: str) -> Iterator[Database]:
    opened = Database(postgres)
    yield opened
    opened.close()


def job(
    request: str, workspace: str = "default", group: str | None = None, user: str = "ann"
) -> Job:
    return Job(
        request_id=request,
        end_seq=1,
        action_summary="arranged a meeting",
        new_info=(),
        timestamp_utc="2026-02-20T06:30:00+00:00",
        timestamp_local="2026-02-20T06:30:00+00:00",
        timezone="UTC",
        epoch=1_771_569_000.0,
        workspace=workspace,
        request_type="group" if group else "private",
        user_id=user,
        group_id=group,
        job_id=f"{workspace}-{request}",
    )


def emptied(database: Database) -> None:
    with database.reading(ALL) as connection:
        connection.execute("DELETE FROM jobs")
        connection.execute("DELETE FROM job_workspaces")


PLACES = st.tuples(
    st.sampled_from(["w1", "w2"]), st.sampled_from([None, "g1", "g2"]), st.sampled_from("abc")
)


@effort(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(places=st.lists(PLACES, min_size=1, max_size=14), seed=st.integers(0, 999))
def test_H5_jobs_of_one_place_or_person_never_overlap_and_keep_their_order(
    database: Database, places: list[tuple[str, str | None, str]], seed: int
) -> None:
    """Three workers, in any interleaving of claiming and finishing; some jobs fail for good."""
    emptied(database)
    chance = random.Random(seed)
    workers = [PostgresQueue(database, max_retries=0) for _ in range(3)]
    jobs = [job(f"{n:03d}", *place) for n, place in enumerate(places)]
    for one in jobs:
        workers[0].put(one)
    held: list[tuple[PostgresQueue, object]] = []
    claimed: dict[object, list[str]] = defaultdict(list)
    while True:
        queue = chance.choice(workers)
        lease = queue.claim() if len(held) < 3 and all(q is not queue for q, _ in held) else None
        if lease is not None:
            lanes = {lease.job.scope.home, (lease.job.workspace, lease.job.user_id)}
            busy = {
                lane
                for _, other in held
                for lane in (other.job.scope.home, (other.job.workspace, other.job.user_id))  # type: ignore[attr-defined]
            }
            assert not lanes & busy, "two jobs of one place or person at once"
            for lane in lanes:
                claimed[lane].append(lease.job.request_id)
            held.append((queue, lease))
        elif held:
            queue, done = held.pop(chance.randrange(len(held)))
            if chance.random() < 0.2:
                queue.retry(done, "no")  # type: ignore[arg-type]
            else:
                queue.ack(done)  # type: ignore[arg-type]
        elif not any(worker.is_waiting() for worker in workers):
            break
    assert sorted({id for ids in claimed.values() for id in ids}) == [j.request_id for j in jobs]
    assert all(ids == sorted(ids) for ids in claimed.values())


def test_W4_a_workspace_with_many_jobs_does_not_starve_one_with_few(database: Database) -> None:
    queue = PostgresQueue(database)
    for number in range(60):
        queue.put(job(f"{number:03d}", "large", user=f"u{number}"))
    for number in range(3):
        queue.put(job(f"{number:03d}", "small", user=f"u{number}"))
    order = []
    for _ in range(10):
        lease = queue.claim()
        assert lease is not None
        order.append(lease.job.workspace)
        queue.ack(lease)
    assert order.count("small") == 3 and set(order[:2]) == {"large", "small"}, order


def test_H5_a_job_that_waits_for_its_next_try_holds_up_its_own_place_alone(
    database: Database,
) -> None:
    queue = PostgresQueue(database)
    for request, group, user in (("1", "g", "ann"), ("2", "g", "bob"), ("3", "h", "eve")):
        queue.put(job(request, group=group, user=user))
    first = queue.claim()
    assert first is not None and queue.retry(first, "the model is down")
    second = queue.claim()
    assert second is not None and second.job.request_id == "3"
    assert queue.claim() is None and not queue.is_waiting()


def test_W5_a_job_that_is_put_again_is_there_once(database: Database) -> None:
    queue = PostgresQueue(database)
    id = queue.put(job("1"))
    queue.put(job("1"))
    assert id and queue.counts()["pending"] == 1


def test_W4_an_idle_worker_is_woken_by_a_put_of_another_process(
    database: Database, postgres: str
) -> None:
    other = Database(postgres)
    woken = threading.Event()
    queue = PostgresQueue(other)
    queue.listen(woken.set)
    try:
        assert woken.wait(5), "once when it begins to listen"
        woken.clear()
        began = time.monotonic()
        PostgresQueue(database).put(job("1"))
        assert woken.wait(5)
        assert time.monotonic() - began < 2
    finally:
        queue.close()
        other.close()


def test_O1_every_process_of_the_fleet_is_on_the_board(database: Database) -> None:
    one, two = ProcessTable(database), ProcessTable(database)
    one.write({"at": 1.0, "workers": {"running": 2}})
    two.write({"at": 2.0})
    (seen,) = two.others()
    assert seen["workers"] == {"running": 2} and seen["pid"] and seen["host"]
    with database.reading(ALL) as connection:
        connection.execute("UPDATE processes SET seen = now() - interval '2 minutes'")
    assert two.others() == [] and two.sweep() == 1, "it fell silent"
    one.close()
    two.close()
    assert database.scalar(ALL, "SELECT count(*) FROM processes") == 0


def test_O1_a_heartbeat_keeps_a_quiet_process_on_the_board(database: Database) -> None:
    one, two = ProcessTable(database, heartbeat=0.02), ProcessTable(database)
    one.write({"at": 1.0})
    with database.reading(ALL) as connection:
        connection.execute("UPDATE processes SET seen = now() - interval '2 minutes'")
    until = time.monotonic() + 5
    while not two.others() and time.monotonic() < until:
        time.sleep(0.01)
    assert len(two.others()) == 1
    one.close()


def test_O2_the_archive_is_lines_that_grow_at_the_end(database: Database) -> None:
    archive = ArchiveTable(database)
    october, november = "observations-2026-10", "observations-2026-11"
    assert archive.names() == [] and archive.last_line(october) == (0, b"")
    archive.append(october, 0, b"one\nend\n")
    assert archive.last_line(october) == (4, b"end\n")
    archive.append(october, 4, "二\nend\n".encode())
    archive.append(november, 0, b"other\n")
    assert list(archive.lines(october)) == [b"one\n", "二\n".encode(), b"end\n"]
    archive.append(october, 4, b"x")
    assert list(archive.lines(october)) == [b"one\n", b"x"], "and nothing that was behind"
    assert archive.last_line(october) == (4, b"x")
    archive.append(november, 2, b"y\n")
    assert list(archive.lines(november)) == [b"oty\n"], "in the middle of a piece"
    archive.replace(october, (line.upper() for line in archive.lines(october)))
    assert list(archive.lines(october)) == [b"ONE\n", b"X"]
    with pytest.raises(ZeroDivisionError):
        archive.replace(october, (b"%d\n" % (1 // n) for n in (1, 0)))
    assert list(archive.lines(october)) == [b"ONE\n", b"X"], "whole or not at all"
    archive.remove(october)
    assert archive.names() == [november]


def test_N_api_keys_are_shared_by_all_servers_and_only_hashes_are_stored(
    postgres: str, database: Database
) -> None:
    here, there = Keys(postgres), Keys(postgres)
    assert not here.set_up
    key, secret = here.create("bot", user="ann", rights="read")
    until = time.monotonic() + 5
    while there.find(secret) is None and time.monotonic() < until:
        time.sleep(0.05)
    assert there.find(secret) == key and there.set_up
    there.revoke(key.id)
    time.sleep(0.6)
    assert here.find(secret) is None
    stored = b"".join(b"".join(chunks) for _, chunks in TableBytes(database).tables())
    assert secret.encode() not in stored and key.id.encode() in stored


def test_N_who_signed_in_at_one_server_is_known_by_all(postgres: str) -> None:
    servers = [Keys(postgres) for _ in range(2)]
    here, there = (Sessions(SessionSecret(keys.sessions)) for keys in servers)
    assert there.key_id(asked("x")) is None, "and that there was none is not remembered"
    token = here.begin("k1")
    assert there.key_id(asked(token)) == "k1"
    there.end(asked(token))
    time.sleep(0.6)
    assert here.key_id(asked(token)) is None and here.key_id(asked(there.begin("k2"))) == "k2"


def test_N_a_client_that_connected_at_one_server_is_known_by_all(
    postgres: str, database: Database
) -> None:
    here, there = (OAuthStore(Keys(postgres)) for _ in range(2))
    resource, uri, verifier = "https://a.example/mcp", "https://b.example/cb", "v" * 43
    client = here.register("Client", (uri,))
    hashed = hashlib.sha256(verifier.encode()).digest()
    challenge = base64.urlsafe_b64encode(hashed).decode().rstrip("=")
    approval = Approval(client.id, client.name, "k1", "write", resource, "ann")
    code = here.approve(approval, uri, challenge)
    tokens = there.exchange(code, client.id, uri, verifier, resource)
    assert here.approval_of(tokens.access_token, resource) == approval, "at once"
    renewed = here.renew(tokens.refresh_token, client.id, resource)
    with pytest.raises(OAuthError):
        there.renew(tokens.refresh_token, client.id, resource)
    time.sleep(0.6)
    assert here.approval_of(renewed.access_token, resource) is None, "the family is withdrawn"
    stored = b"".join(b"".join(chunks) for _, chunks in TableBytes(database).tables())
    assert renewed.access_token.split("_", 2)[2].encode() not in stored


def asked(token: str) -> dict[str, str]:
    return {"host": "a", "x-taishi-pages": "1", "cookie": f"{COOKIE}={token}"}


def test_S3_one_workspace_does_not_see_the_jobs_or_pages_of_another(database: Database) -> None:
    """The second wall: without any WHERE, row-level security shows a workspace its own alone."""
    queue = PostgresQueue(database)
    queue.put(job("1", "red"))
    queue.put(job("1", "blue"))
    with database.reading(ALL) as connection:
        for workspace in ("red", "blue"):
            connection.execute(
                "INSERT INTO profiles (workspace, entity_type, entity_id, page) "
                "VALUES (%s, 'user', 'ann', 'x')",
                (workspace,),
            )
        connection.execute("INSERT INTO stored_files VALUES ('a', 'x')")
        connection.execute("INSERT INTO unfinished_copy (content) VALUES ('x')")
    with database.reading("red") as connection:
        for table in ("jobs", "job_workspaces", "profiles"):
            seen = connection.execute(f"SELECT workspace FROM {table}").fetchall()
            assert seen == [("red",)], table
        for table in (
            "stored_files",
            "processes",
            "archive_pieces",
            "api_keys",
            "page_sessions",
            "oauth_connections",
            "unfinished_copy",
        ):
            assert connection.execute(f"SELECT * FROM {table}").fetchall() == []
