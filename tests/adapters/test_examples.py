"""The examples run as a reader runs them: a process of their own, offline, a scripted model."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from support.running_app import RunningApp
from support.scripted_upstream import ScriptedUpstream
from taishi import Memory
from taishi.api_keys import Keys
from taishi.server.app import create_app

ROOT = Path(__file__).resolve().parents[2]
Run = Callable[..., list[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    def start(name: str, address: str = "", **environment: str) -> list[str]:
        """What the example prints, line by line."""
        given = {**os.environ, **environment, "PYTHONPATH": str(ROOT / "src")}
        given |= {"TAISHI__MODELS__EMBEDDING__KIND": "none", "TAISHI__QUERY__RECALL_TIMEOUT": "10"}
        command = [sys.executable, str(ROOT / "examples" / name), address or str(tmp_path / "data")]
        done = subprocess.run(command, env=given, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return start


def model_of(upstream: ScriptedUpstream) -> dict[str, str]:
    return {"OPENAI_BASE_URL": upstream.url, "OPENAI_API_KEY": "k", "OPENAI_MODEL": "scripted"}


def test_openai_agents_session(run: Run) -> None:
    with ScriptedUpstream() as upstream:
        lines = run("openai_agents_session.py", **model_of(upstream))
    assert lines == [
        "monday: I moved to Cork in May. -> Noted. (2 items kept)",
        "monday: My cat is called Miso. -> Noted. (4 items kept)",
        "friday: Where did I move to? -> Noted. (2 items kept)",
    ]
    assert "Cork" in upstream.chats[-1].said and len(upstream.chats) == 3


def test_langchain_agent(run: Run) -> None:
    with ScriptedUpstream() as upstream:
        lines = run("langchain_agent.py", **model_of(upstream))
    assert lines[:3] == [
        "ann: I moved to Cork in May. -> Noted.",
        "ann: Where did I move to? -> Noted.",
        "bob: Where did Ann move to? -> Noted.",
    ]
    assert lines[3].startswith("retrieved:") and "Cork" in lines[3]
    assert ["Cork" in chat.said for chat in upstream.chats] == [True, True, False]


def test_llama_index_memory(run: Run) -> None:
    (line,) = run("llama_index_memory.py")
    assert "ann" in line and "Cork" in line


def test_langgraph_store(run: Run) -> None:
    assert run("langgraph_store.py") == [
        "ann: I moved to Cork in May. -> []",
        "ann: My cat is called Miso. -> ['I moved to Cork in May.']",
        "ann: Where did I move to? -> ['I moved to Cork in May.']",
        "bob: Where did Ann move to? -> []",
        "[('users', 'ann', 'notes'), ('users', 'bob', 'notes')]",
    ]


@pytest.mark.parametrize(
    ("name", "package", "told"),
    [
        ("agent_framework_memory.py", "agent_framework", "You are allergic to nuts."),
        ("google_adk_memory.py", "google.adk", "You are allergic to nuts."),
        ("langchain_agent.py", "langchain", "retrieved:"),
        ("llama_index_memory.py", "llama_index.core", "Cork"),
        ("openai_agents_session.py", "agents", "friday: Where did I move to? -> Noted."),
        ("pydantic_ai_memory.py", "pydantic_ai_harness", "Cork"),
        ("strands_memory.py", "strands", "You are allergic to nuts."),
    ],
)
def test_with_an_ordinary_key_of_a_server(
    run: Run, open_memory: Callable[..., Memory], name: str, package: str, told: str
) -> None:
    """Which may not look into the queue, so that `drain` is refused."""
    pytest.importorskip(package)
    engine = open_memory({"query.recall_timeout": 10.0}).start_worker()
    keys = Keys(engine.status()["folder"])
    workspace = "kitchen" if "google" in name else "default"
    _, secret = keys.create("bot", workspace)
    app = create_app(engine, keys=keys)
    with RunningApp(app, engine.settings.server) as server, ScriptedUpstream() as upstream:
        variables = {**model_of(upstream), "TAISHI_API_KEY": secret}
        lines = run(name, server.url, **variables)
    assert any(told in line for line in lines), lines
    if upstream.chats:
        assert any("Cork" in chat.said for chat in upstream.chats[1:]), "it was recalled"


def test_nanobot_memory(run: Run) -> None:
    assert run("nanobot_memory.py") == [
        "MEMORY.md: - I answer briefly.",
        "log: ['The boiler was mended.']",
        "Ann's chat knows of nuts: True",
        "Ben's chat knows of nuts: False",
    ]
