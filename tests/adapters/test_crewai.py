"""`taishi.adapters.crewai` with real crews. CrewAI is heavy and pins many versions, so it is not in
the environment of the other adapters: `make test-frameworks` gives it one of its own."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("crewai", reason="CrewAI is not installed: pip install '.[crewai]'")

from crewai import Agent, BaseLLM, Crew, Task
from pydantic import Field, ValidationError

from support.adapter_pages import run_example, run_page
from support.off_the_loop import ThreadNotes
from taishi import AsyncMemory, InputError, Memory, Scope
from taishi.adapters.crewai import memory_tools
from taishi.tools import AGENT_TOOLS, ALL_TOOLS

pytestmark = [pytest.mark.thorough, pytest.mark.filterwarnings("ignore::DeprecationWarning")]
Open = Callable[..., Memory]
ANN, BEN = Scope(user="ann"), Scope(user="ben")
CALL = "Thought: I need my memory.\nAction: {}\nAction Input: {}\n"
DONE = "Thought: I now know the final answer\nFinal Answer: Done."


@pytest.fixture(autouse=True)
def quiet_crew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CREWAI_DISABLE_TELEMETRY", "true")
    monkeypatch.setenv("CREWAI_TRACING_ENABLED", "false")  # else each agent waits 5 s at its end
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    monkeypatch.setenv("CREWAI_STORAGE_DIR", str(tmp_path / "crew"))


class ScriptedLLM(BaseLLM):
    """Calls tools in a fixed order, and notes what it was asked."""

    steps: list[tuple[str, str]] = Field(default_factory=list)
    seen: list[str] = Field(default_factory=list)

    def call(self, messages: Any, *_: Any, **__: Any) -> str:
        self.seen.append(str(messages))
        return CALL.format(*self.steps.pop(0)) if self.steps else DONE

    def supports_function_calling(self) -> bool:
        return False

    @property
    def result(self) -> str:
        """What the last tool answered."""
        return self.seen[-1].rpartition("Observation:")[2]


def cook(memory: Memory, scope: Scope, *steps: tuple[str, str]) -> Agent:
    return Agent(
        role="cook",
        goal="cook",
        backstory="cooks",
        tools=memory_tools(memory, scope, ["remember", "recall"]),
        llm=ScriptedLLM(model="scripted", steps=list(steps)),
    )


def work(*agents: Agent) -> list[str]:
    """What each agent's last tool answered, in one crew."""
    tasks = [Task(description="Cook.", expected_output="food", agent=one) for one in agents]
    assert "Done." in str(Crew(agents=list(agents), tasks=tasks).kickoff())
    return [one.llm.result for one in agents]


LOOK = ("recall", '{"query": "allergic 过敏"}')


def test_a_crew_keeps_and_finds_in_both_languages(memory: Memory) -> None:
    keep = [
        ("remember", '{"text": "Ann is allergic to walnuts"}'),
        ("remember", '{"text": "安对花生过敏"}'),
    ]
    work(cook(memory, ANN, *keep))
    (found,) = work(cook(memory, ANN, LOOK))
    assert "walnuts" in found and "花生" in found
    assert all(fact.confidence < 1.0 for fact in memory.facts.list(ANN))  # a model's word


def test_two_agents_of_one_crew_for_two_users_and_two_apps_never_meet(memory: Memory) -> None:
    """With the same tool and the same arguments, which a crew would answer from its cache."""
    scopes = [Scope(user=user, workspace=app) for user in ("ann", "ben") for app in ("a", "b")]
    words = ("amber", "birch", "cobalt", "dahlia")
    for scope, word in zip(scopes, words, strict=True):
        memory.remember(scope, f"They are allergic to {word}")
    results = work(*(cook(memory, scope, LOOK) for scope in scopes))
    for word, result in zip(words, results, strict=True):
        assert word in result
        assert not [one for one in words if one != word and one in result]


def test_every_tool_has_our_name_description_and_arguments(memory: Memory) -> None:
    for language in ("en", "zh"):
        tools = memory_tools(memory, ANN, ALL_TOOLS, language=language)
        assert tuple(tool.name for tool in tools) == ALL_TOOLS
        for tool in tools:
            schema = tool.args_schema.model_json_schema()
            assert all(one["description"] for one in schema["properties"].values())
            has_chinese = any("\u4e00" <= char <= "\u9fff" for char in tool.description)
            assert has_chinese == (language == "zh"), tool.name
    assert tuple(tool.name for tool in memory_tools(memory, ANN)) == AGENT_TOOLS


def test_arguments_are_checked_before_a_call(memory: Memory) -> None:
    (recall,) = memory_tools(memory, ANN, "recall")
    for bad in ({}, {"query": "x", "scope": "ben"}, {"query": "x", "user": "ben"}):
        with pytest.raises((ValueError, ValidationError)):
            recall.run(**bad)
    memory.remember(BEN, "Ben has a boat")
    assert "boat" not in recall.run(query="boat")
    memory.remember(ANN, "Ann has a boat")
    assert "Ann has a boat" in recall.run(query="boat", top_k=None)
    assert "Ann has a boat" in recall.run(query="boat", filters={"kind": "fact"})
    assert "Ann has a boat" not in recall.run(query="boat", filters={"kind": "message"})


@pytest.mark.parametrize("state", ["off", "closed", "unavailable"])
def test_a_memory_that_is_off_or_down_does_not_break_the_crew(
    open_memory: Open, tmp_path: Path, state: str, caplog: pytest.LogCaptureFixture
) -> None:
    if state == "unavailable":
        (tmp_path / "file").write_text("no folder")
        memory = Memory.open(tmp_path / "file", on_error="off")
    else:
        memory = open_memory({"memory.enabled": state != "off"})
    if state == "closed":
        memory.close()
    with caplog.at_level(logging.WARNING, "taishi.adapters"):
        (result,) = work(cook(memory, ANN, LOOK))
    assert result.strip()
    said = [record.getMessage() for record in caplog.records if record.name == "taishi.adapters"]
    assert bool(said) == (state == "closed")


def test_the_event_loop_is_not_blocked(memory: Memory) -> None:
    notes = ThreadNotes(memory, "remember")
    (remember,) = memory_tools(AsyncMemory(memory), ANN, ["remember"])

    async def story() -> None:
        await remember.arun(text="Ann likes tea")
        assert notes.are_off_the_loop()

    asyncio.run(story())


def test_bad_arguments_of_the_host_are_errors_at_once(memory: Memory) -> None:
    with pytest.raises(InputError, match="no tool"):
        memory_tools(memory, ANN, ["fly"])
    with pytest.raises(InputError, match="Scope"):
        memory_tools(memory, "ann")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="language"):
        memory_tools(memory, ANN, language="fr")  # type: ignore[arg-type]


@pytest.mark.parametrize("page", ["crewai.md", "crewai.zh-CN.md"])
def test_the_code_on_the_page_runs(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")
    names = run_page(page, llm=ScriptedLLM(model="scripted"))
    assert "Done." in str(names["crew"].kickoff())
    names["memory"].close()


PRINTED = """\
ann: Note that Ann is allergic to nuts.
  cook: Noted.
ann: What is she allergic to?
  cook: She is allergic to nuts.
ben: What is she allergic to?
  cook: Noted.
"""


def test_the_example_runs_offline_and_prints_what_it_knows(tmp_path: Path) -> None:
    assert run_example("crewai_tools.py", tmp_path) == PRINTED
