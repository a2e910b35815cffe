"""The SQL of the queue, and a job as a row of it."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from ...errors import QueueError
from ...job_codec import decode
from ...types import Job, Partition

CHANNEL = "taishi_jobs"
REASON_MAX_CHARS = 4000
HASH_BYTES = 16
# The database's clock, which all servers share; or the one that was passed in.
NOW = "coalesce(%(now)s::float8, extract(epoch FROM now())::float8)"
COLUMNS = "id, state, attempt, lost, at, owner, claim, reason, data"

# Whether nothing that came before job `j` holds it up: an earlier job of its partition or its
# person that is not done, or one that another thread is working on. What the asking thread holds
# itself does not count: it has finished with it, but for the page.
_EARLIER = """NOT EXISTS (
    SELECT FROM jobs e WHERE e.{key} = j.{key} AND e.state <> 'failed' AND e.id < j.id
    AND e.owner <> %(owner)s)"""
_AT_WORK = """NOT EXISTS (
    SELECT FROM jobs e WHERE e.{key} = j.{key} AND e.state = 'processing' AND e.id > j.id
    AND e.owner <> %(owner)s)"""
_FREE = " AND ".join(
    part.format(key=key) for key in ("lane", "person") for part in (_EARLIER, _AT_WORK)
)
_READY = f"j.state = 'pending' AND j.at <= {NOW} AND {_FREE}"

IS_WAITING = f"SELECT EXISTS (SELECT FROM jobs j WHERE {_READY})"

# The workspace that was served longest ago, of those with a job that may be claimed. Its row is
# locked until the claim is committed, so that two claims never see each other half done.
_NEXT_WORKSPACE = f"""
    SELECT w.workspace FROM job_workspaces w
    WHERE EXISTS (SELECT FROM jobs j WHERE j.workspace = w.workspace AND {_READY})
    ORDER BY w.served, w.workspace LIMIT 1 FOR UPDATE OF w"""
NEXT_UNLOCKED_WORKSPACE = f"{_NEXT_WORKSPACE} SKIP LOCKED"
NEXT_WORKSPACE = _NEXT_WORKSPACE

CLAIM = f"""
    UPDATE jobs SET state = 'processing', attempt = attempt + 1, at = {NOW} + %(lease)s,
        owner = %(owner)s, claim = %(claim)s
    WHERE id = (
        SELECT j.id FROM jobs j WHERE j.workspace = %(workspace)s AND {_READY}
        ORDER BY j.id LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING {COLUMNS}"""

SERVED = """
    UPDATE job_workspaces SET served = nextval('job_servings') WHERE workspace = %(workspace)s"""

# Sorts by time, so that the order is first in, first out, in a folder of files as well.
NEW_ID = """
    lpad((extract(epoch FROM clock_timestamp()) * 1000000000)::bigint::text, 20, '0')
    || '-' || %(tail)s"""

WAKE = f"SELECT pg_notify('{CHANNEL}', '')"

# One round trip; told to the workers when it is committed.
PUT = f"""
    WITH known AS (
        INSERT INTO job_workspaces (workspace) VALUES (%(workspace)s) ON CONFLICT DO NOTHING)
    INSERT INTO jobs (id, job_id, workspace, lane, person, state, attempt, at, reason, data)
    VALUES (coalesce(%(id)s, {NEW_ID}), %(job_id)s, %(workspace)s, %(lane)s, %(person)s,
        %(state)s, %(attempt)s, %(at)s, %(reason)s, %(data)s)
    ON CONFLICT DO NOTHING RETURNING id, pg_notify('{CHANNEL}', '')"""


class JobRow(NamedTuple):
    """A row of the table, in the order of COLUMNS."""

    id: str
    state: str
    attempt: int
    lost: int
    at: float
    owner: str
    claim: str
    reason: str
    data: bytes

    def job(self) -> Job | None:
        """None if its bytes hold no job."""
        try:
            return decode(bytes(self.data))
        except QueueError:
            return None


def lane_of(job: Job) -> bytes:
    """Of the partition that a job writes to."""
    return lane_in(job.scope.home)


def lane_in(partition: Partition) -> bytes:
    return _hashed("place", partition.workspace, partition.kind, partition.id)


def person_of(job: Job) -> bytes | None:
    """Of the person whose page a job may change, wherever they speak."""
    person = job.sender_id or job.user_id
    return _hashed("person", job.workspace, person) if person else None


def _hashed(*names: str) -> bytes:
    text = "\0".join(names).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=HASH_BYTES).digest()


def plain_reason(reason: str) -> str:
    """A reason as a column takes it: no half characters, no NUL."""
    text = reason[:REASON_MAX_CHARS].encode(errors="backslashreplace").decode()
    return text.replace("\0", "\\x00")
