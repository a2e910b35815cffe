"""The `taishi` command with `--data http://…`: a server's memory from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from support.running_app import RunningApp
from taishi import Memory
from taishi.api_keys import Keys
from taishi.cli import taishi
from taishi.server.app import create_app

Run = Callable[..., Result]


@pytest.fixture
def run(open_memory: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    engine = open_memory({"query.recall_timeout": 5.0}).start_worker()
    keys = Keys(engine.status()["folder"])
    _, secret = keys.create("cli", rights="admin")
    monkeypatch.setenv("TAISHI_API_KEY", secret)
    with RunningApp(create_app(engine, keys=keys), engine.settings.server) as server:

        def call(*arguments: str, data: str = server.url) -> Result:
            return CliRunner().invoke(taishi, ["--data", data, "--lang", "en", *arguments])

        yield call


def test_what_a_person_does_every_day(run: Run, tmp_path: Path) -> None:
    assert run("remember", "Ann moved to Oslo", "--user", "ann").exit_code == 0
    turn = run("end-turn", "--user", "ann", "--new-info", "Ann likes cod", "--json")
    assert json.loads(turn.stdout)["job"]
    found = run("recall", "where did Ann move to?", "--user", "ann", "--json")
    assert "Ann moved to Oslo" in found.stdout
    assert "Ann moved to Oslo" in run("context", "where is Ann?", "--user", "ann").stdout
    assert "Ann moved to Oslo" in run("facts", "list", "--user", "ann").stdout
    assert json.loads(run("status", "--json").stdout)["enabled"] is True
    assert run("status").exit_code == 0
    assert run("forget", "--user", "ann", "--yes").exit_code == 0
    assert "Oslo" not in run("recall", "Oslo", "--user", "ann").stdout
    assert not (tmp_path / "http:").exists()


@pytest.mark.parametrize(
    "command",
    ["serve", "work", "ui", "doctor", "keys list", "copy ./a http://127.0.0.1:1", "backup b"],
)
def test_what_needs_the_data_itself_says_so(run: Run, command: str, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    done = run(*command.split())
    assert done.exit_code != 0
    assert "server" in done.output
    assert not (tmp_path / "http:").exists()


def test_a_key_in_the_address_is_refused(run: Run, tmp_path: Path) -> None:
    done = run("recall", "x", "--user", "ann", data="https://tsk_secret@example.org")
    assert (done.exit_code, "tsk_secret" in done.output) == (2, False)
    assert "TAISHI_API_KEY" in done.output
    assert list(tmp_path.glob("http*")) == []
