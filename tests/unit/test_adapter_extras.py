"""An adapter whose framework is not installed says which line installs it."""

from __future__ import annotations

import sys
from importlib import import_module

import pytest

from taishi import MissingExtraError

ADAPTERS = [
    ("google_adk", "google.adk", "google-adk"),
    ("agent_framework", "agent_framework", "agent-framework"),
    ("strands", "strands.memory", "strands"),
    ("crewai", "crewai.tools", "crewai"),
    ("autogen", "autogen_core", "autogen"),
    ("langchain", "langchain_core", "langchain"),
    ("langgraph", "langgraph", "langgraph"),
    ("llama_index", "llama_index", "llama-index"),
    ("openai_agents", "agents", "openai-agents"),
]


@pytest.mark.parametrize(("module", "package", "extra"), ADAPTERS)
def test_the_error_carries_the_pip_line(
    module: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in list(sys.modules):
        if name.startswith((f"{package}.", "taishi.adapters.")):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=rf"install .*\[{extra}\]"):
        import_module(f"taishi.adapters.{module}")


def test_an_app_without_its_extra_carries_the_pip_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(sys.modules):
        if name == "taishi.server.app" or name.startswith("fastapi."):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "fastapi", None)
    with pytest.raises(MissingExtraError, match=r"install .*\[server\]"):
        import_module("taishi.server.app")
