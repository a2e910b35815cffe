"""The password of an address is shown nowhere: not in errors, logs, status, settings or doctor."""

from __future__ import annotations

import asyncio
import logging
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from support.engines import free_port
from taishi import AsyncMemory, Memory, Settings
from taishi.assembly import postgres_parts
from taishi.backends.postgres.driver_errors import host_of
from taishi.cli import taishi
from taishi.errors import (
    InputError,
    MissingExtraError,
    SettingsError,
    StorageError,
    UnreachableError,
)
from taishi.settings import load, to_dict
from taishi.settings.addresses import (
    has_bare_password,
    is_postgres,
    passwords_of,
    scheme_of,
    without_any_password,
    without_password,
)

SECRET = "s3cr3t%2Fpw"


@pytest.mark.parametrize(
    "address, shown",
    [
        ("./data", "./data"),
        ("C:\\data", "C:\\data"),
        ("postgresql://ann@db/t", "postgresql://ann@db/t"),
        ("postgresql://ann:pw@db:5432/t", "postgresql://ann:***@db:5432/t"),
        ("postgres://:pw@db/t", "postgres://:***@db/t"),
        ("postgresql://ann:p@w:x@db/t", "postgresql://ann:***@db/t"),
        ("postgresql://ann:p/w@db/t", "postgresql://ann:***@db/t"),
        ("postgresql://ann:p?w#x@db/t", "postgresql://ann:***@db/t"),
        ("postgresql:///t?host=/run&password=pw&x=1", "postgresql:///t?host=/run&password=***&x=1"),
        ("postgresql://ann:pw@db/t?sslpassword=key", "postgresql://ann:***@db/t?sslpassword=***"),
        ("postgresql://a:pw@h1:1,h2:2/t", "postgresql://a:***@h1:1,h2:2/t"),
        ("redis://:pw@cache:6379/0", "redis://:***@cache:6379/0"),
    ],
)
def test_N_an_address_is_shown_without_its_password(address: str, shown: str) -> None:
    assert without_password(address) == shown
    assert without_password(shown) == shown


def test_N_a_text_that_quotes_an_address_is_shown_without_it() -> None:
    address = f"postgresql://ann:{SECRET}@db/t"
    assert passwords_of(address) == [SECRET, "s3cr3t/pw"]
    text = f"cannot reach {address}: password s3cr3t/pw was refused"
    shown = without_any_password(text, address)
    assert "s3cr3t" not in shown and "ann:***@db/t" in shown


def test_N_a_short_password_is_not_given_away_by_its_mask() -> None:
    address = "postgresql://ann:o@db/t"
    shown = without_any_password(f"PostgreSQL at db does not answer: {address}, ann:o@db", address)
    assert shown == "PostgreSQL at db does not answer: postgresql://ann:***@db/t, ann:***@db"


@pytest.mark.parametrize(
    ("address", "is_bare"),
    [
        ("postgresql://ann:p/w@db/t", True),
        ("postgresql://ann:p@w@db/t", True),
        ("postgresql://ann:100%@db/t", True),
        ("postgresql://ann:p%2Fw@db/t", False),
        ("postgresql://ann:p#w@db/t", False),  # libpq reads it
        ("postgresql://ann@db:5432/t", False),
        ("postgresql://db:5432/t?options=a@b", False),
        ("./data", False),
    ],
)
def test_C1_a_password_that_has_to_be_encoded_is_noticed(address: str, is_bare: bool) -> None:
    assert has_bare_password(address) == is_bare


@pytest.mark.parametrize("password", ["hunter/two", "hunter@two", "hunter%two", "a/b"])
def test_C1_a_password_that_was_not_encoded_is_the_cause(
    password: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def connect(address: str, wait_seconds: float = 0.0) -> None:
        raise UnreachableError(f"{host_of(address)} does not answer (failed to resolve host)")

    monkeypatch.setattr("taishi.backends.postgres.database.Database", connect)
    monkeypatch.setattr("taishi.backends.postgres.visit.visit", connect)
    for act in (postgres_parts.probe, postgres_parts.key_document):
        with pytest.raises(StorageError, match="percent-encode it") as failure:
            act(f"postgresql://ann:{password}@127.0.0.1:9/t")
        assert "hunter" not in str(failure.value)
        assert "ann:***@127.0.0.1:9/t" in str(failure.value)


def test_C1_the_scheme_chooses_the_backend() -> None:
    assert scheme_of("PostgreSQL://x") == "postgresql" and is_postgres("POSTGRES://x")
    assert not is_postgres("./postgres") and not is_postgres(Path("postgresql:/x"))
    with pytest.raises(InputError, match="mysql:// addresses are not supported"):
        Memory.open("mysql://db/t")


def test_C1_without_the_extra_the_pip_line_is_named(
    monkeypatch: pytest.MonkeyPatch, make_settings: Callable[..., Settings], tmp_path: Path
) -> None:
    monkeypatch.setattr(postgres_parts, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"install .*\[postgres\]"):
        Memory.open("postgresql://db/t", make_settings({"storage.folder": str(tmp_path)}))


def test_N_no_error_log_status_or_command_shows_the_password(
    tmp_path: Path, make_settings: Callable[..., Settings], caplog: pytest.LogCaptureFixture
) -> None:
    address = f"postgresql://ann:{SECRET}@127.0.0.1:{free_port()}/t?connect_timeout=2"
    settings = make_settings({"memory.data": address, "storage.folder": str(tmp_path / "local")})
    said = [str(to_dict(settings))]
    caplog.set_level(logging.DEBUG)
    with pytest.raises(StorageError, match="does not answer") as failure:
        Memory.open(settings=settings)
    error: BaseException | None = failure.value
    while error is not None:
        said.append(repr(error))
        error = error.__cause__ or error.__context__
    with Memory.open(settings=settings, on_error="off") as off:
        said.append(str(off.status()))
    for command in ("status", "doctor", "keys list", "config show", "config check", "jobs list"):
        result = CliRunner().invoke(taishi, ["--data", address, *command.split()])
        said += [result.output, repr(result.exception)]
    said.append(caplog.text)
    assert not [text for text in said if "s3cr3t" in text]
    assert "ann:***@127.0.0.1" in "".join(said)


def test_C1_the_local_folder_does_not_change_with_the_password(
    monkeypatch: pytest.MonkeyPatch, make_settings: Callable[..., Settings], tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    found = {
        postgres_parts.local_folder(f"postgresql://ann:{pw}@db/t", make_settings())
        for pw in ("one", "two")
    }
    other = postgres_parts.local_folder("postgresql://ann:one@db/other", make_settings())
    assert len(found) == 1 and other not in found
    assert all(path.is_relative_to(tmp_path / "taishi") for path in found)
    named = make_settings({"storage.folder": str(tmp_path / "mine")})
    assert postgres_parts.local_folder("postgresql://db/t", named) == tmp_path / "mine"


HOSTS = [
    "127.0.0.1:8321",
    "localhost:8321",
    " localhost:8321 ",
    "[::1]:8321",
    "memory.example.com:8443/taishi",
]


@pytest.mark.parametrize("address", HOSTS)
def test_an_address_without_its_scheme_makes_no_folder(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    meant = f"did you mean http://{address.strip()}"
    with pytest.raises(InputError, match=re.escape(meant)):
        Memory.open(address, load(environ={}))
    with pytest.raises(InputError, match=re.escape(meant)):
        asyncio.run(AsyncMemory.open(address, load(environ={})))
    with pytest.raises(SettingsError, match=re.escape(meant)):
        load(environ={}, overrides={"memory.data": address})
    for command in (["status"], ["remember", "tea", "--user", "ann"], ["keys", "create", "bot"]):
        told = CliRunner().invoke(taishi, ["--data", address, *command])
        assert told.exit_code and meant in told.output
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "POSTGRESQL"])
def test_an_address_of_a_database_with_one_slash_makes_no_folder(
    scheme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    address = f"{scheme}:/taishi:topsecret@db/memory"
    with pytest.raises(InputError, match="one slash"):
        Memory.open(address, load(environ={}))
    with pytest.raises(InputError, match="one slash"):
        Memory.open(Path(f"{scheme}://taishi@db/memory"), load(environ={}))
    for command in (["status"], ["serve"], ["keys", "create", "bot"]):
        told = CliRunner().invoke(taishi, ["--data", address, *command])
        assert told.exit_code and "write two" in told.output and "topsecret" not in told.output
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "address", ["./localhost:8321", Path("localhost:8321"), "data", "a:1", "bot:x", "bot:1234567"]
)
def test_a_folder_of_such_a_name_can_still_be_opened(
    address: str | Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Memory.open(address, load(environ={})).close()
    assert (tmp_path / address / "taishi.db").exists()


class Somewhere(os.PathLike[str]):
    def __init__(self, path: str) -> None:
        self.path = path

    def __fspath__(self) -> str:
        return self.path


def test_whatever_has_a_path_is_one(tmp_path: Path) -> None:
    address: Any = Somewhere(str(tmp_path / "data"))
    Memory.open(address, load(environ={})).close()
    assert (tmp_path / "data" / "taishi.db").exists()


@pytest.mark.parametrize("address", [5, True, b"data", {"llm": {}}, ["data"], load(environ={})])
@pytest.mark.parametrize("on_error", ["raise", "off"])
def test_what_is_no_path_makes_no_folder(
    address: Any, on_error: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="a text or a path, not"):
        Memory.open(address, load(environ={}), on_error=on_error)
    assert not list(tmp_path.iterdir())
