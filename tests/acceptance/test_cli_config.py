"""`taishi config` and `taishi migrate`, as a person types them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from fastapi.testclient import TestClient

from taishi import Memory
from taishi.api_keys import Keys
from taishi.server.app import create_app
from taishi.settings import example_toml, load

ROOT = Path(__file__).resolve().parents[2]
SECRET = "sk-do-not-print-me-0123456789"
Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [n for n in os.environ if n.startswith("LC_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    monkeypatch.setenv("TAISHI_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")


def refused(result: Result, *words: str) -> None:
    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    for word in words:
        assert word in result.stderr


# -- config -----------------------------------------------------------------------------------


def test_C1_the_committed_example_is_current(run: Run) -> None:
    example = run("config", "example").stdout
    assert example == example_toml() == (ROOT / "taishi.example.toml").read_text("utf-8")


def test_C1_show_says_where_each_value_comes_from(
    run: Run, ask: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"[query]\nrecall_top_k = 7\nauto_top_k = 4\n[models.chat]\napi_key = '{SECRET}'\n"
    Path("taishi.toml").write_text(text, "utf-8")
    monkeypatch.setenv("TAISHI__QUERY__AUTO_TOP_K", "2")
    shown = ask("config", "show")
    assert (shown["query"]["recall_top_k"], shown["query"]["auto_top_k"]) == (7, 2)
    assert shown["models"]["chat"]["api_key"] == "***"
    assert shown["from"]["query.recall_top_k"] == str(Path("taishi.toml").absolute())
    assert shown["from"]["query.auto_top_k"] == "environment variable TAISHI__QUERY__AUTO_TOP_K"
    assert "query.profile_top_k" not in shown["from"]
    lines = run("config", "show").stdout.splitlines()
    assert [line.split()[-1] for line in lines if line.startswith("query.profile_top_k")] == [
        "default"
    ]
    assert any("query.auto_top_k" in line and "TAISHI__QUERY__AUTO_TOP_K" in line for line in lines)
    assert SECRET not in run("config", "show").output
    assert run("config", "show", "query.auto_top_k").stdout.count("query.") == 1
    assert "models." not in run("config", "show", "query").stdout
    assert ask("config", "show", "query.auto_top_k") == {
        "query": {"auto_top_k": 2},
        "from": {"query.auto_top_k": "environment variable TAISHI__QUERY__AUTO_TOP_K"},
    }
    for unknown in ("query.auto_topk", "query.auto_top_k.more", "query."):
        refused(run("config", "show", unknown), "did you mean 'query")
    assert "来源" in run("--lang", "zh", "config", "show").stdout


def test_C1_check_takes_a_file(run: Run, ask: Callable[..., Any], tmp_path: Path) -> None:
    good, bad = tmp_path / "good.toml", tmp_path / "bad.toml"
    good.write_text("[query]\nrecall_top_k = 7\n", "utf-8")
    bad.write_text("[query]\nrecall_topk = 7\n", "utf-8")
    assert ask("config", "check", good)["ok"] is True
    refused(run("config", "check", bad), "bad.toml", "query.recall_top_k")
    refused(run("config", "check", tmp_path / "none.toml"), "none.toml")


def test_C2_set_and_unset(run: Run, ask: Callable[..., Any]) -> None:
    file = Path("taishi.toml")
    done = run("config", "set", "query.recall_top_k", "7")
    assert done.exit_code == 0
    assert "query.recall_top_k is set in" in done.stdout
    assert "within seconds" in done.stdout
    assert load(environ={}).query.recall_top_k == 7
    assert "already has this value" in run("config", "set", "query.recall_top_k", "7").stdout
    assert "after a restart" in run("config", "set", "historian.workers", "2").stdout
    said = ask("config", "set", "memory.data", "数据 目录")
    assert said == {"key": "memory.data", "file": str(file.absolute()), "live": False,
                    "changed": True, "overridden": "environment variable TAISHI_DATA"}  # fmt: skip
    assert load(environ={}).memory.data == "数据 目录"
    assert "TAISHI_DATA" in run("config", "set", "memory.data", "x").stderr
    assert "default applies" in run("config", "unset", "query.recall_top_k").stdout
    assert load(environ={}).query.recall_top_k == 5
    assert "已写入" in run("--lang", "zh", "config", "set", "query.recall_top_k", "8").stdout


def test_C2_set_says_that_switching_on_needs_a_restart(run: Run, ask: Callable[..., Any]) -> None:
    assert "within seconds" in run("config", "set", "memory.enabled", "false").stdout
    said = run("config", "set", "memory.enabled", "true").stdout
    assert "restart" in said and "within seconds" not in said
    assert ask("config", "set", "memory.enabled", "false")["live"] is True
    assert ask("config", "set", "memory.enabled", "true")["live"] is False
    run("config", "set", "memory.enabled", "false")
    assert "重启" in run("--lang", "zh", "config", "set", "memory.enabled", "true").stdout
    run("config", "set", "memory.enabled", "false")
    assert "restart" in run("config", "unset", "memory.enabled").stdout, "the default is on"


def test_C2_a_server_that_waits_for_a_restart_says_so(tmp_path: Path) -> None:
    file = tmp_path / "server.toml"
    file.write_text('[memory]\nenabled = false\n[models.embedding]\nkind = "none"\n', "utf-8")
    folder = tmp_path / "off"
    with Memory.open(folder, load(file, {})) as memory:
        with TestClient(create_app(memory, keys=Keys(folder))) as client:
            assert client.get("/health/ready").json() == {"status": "ready"}
            assert memory.status()["off_reason"] == "memory.enabled = false"
        file.write_text(file.read_text("utf-8").replace("false", "true"), "utf-8")
        with TestClient(create_app(memory, keys=Keys(folder))) as client:
            answer = client.get("/health/ready")
        assert (answer.status_code, answer.json()["status"]) == (200, "degraded")
        assert "restart" in answer.json()["reasons"]["memory"]
        assert "restart" in memory.status()["off_reason"]
        assert not memory.status()["enabled"]


def test_C2_set_makes_the_file_that_is_named(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "new.toml"
    assert run("--config", file, "config", "set", "memory.enabled", "false").exit_code == 0
    assert load(file, {}).memory.enabled is False


def test_C2_a_secret_is_read_from_stdin_and_never_shown(run: Run) -> None:
    done = run("config", "set", "models.chat.api_key", "-", input=f"{SECRET}\n")
    assert done.exit_code == 0
    assert SECRET not in done.output
    assert load(environ={}).models.chat.api_key == SECRET


def test_C2_set_refuses_what_would_be_wrong(run: Run) -> None:
    Path("taishi.toml").write_text("# mine\n", "utf-8")
    refused(run("config", "set", "query.recall_topk", "7"), "query.recall_top_k")
    refused(run("config", "set", "query.recall_top_k", "many"), "whole number")
    refused(run("config", "unset", "query.nothing"), "no setting")
    assert Path("taishi.toml").read_text("utf-8") == "# mine\n"


# -- migrate ----------------------------------------------------------------------------------


@pytest.fixture
def old(tmp_path: Path) -> Path:
    file = tmp_path / "end_summaries.json"
    entries = [
        {"summary": "安昨天搬到了奥斯陆", "timestamp": "2026-02-20T14:30:00+08:00", "user_id": 7},
        "a text alone",
        {"nothing": "here"},
    ]
    file.write_text(json.dumps(entries, ensure_ascii=False), encoding="utf-8")
    return file


def test_C3_migrate_dry_then_real_then_again(run: Run, ask: Callable[..., Any], old: Path) -> None:
    dry = run("migrate", "end-summaries", old, "--dry-run", "--user", "ann")
    assert dry.exit_code == 1  # one entry is broken
    assert "3 entries: 2 would be imported, 0 already there, 1 broken" in dry.stdout
    assert "entry 3: " in dry.stderr
    assert ask("status")["records"].get("event", 0) == 0
    done = ask("migrate", "end-summaries", old, "--user", "ann", code=1)
    assert (done["added"], done["already"], done["without_time"]) == (2, 0, 1)
    assert done["broken"] == [{"entry": 3, "reason": done["broken"][0]["reason"]}]
    again = run("--lang", "zh", "migrate", "end-summaries", old, "--user", "ann")
    assert "共 3 条：迁入 0 条，已存在 2 条，损坏 1 条" in again.stdout
    hit = ask("recall", "奥斯陆", "--user", "7")["hits"][0]
    assert "2月19日" in hit["text"]
    assert hit["time"].startswith("2026-02-20T")


def test_C3_migrate_says_whose_entries_lack_an_owner(run: Run, old: Path) -> None:
    done = run("migrate", "end-summaries", old)
    assert "entry 2: it does not say whose it is" in done.stderr


def test_C3_migrate_refuses_while_memory_is_off(
    run: Run, old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAISHI__MEMORY__ENABLED", "false")
    done = run("migrate", "end-summaries", old, "--user", "ann")
    assert done.exit_code == 1
    assert "turn it on" in done.stderr


def test_C3_migrate_names_a_file_it_cannot_read(run: Run, tmp_path: Path) -> None:
    refused(run("migrate", "end-summaries", tmp_path / "none.json"), "none.json")
    bad = tmp_path / "bad.json"
    bad.write_text("nonsense", encoding="utf-8")
    refused(run("migrate", "end-summaries", bad), "bad.json", "not JSON")
