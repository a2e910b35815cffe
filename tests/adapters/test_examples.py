"""The examples run as a reader runs them: a process of their own, offline, a scripted model."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from support.scripted_upstream import ScriptedUpstream

ROOT = Path(__file__).resolve().parents[2]
Run = Callable[..., list[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    def start(name: str, **environment: str) -> list[str]:
        """What the example prints, line by line."""
        given = {**os.environ, **environment, "PYTHONPATH": str(ROOT / "src")}
        given |= {"TAISHI__MODELS__EMBEDDING__KIND": "none", "TAISHI__QUERY__RECALL_TIMEOUT": "10"}
        command = [sys.executable, str(ROOT / "examples" / name), str(tmp_path / "data")]
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
