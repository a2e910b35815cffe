"""`taishi doctor` and the errors of a connection on PostgreSQL: the cause, and what to do."""

from __future__ import annotations

import json
import re
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

PAGES = Path(__file__).parents[2] / "docs" / "how-to"


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


@pytest.fixture
def other_role(postgres_engine: PostgresEngine) -> Iterator[str]:
    role = "somebody_else"
    postgres_engine.run(f"CREATE ROLE {role}")
    yield role
    postgres_engine.run(f"DROP ROLE {role}")


def test_a_database_of_another_role_is_named_before_anything_is_made(
    postgres_engine: PostgresEngine, doctor: Callable[..., dict[str, Any]], other_role: str
) -> None:
    with postgres_engine.database("template1") as address:
        name = address.rpartition("/")[2]
        postgres_engine.run("CREATE EXTENSION IF NOT EXISTS vector", name)
        assert doctor(address)["connection"]["level"] == "ok"
        postgres_engine.run(f"ALTER DATABASE {name} OWNER TO {other_role}")
        found = doctor(address)["connection"]
        assert found["level"] == "problem" and not found["advice"], "the message says it"
        assert f"belongs to {other_role}" in found["message"]
        told = CliRunner().invoke(taishi, ["--data", address, "remember", "tea", "--user", "ann"])
        assert told.exit_code == 1 and found["message"] in told.stderr
        assert "数据库属于" in doctor(address, "--lang", "zh")["connection"]["message"]
        line = found["message"].rpartition("run: ")[2]
        assert line == f"ALTER DATABASE {name} OWNER TO taishi"
        postgres_engine.run(line)
        assert doctor(address)["connection"]["level"] == "ok"
        # Rights that were granted will do.
        postgres_engine.run(f"ALTER DATABASE {name} OWNER TO {other_role}")
        postgres_engine.run("GRANT CREATE ON SCHEMA public TO taishi", name)
        assert doctor(address)["connection"]["level"] == "ok"
        postgres_engine.run(line)


@pytest.mark.parametrize("page", ["postgres.md", "postgres.zh-CN.md"])
def test_tables_of_another_role_are_named_and_the_page_gives_them_back(
    postgres_engine: PostgresEngine, doctor: Callable[..., dict[str, Any]], page: str
) -> None:
    (lines,) = re.findall(
        r"```sql\n(DO .*?)```", (PAGES / page).read_text(encoding="utf-8"), re.DOTALL
    )
    with postgres_engine.database("template1") as address:
        name = address.rpartition("/")[2]
        postgres_engine.run("CREATE EXTENSION IF NOT EXISTS vector", name)
        remember = ["remember", "tea", "--user", "ann"]
        CliRunner().invoke(taishi, ["--data", postgres_engine.admin(name), *remember])
        found = doctor(address)["connection"]
        assert found["level"] == "problem"
        assert "belong to the role postgres, and the role taishi may not" in found["message"]
        told = CliRunner().invoke(taishi, ["--data", address, *remember])
        assert told.exit_code == 1 and found["message"] in told.stderr
        postgres_engine.run(lines, name)
        rows = doctor(address)
        assert (rows["connection"]["level"], rows["database"]["level"]) == ("ok", "ok")
        again = CliRunner().invoke(taishi, ["--data", address, *remember])
        assert again.exit_code == 0, again.output
        owned = "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"
        owned += " AND pg_get_userbyid(relowner) <> 'taishi' AND relkind IN ('r', 'S', 'i')"
        assert postgres_engine.run(owned, name) == [(0,)]


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
