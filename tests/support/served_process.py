"""`taishi serve` as a process of its own, asked over real sockets: REST and MCP."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import httpx2
import mcp_types
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

COMMAND = Path(sys.executable).parent / "taishi"
QUIET = {"TAISHI__MODELS__EMBEDDING__KIND": "none", "TAISHI__QUERY__RECALL_TIMEOUT": "10",
         "TAISHI__MEMORY__TIMEZONE": "Asia/Shanghai", "LANG": "en_US.UTF-8",
         "TAISHI__SERVER__RATE_PER_MINUTE": "0"}  # fmt: skip


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a server on this data folder, until the block ends."""
    with subprocess.Popen(
        [COMMAND, "serve", "--port", "0", "--json", "--data", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **QUIET},
        text=True,
    ) as server:
        try:
            assert server.stdout
            told = "".join(iter(server.stdout.readline, "}\n")) + "}"
            yield json.loads(told)["address"]
        finally:
            server.terminate()
        assert server.wait(20) == 0


def call(address: str, secret: str, method: str, path: str, **given: Any) -> httpx.Response:
    headers = {"Authorization": f"Bearer {secret}", **given.pop("headers", {})}
    return httpx.request(method, f"{address}{path}", headers=headers, timeout=20, **given)


def call_tools(
    address: str, secret: str, calls: list[tuple[str, dict[str, Any]]], **headers: str
) -> list[str]:
    """What each call of a tool says; a refusal at the door is one line for all of them."""

    async def play() -> list[str]:
        named = {"Authorization": f"Bearer {secret}", **headers}
        async with (
            httpx2.AsyncClient(headers=named, timeout=20) as http,
            Client(streamable_http_client(f"{address}/mcp", http_client=http)) as client,
        ):
            said = []
            for tool, arguments in calls:
                (content,) = (await client.call_tool(tool, arguments)).content
                assert isinstance(content, mcp_types.TextContent)
                said.append(content.text)
            return said

    return asyncio.run(play())
