"""Memory as tools for an agent: JSON schemas for a model, and one function for its calls (T1).

    from taishi import Memory, Scope, tools

    schemas = tools.tool_schemas("openai")
    text = tools.dispatch(memory, "search_events", '{"query": "trip"}', Scope(user="ann"))

The scope is the host's, never the model's: no argument of any tool can widen it.
"""

from __future__ import annotations

from .definitions import AGENT_TOOLS, ALL_TOOLS, CATALOGUE, Tool
from .dispatch import call, dispatch
from .output_schemas import output, output_schema
from .schemas import description, parameters, tool_schemas
from .tool_call import Answer

__all__ = [
    "AGENT_TOOLS",
    "ALL_TOOLS",
    "CATALOGUE",
    "Answer",
    "Tool",
    "call",
    "description",
    "dispatch",
    "output",
    "output_schema",
    "parameters",
    "tool_schemas",
]
