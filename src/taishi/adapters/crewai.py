"""CrewAI: the tools of `taishi.tools` as tools of a crew's agents.

    agent = Agent(role="cook", goal="…", tools=memory_tools(memory, Scope(user="ann")), …)

The scope is yours, never the model's: no argument of any tool can widen it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any, Literal

from ..async_memory import AsyncMemory
from ..errors import InputError, MissingExtraError
from ..memory import Memory
from ..tools import AGENT_TOOLS, CATALOGUE, Tool, description
from ..tools.tool_types import Argument
from ..types import Scope
from .quiet_calls import sync_memory
from .speakers import checked_scope
from .tool_calls import TYPES, call_tool, checked_names

try:
    from crewai.tools import BaseTool
    from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, create_model
except ImportError as error:
    raise MissingExtraError("taishi.adapters.crewai", "crewai") from error


class TaishiTool(BaseTool):
    """One tool, bound to a memory and a scope."""

    _memory: Memory = PrivateAttr()
    _scope: Scope = PrivateAttr()
    _language: str = PrivateAttr()

    def __init__(self, memory: Memory, scope: Scope, tool: Tool, language: str) -> None:
        super().__init__(
            name=tool.name,
            description=description(tool, language),
            args_schema=_arguments(tool, language),
            cache_function=_never,
        )
        self._memory, self._scope, self._language = memory, scope, language

    def _run(self, **arguments: Any) -> str:
        given = {name: value for name, value in arguments.items() if value is not None}
        return call_tool(self._memory, self._scope, self.name, given, self._language).text

    async def _arun(self, **arguments: Any) -> str:
        return await asyncio.to_thread(self._run, **arguments)


def memory_tools(
    memory: Memory | AsyncMemory,
    scope: Scope,
    names: Iterable[str] = AGENT_TOOLS,
    *,
    language: Literal["en", "zh"] = "en",
) -> list[TaishiTool]:
    """Tools for the agents of a crew; `language` is that of their descriptions."""
    if language not in ("en", "zh"):
        raise InputError(f"unknown language {language!r:.40}; use en or zh")
    chosen, owner = sync_memory(memory), checked_scope(scope)
    return [TaishiTool(chosen, owner, CATALOGUE[name], language) for name in checked_names(names)]


def _never(arguments: object = None, result: object = None) -> bool:
    """A crew caches results by tool and arguments, for all its agents: one user's memory would
    answer another's question."""
    return False


def _arguments(tool: Tool, language: str) -> type[BaseModel]:
    fields: dict[str, Any] = {one.name: _field(one, language) for one in tool.arguments}
    made: type[BaseModel] = create_model(
        f"{tool.name}_arguments", __config__=ConfigDict(extra="forbid"), **fields
    )
    return made


def _field(argument: Argument, language: str) -> tuple[Any, Any]:
    form = Literal[argument.choices] if argument.choices else TYPES[argument.form]
    about = argument.description[language == "zh"]
    if argument.required:
        return form, Field(description=about)
    return form | None, Field(default=None, description=about)
