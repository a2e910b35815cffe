"""`taishi doctor` and the errors of a connection on PostgreSQL: the cause, and what to do."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner

from support.engine_postgres import PostgresEngine
from taishi.assembly import postgres_parts
from taishi.backends.postgres.driver_errors import refusal_of, translated
from taishi.cli import taishi
from taishi.errors import UnreachableError


@pytest.fixture
def postgres(postgres_engine: PostgresEngine) -> Iterator[str]:
    with postgres_engine.empty_database() as address:
        yield address


@pytest.fixture
def doctor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    monkeypatch.setenv("TAISHI__STORAGE__FOLDER", str(tmp_path / "local"))
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")

    def ask(address: str, *options: str) -> dict[str, Any]:
        told = CliRunner().invoke(taishi, ["--data", address, "doctor", "--json", *options])
        rows = json.loads(told.stdout)["findings"]
        assert len({row["check"] for row in rows}) == len(rows), "one row for each"
        return {row["check"]: row for row in rows}

    return ask


def test_a_superuser_is_a_warning_with_the_right_advice(
    postgres: str, postgres_engine: PostgresEngine, doctor: Callable[..., dict[str, Any]]
) -> None:
    rows = doctor(postgres_engine.admin(postgres.rpartition("/")[2]))
    assert rows["connection"]["level"] == "warning"
    assert "ordinary role" in rows["connection"]["advice"]
    assert rows["database"]["level"] == "ok"
    assert not any("backup" in row["advice"] for row in rows.values())
    chinese = doctor(postgres_engine.admin(postgres.rpartition("/")[2]), "--lang", "zh")
    assert "普通角色" in chinese["connection"]["advice"]


def test_O3_a_database_that_can_only_be_read_is_a_warning(
    postgres_engine: PostgresEngine, doctor: Callable[..., dict[str, Any]]
) -> None:
    with postgres_engine.database() as address:
        assert "writing" not in doctor(address)
        name = address.rpartition("/")[2]
        postgres_engine.run(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
        found = doctor(address)["writing"]
        assert found["level"] == "warning" and "can only be read: recall works" in found["message"]
        assert "default_transaction_read_only" in found["advice"]
        assert doctor(address)["database"]["level"] == "ok", "nothing is damaged"
        chinese = doctor(address, "--lang", "zh")["writing"]
        assert "只能读取" in chinese["message"] and "无需重启" in chinese["advice"]
        postgres_engine.run(f"ALTER DATABASE {name} RESET default_transaction_read_only")
        assert "writing" not in doctor(address)


def test_a_database_without_its_indexes_is_a_problem(
    postgres_engine: PostgresEngine, doctor: Callable[..., dict[str, Any]]
) -> None:
    with postgres_engine.database() as address:
        assert doctor(address)["database"]["level"] == "ok"
        postgres_engine.run("DROP INDEX records_by_user", address.rpartition("/")[2])
        found = doctor(address)["database"]
        assert found["level"] == "problem" and "records_by_user" in found["message"]
        assert not found["advice"], "the message says it"


def test_pgvector_that_is_missing_is_no_damage(
    postgres_engine: PostgresEngine, doctor: Callable[..., dict[str, Any]]
) -> None:
    with postgres_engine.database("template0") as address:
        rows = doctor(address)
    assert "CREATE EXTENSION vector" in rows["connection"]["message"]
    assert not rows["connection"]["advice"], "the message says it; no password is wrong"
    assert not any("backup" in row["advice"] for row in rows.values())


@pytest.mark.parametrize("command", ["status", "recall x --user ann", "jobs list", "keys list",
                                     "copy {address} {folder}/copy"])  # fmt: skip
def test_T2_reading_makes_no_memory_in_an_empty_database(
    postgres_engine: PostgresEngine,
    doctor: Callable[..., dict[str, Any]],
    tmp_path: Path,
    command: str,
) -> None:
    with postgres_engine.database("template1") as address:
        postgres_engine.run("CREATE EXTENSION IF NOT EXISTS vector", address.rpartition("/")[2])
        words = command.format(address=address, folder=tmp_path).split()
        for language, said in (("en", "there is no memory at"), ("zh", "处没有记忆")):
            done = CliRunner().invoke(taishi, ["--data", address, "--lang", language, *words])
            assert done.exit_code == (2 if words[0] == "copy" else 1), done.output
            assert said in done.output
        rows = doctor(address)
        assert rows["connection"]["level"] == "ok"
        assert "there is no memory here yet" in rows["database"]["message"]
        with psycopg.connect(address) as connection:
            tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
            row = connection.execute(tables).fetchone()
        assert row == (0,)
        assert not list(tmp_path.iterdir())
        told = CliRunner().invoke(taishi, ["--data", address, "remember", "tea", "--user", "ann"])
        assert told.exit_code == 0, told.output
        assert doctor(address)["database"]["level"] == "ok"


def test_a_missing_package_is_not_blamed_on_the_password(
    monkeypatch: pytest.MonkeyPatch, doctor: Callable[..., dict[str, Any]]
) -> None:
    monkeypatch.setattr(postgres_parts, "find_spec", lambda name: None)
    found = doctor("postgresql://127.0.0.1:9/t")["connection"]
    assert "[postgres]" in found["message"] and not found["advice"]


def test_a_superuser_is_logged_once(
    postgres: str,
    postgres_engine: PostgresEngine,
    doctor: Callable[..., dict[str, Any]],
    caplog: pytest.LogCaptureFixture,
) -> None:
    doctor(postgres_engine.admin(postgres.rpartition("/")[2]))
    assert caplog.text.count("the role is a superuser") == 1


def test_the_table_of_doctor_is_not_cut(
    postgres_engine: PostgresEngine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TAISHI__STORAGE__FOLDER", str(tmp_path / "local"))
    told = CliRunner().invoke(taishi, ["--data", postgres_engine.address("none_there"), "doctor"])
    assert "…" not in told.stdout.replace("OWNER …", "").replace("DATABASE …", "")
    assert "CREATE DATABASE" in told.stdout and "PGPASSWORD" in told.stdout


SERVER = 'connection failed: connection to server at "10.0.0.7", port 5432 failed: FATAL:  {}'


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ('password authentication failed for user "taishi"', "PGPASSWORD or ~/.pgpass"),
        ('SCRAM authentication failed for user "taishi"', "PGPASSWORD or ~/.pgpass"),
        ('database "memry" does not exist', "no such database"),
        ('role "tashi" does not exist', "no such role"),
        ('no pg_hba.conf entry for host "10.0.0.9", user "a", no encryption', "pg_hba.conf"),
        # What passes by itself is an outage.
        ("the database system is starting up", ""),
        ("the database system is shutting down", ""),
        ("sorry, too many clients already", ""),
        ("terminating connection due to administrator command", ""),
    ],
)
def test_why_a_server_refused_the_connection(said: str, expected: str) -> None:
    error = psycopg.OperationalError(SERVER.format(said))
    kind, told = refusal_of("PostgreSQL at h/db", error)
    assert bool(kind) == bool(told) == bool(expected) and expected in told
    with pytest.raises(UnreachableError) as raised, translated("PostgreSQL at h/db"):
        raise error
    assert ("does not answer" in str(raised.value)) == (not expected)


def test_a_password_that_was_not_given() -> None:
    error = psycopg.OperationalError(
        "connection failed: connection to server at x failed: fe_sendauth: no password supplied"
    )
    assert "PGPASSWORD" in refusal_of("PostgreSQL", error)[1]


def test_of_several_hosts_the_one_that_refused_is_named() -> None:
    lines = ["connection failed: connection refused", "Multiple connection attempts failed:"]
    lines.append("- host: 'b': " + SERVER.format('database "memry" does not exist'))
    _, told = refusal_of("PostgreSQL", psycopg.OperationalError("\n".join(lines)))
    assert '(database "memry" does not exist)' in told
