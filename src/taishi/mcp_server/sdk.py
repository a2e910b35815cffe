"""The `mcp` package, 1.x or 2.x: what differs between them is here and nowhere else.

Handlers take and give plain dicts, named as on the wire; here they become the package's own types.
Frameworks that pin `mcp<2` can so be installed beside us.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp import types
from mcp.server.lowlevel import Server
from mcp.shared import exceptions

Payload = dict[str, Any]
# What was asked over HTTP (None: over stdio), and the request's parameters.
Handler = Callable[[Any, Payload], Awaitable[Payload]]
# By method: the argument of a 2.x server, and the package's names of request and result.
_METHODS = {
    "tools/list": ("on_list_tools", "ListToolsRequest", "ListToolsResult"),
    "tools/call": ("on_call_tool", "CallToolRequest", "CallToolResult"),
    "resources/list": ("on_list_resources", "ListResourcesRequest", "ListResourcesResult"),
    "resources/templates/list": (
        "on_list_resource_templates",
        "ListResourceTemplatesRequest",
        "ListResourceTemplatesResult",
    ),
    "resources/read": ("on_read_resource", "ReadResourceRequest", "ReadResourceResult"),
    "prompts/list": ("on_list_prompts", "ListPromptsRequest", "ListPromptsResult"),
    "prompts/get": ("on_get_prompt", "GetPromptRequest", "GetPromptResult"),
}
INVALID_PARAMS = -32602
INVALID_REQUEST = -32600


class RequestError(Exception):
    """The request cannot be answered, and why: an error of the protocol, not of a tool."""

    def __init__(self, message: str, data: Payload | None = None) -> None:
        super().__init__(message)
        self.message, self.data = message, data


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """What a server says of itself."""

    name: str
    title: str
    version: str
    instructions: str


def new_server(info: ServerInfo, handlers: Mapping[str, Handler]) -> Any:
    """A server of the installed package, with a handler for each method."""
    return _server_v1(info, handlers) if is_v1() else _server_v2(info, handlers)


def is_v1() -> bool:
    return not hasattr(exceptions, "MCPError")


def _server_v2(info: ServerInfo, handlers: Mapping[str, Handler]) -> Any:
    def taking_part(method: str, handler: Handler) -> Any:
        async def answer(context: Any, params: Any) -> Any:
            return await _answered(method, handler, context.request, params)

        return answer

    arguments = {_METHODS[m][0]: taking_part(m, handler) for m, handler in handlers.items()}
    server: Any = Server
    named = {"title": info.title, "version": info.version, "instructions": info.instructions}
    return server(info.name, **named, **arguments)


def _server_v1(info: ServerInfo, handlers: Mapping[str, Handler]) -> Any:
    kind: Any = Server
    server = kind(info.name, version=info.version, instructions=info.instructions)
    names: Any = types

    def taking_part(method: str, handler: Handler) -> Any:
        async def answer(request: Any) -> Any:
            asked_by = server.request_context.request
            result = await _answered(method, handler, asked_by, request.params)
            return names.ServerResult(result)

        return answer

    for method, handler in handlers.items():
        request_type = getattr(types, _METHODS[method][1])
        server.request_handlers[request_type] = taking_part(method, handler)
    return server


async def _answered(method: str, handler: Handler, request: Any, params: Any) -> Any:
    given = {} if params is None else params.model_dump(mode="json", by_alias=True)
    try:
        payload = await handler(request, given)
    except RequestError as error:
        raise _protocol_error(error) from error
    return getattr(types, _METHODS[method][2]).model_validate(payload)


def _protocol_error(error: RequestError) -> Exception:
    names: Any = exceptions
    if is_v1():
        details = {"code": INVALID_PARAMS, "message": error.message, "data": error.data}
        return names.McpError(types.ErrorData.model_validate(details))  # type: ignore[no-any-return]
    return names.MCPError(INVALID_PARAMS, error.message, error.data)  # type: ignore[no-any-return]
