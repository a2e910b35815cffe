"""The MCP server with `mcp` 1.x, both ends: frameworks that pin `mcp<2` are installed beside us."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

mcp = pytest.importorskip("mcp")

from mcp import ClientSession, StdioServerParameters  # noqa: E402
from mcp.client.stdio import stdio_client  # noqa: E402

if int(version("mcp").partition(".")[0]) >= 2:
    pytest.skip("tests/acceptance/test_mcp.py is for mcp 2.x", allow_module_level=True)

from mcp.client.auth import OAuthClientProvider  # noqa: E402
from mcp.client.streamable_http import streamablehttp_client  # noqa: E402
from mcp.shared.auth import OAuthClientMetadata  # noqa: E402
from mcp.shared.exceptions import McpError  # noqa: E402

from taishi import tools  # noqa: E402
from taishi.api_keys import Keys  # noqa: E402
from taishi.mcp_server.sdk import is_v1  # noqa: E402

MAIN = [sys.executable, "-c", "from taishi.cli import main; main()"]
QUIET = {"TAISHI__MODELS__EMBEDDING__KIND": "none", "TAISHI__QUERY__RECALL_TIMEOUT": "10",
         "LANG": "en_US.UTF-8"}  # fmt: skip
ENVIRON = {**os.environ, **QUIET}
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def said(result: Any) -> str:
    (content,) = result.content
    return str(content.text)


async def use_everything(client: ClientSession) -> None:
    """Tools, structured content, resources and prompts, as the 1.x client sees them."""
    hello = await client.initialize()
    assert hello.serverInfo.name == "taishi"
    assert hello.instructions
    listed = (await client.list_tools()).tools
    names = [tool.name for tool in listed]  # the scratchpad is offered only in a session
    offered = [name for name in tools.ALL_TOOLS if name in names or name != "update_scratchpad"]
    assert names == offered
    assert all(tool.inputSchema and tool.outputSchema and tool.annotations for tool in listed)
    kept = await client.call_tool("remember", {"text": "Ann drinks oolong tea", "kind": "note"})
    assert "Remembered" in said(kept)
    id = kept.structuredContent["id"]
    found = await client.call_tool("recall", {"query": "oolong tea"})
    assert [one["id"] for one in found.structuredContent["memories"]] == [id]
    assert "oolong" in said(await client.call_tool("context", {"query": "what oolong tea?"}))
    done = await client.call_tool("update_memory", {"id": id, "text": "Ann drinks green tea"})
    assert not done.isError
    wrong = await client.call_tool("recall", {"quest": "x"})
    assert wrong.isError
    assert "query" in said(wrong)
    assert len((await client.list_resource_templates()).resourceTemplates) == 2
    assert (await client.list_resources()).resources == []
    with pytest.raises(McpError, match="no such page"):
        await client.read_resource("taishi://profile/user/nobody")  # type: ignore[arg-type]
    assert len((await client.list_prompts()).prompts) == 2
    prompt = await client.get_prompt("recall_context", {"topic": "green tea"})
    assert "Ann drinks green tea" in prompt.messages[0].content.text  # type: ignore[union-attr]
    with pytest.raises(McpError, match="no prompt"):
        await client.get_prompt("nonsense")


def test_the_1x_package_is_recognised() -> None:
    assert is_v1()


def test_stdio_with_1x_on_both_ends(tmp_path: Path) -> None:
    arguments = ["--data", str(tmp_path / "data"), "mcp", "--user", "ann"]
    server = StdioServerParameters(command=MAIN[0], args=[*MAIN[1:], *arguments], env=ENVIRON)

    async def play() -> None:
        async with (
            stdio_client(server) as (reading, writing),
            ClientSession(reading, writing) as client,
        ):
            await use_everything(client)

    asyncio.run(play())


@contextmanager
def served(folder: Path, *options: str, **environ: str) -> Iterator[str]:
    command = [*MAIN, "serve", "--json", "--data", str(folder), *(options or ("--port", "0"))]
    given = {**ENVIRON, **environ}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=given, text=True) as server:
        try:
            assert server.stdout
            told = "".join(iter(server.stdout.readline, "}\n")) + "}"
            yield json.loads(told)["address"]
        finally:
            server.terminate()
            server.wait(20)


@asynccontextmanager
async def visiting(address: str, user: str) -> AsyncIterator[ClientSession]:
    headers = {"X-Taishi-User": user}
    async with (
        streamablehttp_client(f"{address}/mcp", headers) as (reading, writing, _),
        ClientSession(reading, writing) as client,
    ):
        yield client


def test_http_with_1x_on_both_ends(tmp_path: Path) -> None:
    async def play(address: str) -> None:
        async with visiting(address, "ann") as client:
            await use_everything(client)
        async with visiting(address, "bob") as client:
            await client.initialize()
            listed = await client.call_tool("list_memories", {})
            assert listed.structuredContent["memories"] == []

    with served(tmp_path / "data") as address:
        asyncio.run(play(address))


class Kept:
    """Where the 1.x client keeps its tokens."""

    tokens: Any = None
    client: Any = None

    async def get_tokens(self) -> Any:
        return self.tokens

    async def set_tokens(self, tokens: Any) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> Any:
        return self.client

    async def set_client_info(self, client_info: Any) -> None:
        self.client = client_info


def allow(address: str, url: str, key: str) -> dict[str, str]:
    """A person's browser: sign in with the key, allow; what the client gets."""
    with httpx.Client(headers={"Origin": address}) as browser:
        page = browser.get(url)
        for step in ({"step": "sign-in", "key": key}, {"step": "decide", "decision": "allow"}):
            form = re.search(r'name="form" value="([^"]+)"', page.text)
            assert form, page.text
            page = browser.post(f"{address}/authorize", data={**step, "form": form[1]})
        query = parse_qs(urlsplit(page.headers["location"]).query)
    return {name: values[0] for name, values in query.items()}


def test_oauth_with_the_1x_client(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url, kept = f"http://127.0.0.1:{port}", Kept()
    answers: list[dict[str, str]] = []
    _, secret = Keys(tmp_path / "data").create("ann", user="ann")

    async def redirect(target: str) -> None:
        answers.append(await asyncio.to_thread(allow, url, target, secret))

    async def callback() -> tuple[str, str]:
        return answers[-1]["code"], answers[-1]["state"]

    async def play() -> Any:
        given = {"redirect_uris": ["http://127.0.0.1:9/callback"], "client_name": "1.x client"}
        metadata = OAuthClientMetadata.model_validate(given)
        auth = OAuthClientProvider(f"{url}/mcp", metadata, kept, redirect, callback)
        async with (
            streamablehttp_client(f"{url}/mcp", auth=auth) as (reading, writing, _),
            ClientSession(reading, writing) as client,
        ):
            await client.initialize()
            await client.call_tool("remember", {"text": "Ann drinks oolong tea"})
            return await client.call_tool("list_memories", {})

    with served(tmp_path / "data", "--port", str(port), TAISHI__SERVER__OAUTH_URL=url):
        listed = asyncio.run(play())
    assert [one["text"] for one in listed.structuredContent["memories"]] == [
        "Ann drinks oolong tea"
    ]
    assert kept.tokens.refresh_token
