"""Profile pages in tables: the same Markdown as in files, with revisions (P1, P3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime

from ...errors import InputError
from ...ports import Locks, ProfileKey
from ..profile_files.names import file_name
from ..profile_files.pages import (
    ENTITY_TYPES,
    Pages,
    Stamp,
    checked_revision,
    edited_meanwhile,
)
from .database import Connection, Database
from .profile_stamps import WAIT_SECONDS, StampCache, number_of
from .queries import Queries

_OF = "workspace = %s AND entity_type = %s AND entity_id = %s"
_PUT = """
    INSERT INTO profiles (workspace, entity_type, entity_id, page) VALUES (%s, %s, %s, %s)
    ON CONFLICT (workspace, entity_type, entity_id)
    DO UPDATE SET page = excluded.page, stamp = nextval('profile_stamps')"""
_PUT_REVISION = """
    INSERT INTO profile_revisions (workspace, entity_type, entity_id, revision, page)
    VALUES (%s, %s, %s, %s, %s)
    ON CONFLICT (workspace, entity_type, entity_id, revision) DO UPDATE SET page = excluded.page"""
_PRUNE = f"""
    DELETE FROM profile_revisions WHERE {_OF} AND revision NOT IN (
        SELECT revision FROM profile_revisions WHERE {_OF} ORDER BY revision DESC LIMIT %s)"""


class ProfileTables(Pages):
    """Implements ports.ProfilePages. What a page is and means is as in files."""

    def __init__(
        self,
        database: Database,
        locks: Locks,
        keep: int = 5,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        super().__init__(keep, clock)
        self._queries = Queries(database)
        self._locks = locks
        self._stamps = StampCache(database, self._read_stamp)

    def where(self, entity: ProfileKey) -> str:
        """What opens the page in an editor."""
        kind = "--user" if entity.entity_type == "user" else "--group"
        place = "" if entity.workspace == "default" else f" --workspace {entity.workspace}"
        return f"taishi profile edit {kind} {entity.entity_id}{place}"

    def raw(
        self, workspace: str, entity_type: str, entity_id: str, revision: str | None = None
    ) -> bytes | None:
        key = _checked(workspace, entity_type, entity_id)
        sql, values = f"SELECT page FROM profiles WHERE {_OF}", [*key]
        if revision is not None:
            sql = f"SELECT page FROM profile_revisions WHERE {_OF} AND revision = %s"
            values.append(revision)
        queries = self._queries.of(workspace, WAIT_SECONDS)
        found = self._stamps.reached(lambda: queries.value(sql, values))
        return None if found is None else bytes(found)

    def stamp(self, workspace: str, entity_type: str, entity_id: str) -> Stamp:
        """Asked for by every recall: the database is asked only after a change. What another
        server wrote is seen some milliseconds later; who holds the page sees it at once."""
        return self._stamps.get(ProfileKey(workspace, entity_type, entity_id))

    def _read_stamp(self, key: ProfileKey) -> Stamp:
        key = _checked(*key)
        queries = self._queries.of(key.workspace, WAIT_SECONDS)
        found = queries.value(f"SELECT stamp FROM profiles WHERE {_OF}", key)
        return () if found is None else (int(found),)

    def list(self, workspace: str = "default") -> list[ProfileKey]:
        rows = self._queries.of(workspace).rows(
            "SELECT workspace, entity_type, entity_id FROM profiles WHERE workspace = %s "
            'ORDER BY entity_type DESC, entity_id COLLATE "C"',
            (workspace,),
        )
        return [ProfileKey(*row) for row in rows]

    def workspaces(self) -> tuple[str, ...]:
        rows = self._queries.rows(
            "SELECT workspace FROM profiles UNION SELECT workspace FROM profile_revisions"
        )
        return ("default", *sorted({name for (name,) in rows} - {"default"}))

    def remembered(self, workspace: str = "default") -> tuple[ProfileKey, ...]:
        """Everybody with a page or a snapshot of one in the workspace."""
        rows = self._queries.of(workspace).rows(
            "SELECT workspace, entity_type, entity_id FROM profiles WHERE workspace = %s "
            "UNION SELECT workspace, entity_type, entity_id FROM profile_revisions "
            "WHERE workspace = %s",
            (workspace, workspace),
        )
        return tuple(sorted(ProfileKey(*row) for row in rows))

    def revisions(self, workspace: str, entity_type: str, entity_id: str) -> tuple[str, ...]:
        rows = self._queries.of(workspace).rows(
            f"SELECT revision FROM profile_revisions WHERE {_OF} ORDER BY revision DESC",
            _checked(workspace, entity_type, entity_id),
        )
        return tuple(name for (name,) in rows)

    def put_raw(self, entity: ProfileKey, data: bytes, revision: str | None = None) -> None:
        """Write a page as it is; one that is there becomes a snapshot first."""
        if revision is None:
            self._replace(entity, data)
        else:
            self.overwrite(entity, data, checked_revision(revision))
            self._queries.of(entity.workspace).execute(_PRUNE, (*entity, *entity, self.keep))

    def overwrite(self, entity: ProfileKey, data: bytes, revision: str | None = None) -> None:
        key = _checked(*entity)
        with self._writing(key) as connection:
            if revision is None:
                connection.execute(_PUT, (*key, data))
            else:
                connection.execute(_PUT_REVISION, (*key, revision, data))

    def delete(self, workspace: str, entity_type: str, entity_id: str) -> bool:
        """Remove the page and its snapshots; False if there was none."""
        key = _checked(workspace, entity_type, entity_id)
        with self._writing(key) as connection:
            pages = connection.execute(f"DELETE FROM profiles WHERE {_OF}", key).rowcount
            kept = connection.execute(f"DELETE FROM profile_revisions WHERE {_OF}", key).rowcount
        self._warned.clear()  # the keys hold the id
        return pages + kept > 0

    @contextmanager
    def locked(
        self, workspace: str, entity_type: str, entity_id: str, timeout: float = 60.0
    ) -> Iterator[None]:
        key = _checked(workspace, entity_type, entity_id)
        with self._locks.hold("\0".join(("profile", *key)), timeout):
            self._stamps.drop(key)
            yield

    def _replace(self, entity: ProfileKey, data: bytes, since: Stamp | None = None) -> None:
        """The comparison with `since` and the write are one transaction, so that an edit on
        another server is never overwritten."""
        key = _checked(*entity)
        with self._writing(key) as connection:
            old = connection.execute(
                f"SELECT stamp, page FROM profiles WHERE {_OF} FOR UPDATE", key
            ).fetchone()
            if since is not None and since != (() if old is None else (old[0],)):
                raise edited_meanwhile(entity)
            if old is not None:
                self._snapshot(connection, key, bytes(old[1]))
            connection.execute(_PUT, (*key, data))
            connection.execute(_PRUNE, (*key, *key, self.keep))

    def _writing(self, key: ProfileKey) -> AbstractContextManager[Connection]:
        return self._queries.database.writing(key.workspace, {number_of(key)})

    def _snapshot(self, connection: Connection, key: ProfileKey, data: bytes) -> None:
        newest = connection.execute(
            f"SELECT revision, page FROM profile_revisions WHERE {_OF} "
            "ORDER BY revision DESC LIMIT 1",
            key,
        ).fetchone()
        if newest is None or bytes(newest[1]) != data:
            name = self._new_revision(None if newest is None else newest[0])
            connection.execute(_PUT_REVISION, (*key, name, data))


def _checked(workspace: str, entity_type: str, entity_id: str) -> ProfileKey:
    """Ids that could not be file names are refused as a folder refuses them: a memory can always
    be copied to one."""
    if entity_type not in ENTITY_TYPES:
        raise InputError(f"entity_type is {entity_type!r:.40}; it must be 'user' or 'group'")
    file_name(workspace, "workspace")
    file_name(entity_id)
    return ProfileKey(str(workspace), entity_type, str(entity_id))
