"""A chat model over the OpenAI wire format."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import httpx


@dataclass(frozen=True)
class ToolCall:
    id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class Completion:
    """What the model says and which tools it wants; `message` goes back into the next request."""

    message: dict[str, Any]
    text: str = ""
    tool_calls: list[ToolCall] = field(default_factory=list)


class ChatModel:
    def __init__(self, api_url: str, api_key: str, model_name: str, seconds: float = 60.0) -> None:
        self._model = model_name
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        base = api_url.rstrip("/").removesuffix("/chat/completions")
        self._client = httpx.AsyncClient(base_url=base, headers=headers, timeout=seconds)

    async def complete(
        self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]
    ) -> Completion:
        body = {"model": self._model, "messages": messages, "tools": tools}
        answer = await self._client.post("/chat/completions", json=body)
        answer.raise_for_status()
        message = answer.json()["choices"][0]["message"]
        calls = [_call(one) for one in message.get("tool_calls") or ()]
        return Completion(message, (message.get("content") or "").strip(), calls)

    async def close(self) -> None:
        await self._client.aclose()


def _call(call: dict[str, Any]) -> ToolCall:
    arguments = call["function"].get("arguments", "")
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return ToolCall(str(call.get("id", "")), str(call["function"]["name"]), text)
