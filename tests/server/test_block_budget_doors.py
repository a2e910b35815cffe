"""The block's budget holds at every door: Python, REST, tools (as MCP calls them), CLI, proxy."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from support.learned_story import STORIES, tell
from support.running_app import RunningApp
from support.scripted_upstream import ScriptedUpstream
from taishi import Memory, Scope, tools
from taishi.api_keys import Keys
from taishi.cli import taishi as command
from taishi.language.token_bound import token_bound
from taishi.server.app import create_app

BUDGET = 300
ANN = Scope(user="ann")
STORY = STORIES["zh"]
QUESTION, ANSWER = STORY.questions["event"]


@pytest.fixture
def told(open_memory: Callable[..., Memory]) -> Memory:
    changes = {"query.max_context_tokens": BUDGET, "query.recall_timeout": 5.0}
    memory = open_memory(changes, embedder=None)
    tell(memory, STORY, 125)
    return memory


def by_python(memory: Memory, folder: Path) -> str:
    return memory.context(ANN, QUESTION)


def by_rest(memory: Memory, folder: Path) -> str:
    with RunningApp(create_app(memory, keys=Keys(folder))) as server:
        asked = {"scope": {"user": "ann"}, "query": QUESTION}
        answer = httpx.post(f"{server.url}/v1/context", json=asked).json()
        small = httpx.post(f"{server.url}/v1/context", json=asked | {"max_tokens": 9}).json()
    assert (small["block"], small["reason"]) == ("", "budget")
    assert "max_tokens" in small["note"]
    assert answer["reason"] is None
    return str(answer["block"])


def by_tool(memory: Memory, folder: Path) -> str:
    return tools.dispatch(memory, "context", {"query": QUESTION}, ANN, names=("context",))


def by_command(memory: Memory, folder: Path) -> str:
    memory.close()
    base = ["context", QUESTION, "--user", "ann", "--deadline", "5"]
    environment = {
        "TAISHI_DATA": str(folder), "TAISHI__QUERY__MAX_CONTEXT_TOKENS": str(BUDGET),
        "TAISHI__MODELS__EMBEDDING__KIND": "none",
    }  # fmt: skip
    small = CliRunner().invoke(command, [*base, "--max-tokens", "9"], env=environment)
    assert "max_tokens" in small.stderr and small.stdout.strip() == ""
    found = CliRunner().invoke(command, base, env=environment)
    assert found.exit_code == 0, found.output
    return found.stdout.strip()


@pytest.mark.parametrize("door", [by_python, by_rest, by_tool, by_command])
def test_Q1_no_door_exceeds_the_budget(
    told: Memory, door: Callable[..., str], tmp_path: Path
) -> None:
    block = door(told, tmp_path / "data")
    assert ANSWER in block
    assert token_bound(block) <= BUDGET


def test_Q1_nor_does_the_proxy(open_memory: Callable[..., Memory], tmp_path: Path) -> None:
    with contextlib.ExitStack() as stack:
        upstream = stack.enter_context(ScriptedUpstream())
        changes: dict[str, Any] = {"query.max_context_tokens": BUDGET, "query.recall_timeout": 5.0,
                                   "proxy.upstream_url": upstream.url}  # fmt: skip
        memory = open_memory(changes, embedder=None)
        tell(memory, STORY, 125)
        server = stack.enter_context(RunningApp(create_app(memory, keys=Keys(tmp_path / "data"))))
        body = {"model": "m", "user": "ann", "messages": [{"role": "user", "content": QUESTION}]}
        httpx.post(f"{server.url}/openai/v1/chat/completions", json=body, timeout=20)
        content = str(upstream.chats[-1].body["messages"][-1]["content"])
    block = content.removesuffix(f"\n\n{QUESTION}")
    assert ANSWER in block and block != content
    assert token_bound(block) <= BUDGET
