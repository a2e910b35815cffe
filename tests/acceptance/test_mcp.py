"""The MCP server, asked by the official client over stdio and over streamable HTTP (T1, T2)."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import httpx2
import jsonschema
import mcp_types
import pytest
import uvicorn
from click.testing import CliRunner
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from starlette.applications import Starlette
from starlette.routing import Route

from taishi import Memory, Scope, tools
from taishi.api_keys import Keys
from taishi.cli import taishi as command
from taishi.disk.installation import extra_line
from taishi.errors import ForbiddenError, UnknownKeyError
from taishi.mcp_server import (
    HttpApp,
    McpCaller,
    named_in,
    scope_of,
    security_for,
    streamable_http_app,
)

COMMAND = Path(sys.executable).parent / "taishi"
ANN, BOB = Scope(user="ann"), Scope(user="bob")
QUIET = {"TAISHI__MODELS__EMBEDDING__KIND": "none", "TAISHI__QUERY__RECALL_TIMEOUT": "10",
         "TAISHI__MEMORY__TIMEZONE": "Asia/Shanghai", "LANG": "en_US.UTF-8"}  # fmt: skip
READING = {"search_events", "get_profile", "search_profiles", "recall", "context",
           "search_knowledge", "list_notes", "read_note", "note_history", "search_notes",
           "list_memories"}  # fmt: skip
ERAS = ["auto", "legacy"]


def said(result: Any) -> str:
    (content,) = result.content
    assert isinstance(content, mcp_types.TextContent)
    return content.text


async def ask(client: Client, tool: str, **arguments: Any) -> str:
    return said(await client.call_tool(tool, arguments))


async def call_everything(client: Client, who: str) -> None:
    """Every tool, in an order that makes sense, then the resources."""
    listed = (await client.list_tools()).tools
    names = [tool.name for tool in listed]
    assert set(names) | {"update_scratchpad"} == set(tools.ALL_TOOLS)  # it needs a session
    called = set()

    async def call(tool: str, **arguments: Any) -> str:
        called.add(tool)
        result = await client.call_tool(tool, arguments)
        assert not result.is_error, said(result)
        return said(result)

    id = re.search(r"id (\w+)", await call("remember", text=f"{who} drinks oolong tea"))
    assert id
    assert "remembered" in await call("end", action_summary=f"{who} booked a flight to Oslo")
    assert await found(client, "search_events", "Oslo", query="flight to Oslo")
    called.add("search_events")
    assert f"(fact, id {id[1]})" in await call("recall", query="oolong tea")
    assert "oolong" in await call("context", query="what tea?")
    page = await call("get_profile", entity_type="user", entity_id=who)
    assert "likes hiking" in page
    assert "likes hiking" in await call("search_profiles", query="hiking")
    assert "Nothing" in await call("search_knowledge", query="hiking")
    assert "oolong" in await call("list_memories", kind="fact")
    changed = await call("update_memory", id=id[1], text=f"{who} drinks black tea")
    id = re.search(r"new id ([\w-]+)", changed)
    assert id
    new = re.search(
        r"new id ([\w-]+)", await call("correct", id=id[1], text=f"{who} drinks green tea")
    )
    assert new
    assert "oolong" not in await call("context", query="what tea?")
    assert "Forgotten: " in await call("forget", id=new[1])
    assert "oolong" not in await call("recall", query="oolong tea")
    assert "Proposed" in await call("propose_shared", text=f"{who} meets early", type="convention")
    assert f"{who} meets early" in await call("review_shared")
    assert "early" not in await call("recall", query="who meets early?")
    called.add("report_procedure")
    assert "no procedure" in said(await client.call_tool("report_procedure", {"id": "none"}))
    assert "version 1" in await call("write_note", path="plan.md", text="Sail to Oslo")
    assert "plan.md (version 1" in await call("list_notes")
    assert "Sail to Oslo" in await call("read_note", path="plan.md")
    assert "version 1, " in await call("note_history", path="plan.md")
    assert "plan.md: Sail" in await call("search_notes", query="Oslo")
    assert "1 note" in await call("rename_note", path="plan.md", new_path="old/plan.md")
    assert "1 note" in await call("remove_note", path="old", folder=True)
    noted = await client.call_tool("update_scratchpad", {"current_goal": "sail"})
    offered = "update_scratchpad" in names  # not every host names a session
    expected = "Goal: sail" if offered else "There is no tool"
    assert expected in said(noted)
    assert called | {"update_scratchpad"} == set(tools.ALL_TOOLS)
    (resource,) = (await client.list_resources()).resources
    assert resource.uri == f"taishi://profile/user/{who}"
    (content,) = (await client.read_resource(resource.uri)).contents
    assert content.text == page  # type: ignore[union-attr]
    templates = (await client.list_resource_templates()).resource_templates
    assert [one.uri_template for one in templates] == [
        "taishi://profile/user/{id}",
        "taishi://profile/group/{id}",
    ]


async def found(client: Client, tool: str, words: str, **arguments: Any) -> bool:
    """A turn is searchable a moment after it ended (W6)."""
    for _ in range(100):
        if words in await ask(client, tool, **arguments):
            return True
        await asyncio.sleep(0.05)
    return False


async def refused(wish: Awaitable[Any]) -> str:
    with pytest.raises(MCPError) as caught:
        await wish
    return str(caught.value)


# -- stdio: a real process -----------------------------------------------------------------------


@pytest.fixture
def start(tmp_path: Path) -> Callable[..., StdioServerParameters]:
    def parameters(*arguments: str, **environment: str) -> StdioServerParameters:
        return StdioServerParameters(
            command=str(COMMAND),
            args=["--data", str(tmp_path / "data"), "mcp", *arguments],
            env={**QUIET, "PYTHONPATH": os.environ.get("PYTHONPATH", ""), **environment},
        )

    return parameters


@asynccontextmanager
async def connected(
    server: StdioServerParameters, mode: str = "auto"
) -> AsyncIterator[tuple[Client, Path]]:
    """A client, and the file that the process's stderr goes to."""
    log = Path.cwd() / f"stderr-{time.monotonic_ns()}"
    with log.open("w", encoding="utf-8") as errors:
        async with Client(stdio_client(server, errlog=errors), mode=mode) as client:
            yield client, log


@pytest.mark.parametrize("mode", ERAS)
def test_T2_stdio_every_tool_and_resource(
    open_memory: Callable[..., Memory], start: Callable[..., StdioServerParameters], mode: str
) -> None:
    """The memory is open in this process, too: several may share one folder."""
    open_memory().profiles.set(ANN, "- likes hiking", "Ann")

    async def play() -> str:
        async with connected(start("--user", "ann"), mode) as (client, log):
            await call_everything(client, "ann")
        return log.read_text("utf-8")

    log = asyncio.run(play())
    assert "serving default/private:ann over stdio" in log
    assert "Traceback" not in log


def test_T2_stdio_a_worker_runs_and_wrong_arguments_are_sentences(
    start: Callable[..., StdioServerParameters], tmp_path: Path
) -> None:
    async def play() -> None:
        server = start("--sender-name", "Ann", TAISHI_MCP_USER="ann")
        async with connected(server) as (client, _):
            result = await client.call_tool("search_events", {"qery": "x"})
            assert result.is_error
            assert "did you mean query?" in said(result)
            result = await client.call_tool("serch_events", {"query": "x"})
            assert result.is_error
            assert "did you mean search_events?" in said(result)
            await ask(client, "end", new_info="I moved to Oslo")
            assert await found(client, "search_events", "Ann moved", query="who moved to Oslo")
            await ask(client, "remember", text="安娜住在奥斯陆")
            assert "奥斯陆" in await ask(client, "recall", query="安娜住在哪里")
            for wrong in ("taishi://profile/user/bob", "taishi://profile/user/..%2Fbob", "x:y",
                          "taishi://profile/group/g1", "taishi://profile/user/%00"):  # fmt: skip
                assert "no such page" in await refused(client.read_resource(wrong))
            page = {"entity_type": "user", "entity_id": "ann"}
            assert await found(client, "get_profile", "Oslo", **page)
            (resource,) = (await client.list_resources()).resources
            assert resource.uri == "taishi://profile/user/ann"

    asyncio.run(play())


def test_T2_stdio_read_only_offers_nothing_that_writes(
    open_memory: Callable[..., Memory], start: Callable[..., StdioServerParameters]
) -> None:
    memory = open_memory()
    memory.remember(ANN, "Ann drinks tea", id="1")

    async def play() -> None:
        async with connected(start("--user", "ann", "--read-only", "--no-worker")) as (client, _):
            assert {tool.name for tool in (await client.list_tools()).tools} == READING
            for tool, given in (("forget", {"id": "1"}), ("remember", {"text": "x"})):
                result = await client.call_tool(tool, given)
                assert result.is_error
                assert "read-only" in said(result)

    asyncio.run(play())
    assert memory.get(ANN, "1")


def test_C3_stdio_disabled_is_a_plain_sentence(start: Callable[..., StdioServerParameters]) -> None:
    async def play() -> None:
        server = start("--user", "ann", "--lang", "zh", TAISHI__MEMORY__ENABLED="false")
        async with connected(server) as (client, _):
            assert re.search("[\u4e00-\u9fff]", client.instructions or "")
            listed = (await client.list_tools()).tools
            assert all(re.search("[\u4e00-\u9fff]", tool.description or "") for tool in listed)
            for tool in tools.ALL_TOOLS:
                result = await client.call_tool(tool, {"query": "tea"})
                assert not result.is_error
                assert "switched off" in said(result)
            assert (await client.list_resources()).resources == []

    asyncio.run(play())


def test_T2_stdio_nothing_but_protocol_on_stdout_whatever_comes_in(tmp_path: Path) -> None:
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"}}}  # fmt: skip
    lines = [b"not json", b"\xff\xfe\x00", b"[]", b'{"jsonrpc":"2.0","id":9,"method":"no/such"}',
             b'{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"recall",'
             b'"arguments":"x"}}', b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
             b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"recall",'
             b'"arguments":{"query":"\\ud800\\u0000"}}}']  # fmt: skip
    sent = b"\n".join([json.dumps(hello).encode(), *lines, b"x" * 1_000_000]) + b"\n"
    with subprocess.Popen(
        [COMMAND, "mcp", "--user", "ann", "--data", tmp_path / "data"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **QUIET},
    ) as process:
        assert process.stdin and process.stdout and process.stderr
        process.stdin.write(sent)
        process.stdin.flush()
        answers: dict[Any, Any] = {}
        while not {1, 9, 8} <= set(answers):
            line = process.stdout.readline()
            assert line, process.stderr.read()
            answer = json.loads(line)
            answers[answer.get("id")] = answer
        process.stdin.close()
        rest = process.stdout.read().splitlines()
        assert process.wait(20) == 0
    for line in rest:
        json.loads(line)
    assert "result" in answers[1]
    assert "error" in answers[9]
    assert "error" in answers[8]


def test_T2_stdio_leaves_when_told(tmp_path: Path) -> None:
    with ExitStack() as stack:
        processes = [
            stack.enter_context(
                subprocess.Popen(
                    [COMMAND, "mcp", "--user", "ann", "--data", tmp_path / "data"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    env={**os.environ, **QUIET},
                )
            )
            for _ in range(2)
        ]
        for process, told in zip(processes, (signal.SIGTERM, signal.SIGINT), strict=True):
            assert process.stdin and process.stdout and process.stderr
            process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
            process.stdin.flush()
            assert process.stdout.readline()
            process.send_signal(told)
            assert process.wait(20) == 0, told
            assert b"Traceback" not in process.stderr.read()


def test_S3_stdio_needs_a_scope_and_prints_the_clients_entry(tmp_path: Path) -> None:
    def run(*arguments: str) -> Any:
        return CliRunner().invoke(command, ["mcp", *arguments], env=QUIET)

    assert run().exit_code == 2
    assert "--user ID" in run().stderr
    done = run("--group", "g1", "--user", "ann", "--data", "here", "--read-only", "--json")
    entry = json.loads(done.stdout)["mcpServers"]["taishi"]
    assert Path(entry["command"]).name == "taishi"
    assert entry["args"] == ["--data", str(tmp_path / "here"), "mcp", "--user", "ann",
                             "--group", "g1", "--read-only"]  # fmt: skip


def test_T2_without_the_package_the_pip_line_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [one for one in sys.modules if one.startswith("taishi.mcp_server")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)
    for language, words in (("en", "cannot start yet"), ("zh", "目前无法启动")):
        options = ["--lang", language, "mcp", "--user", "ann", "--json"]
        printed = CliRunner().invoke(command, options, env=QUIET)
        assert words in printed.stderr and extra_line("mcp") in printed.stderr
        entry = json.loads(printed.stdout)["mcpServers"]["taishi"]
        assert entry["args"][:2] == ["--lang", language]
    done = CliRunner().invoke(command, ["mcp", "--user", "ann"], env=QUIET)
    assert done.exit_code == 1
    assert extra_line("mcp") in done.stderr
    assert not Path("data").exists()


# -- streamable HTTP: a real server on the loopback ----------------------------------------------


@contextmanager
def serving(door: HttpApp) -> Iterator[str]:
    """The door inside somebody's app, as the project's own server has it; yields its address."""
    app = Starlette(routes=[Route("/mcp", endpoint=door)], lifespan=door.run)
    # asyncio turns Nagle's delay off only for sockets that say they are TCP.
    with socket.socket(proto=socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        config = uvicorn.Config(app, log_level="warning", ws="none", timeout_graceful_shutdown=2)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        finally:
            server.should_exit = True
            thread.join(20)


@asynccontextmanager
async def visiting(url: str, mode: str = "auto", **headers: str) -> AsyncIterator[Client]:
    named = {f"X-Taishi-{name}": quote(value) for name, value in headers.items()}
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(httpx2.AsyncClient(headers=named, timeout=20))
        transport = streamable_http_client(url, http_client=http)
        yield await stack.enter_async_context(Client(transport, mode=mode))


@pytest.mark.parametrize("mode", ERAS)
def test_T2_http_every_tool_and_resource(memory: Memory, mode: str) -> None:
    memory.profiles.set(ANN, "- likes hiking", "Ann")

    async def play(url: str) -> None:
        async with visiting(url, mode, User="ann") as client:
            await call_everything(client, "ann")

    with serving(streamable_http_app(memory, scope_of)) as url:
        asyncio.run(play(url))


@pytest.mark.parametrize("mode", ERAS)
def test_S3_http_two_guests_on_one_server_see_only_their_own(memory: Memory, mode: str) -> None:
    memory.profiles.set(Scope(user="安娜"), "- 喜欢徒步 zzannzz", "安娜")
    memory.profiles.set(BOB, "- likes tea zzbobzz", "Bob")
    memory.profiles.set(Scope(group="g1"), "- a club zzclubzz", "Club")

    async def play(url: str) -> None:
        async with (
            visiting(url, mode, User="安娜") as ann,
            visiting(url, mode, User="bob") as bob,
            visiting(url, mode, User="bob", Group="g1") as club,
            visiting(url, mode, User="bob", Workspace="other") as other,
        ):
            guests = {"ann": ann, "bob": bob, "club": club, "other": other}
            wishes = [ask(c, "remember", text=f"tea 茶 zz{n}zz") for n, c in guests.items()]
            await asyncio.gather(*wishes)
            for name, client in guests.items():
                answers = await asyncio.gather(
                    ask(client, "recall", query="tea 茶 zzannzz zzbobzz zzclubzz zzotherzz"),
                    ask(client, "search_profiles", query="tea club 徒步"),
                    ask(client, "get_profile", entity_type="user", entity_id="bob"),
                    ask(client, "get_profile", entity_type="user", entity_id="安娜"),
                    ask(client, "get_profile", entity_type="group", entity_id="g1"),
                    ask(client, "search_events", query="tea", target_user_id="bob"),
                    ask(client, "context", query="tea 茶"),
                )
                marks = set(re.findall(r"zz(\w+?)zz", "\n".join(answers)))
                assert marks == {name}
                uris = [one.uri for one in (await client.list_resources()).resources]
                for uri in ("taishi://profile/user/bob", "taishi://profile/group/g1",
                            f"taishi://profile/user/{quote('安娜')}"):  # fmt: skip
                    if uri in uris:
                        (page,) = (await client.read_resource(uri)).contents
                        assert f"zz{name}zz" in page.text  # type: ignore[union-attr]
                    else:
                        assert "no such page" in await refused(client.read_resource(uri))
            assert [one.uri for one in (await ann.list_resources()).resources] == [
                f"taishi://profile/user/{quote('安娜')}"
            ]

    with serving(streamable_http_app(memory, scope_of)) as url:
        asyncio.run(play(url))


def test_T2_http_keys_decide_who_is_asking_and_what_they_may(memory: Memory) -> None:
    memory.remember(ANN, "Ann drinks tea", id="1")

    def caller_of(headers: Mapping[str, str]) -> McpCaller:
        key = headers.get("authorization")
        if key not in ("Bearer reader", "Bearer writer"):
            raise UnknownKeyError("this key is not known")
        if (named_in(headers)["user"] or "ann") != "ann":
            raise ForbiddenError("this key is bound to another user")
        return McpCaller(ANN, may_write=key == "Bearer writer")

    async def play(url: str) -> None:
        async with (
            httpx2.AsyncClient(headers={"Authorization": "Bearer reader"}) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            assert {tool.name for tool in (await client.list_tools()).tools} == READING
            assert "read-only" in await ask(client, "forget", id="1")
            assert "tea" in await ask(client, "recall", query="tea")

    with serving(streamable_http_app(memory, caller_of)) as url:
        asyncio.run(play(url))
        for headers, status in (
            ({}, 401),
            ({"Authorization": "Bearer x"}, 401),
            ({"Authorization": "Bearer reader", "X-Taishi-User": "bob"}, 403),
        ):
            answer = httpx.post(url, json=LIST, headers={**PLAIN, **headers})
            assert answer.status_code == status
            assert answer.json()["error"]["message"]
        assert httpx.post(url, json=LIST, headers=PLAIN).headers["WWW-Authenticate"] == "Bearer"
    assert memory.get(ANN, "1")


def test_T2_http_tells_a_read_only_caller_of_no_tool_that_writes(memory: Memory) -> None:
    def caller_of(headers: Mapping[str, str]) -> McpCaller:
        return McpCaller(ANN, may_write=headers.get("authorization") == "Bearer writer")

    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"}}}  # fmt: skip
    said = {}
    for language in ("en", "zh"):
        with serving(streamable_http_app(memory, caller_of, language=language)) as url:
            for key in ("reader", "writer"):
                headers = {**PLAIN, "Authorization": f"Bearer {key}"}
                answer = httpx.post(url, json=hello, headers=headers).json()
                said[language, key] = answer["result"]["instructions"]
    for (_, key), text in said.items():
        named = set(re.findall(r"`(\w+)`", text))
        assert named - READING == (set() if key == "reader" else {"remember", "correct", "end"})
        assert {"context", "search_events"} <= named
    assert "read-only" in said["en", "reader"] and "只读" in said["zh", "reader"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_T2_descriptions_name_no_tool_that_is_not_offered(language: str) -> None:
    writing = set(tools.ALL_TOOLS) - READING
    names = re.compile(rf"(?<![a-z_])({'|'.join(sorted(writing))})(?![a-z_])")
    for name in READING:
        tool = tools.CATALOGUE[name]
        text = tools.description(tool, language, sorted(READING))
        found = re.findall(r"`(\w+)`", text) if language == "en" else names.findall(text)
        assert not writing & set(found), text
        assert len(text) > 10 and text.endswith((".", "。"))
    for name in tools.ALL_TOOLS:
        tool = tools.CATALOGUE[name]
        whole = tools.description(tool, language)
        assert tools.description(tool, language, tools.ALL_TOOLS) == whole


def test_S3_serve_has_mcp_behind_its_keys(tmp_path: Path) -> None:
    """The real server: what a key is bound to is who asks, whatever the headers say."""
    folder = tmp_path / "data"
    folder.mkdir()
    keys = Keys(folder)
    secrets = {name: keys.create(name, user=name)[1] for name in ("ann", "bob")}
    reader = keys.create("reader", rights="read", user="ann")[1]

    async def visit(url: str, secret: str, **headers: str) -> tuple[set[str], str]:
        named = {"Authorization": f"Bearer {secret}", **headers}
        async with (
            httpx2.AsyncClient(headers=named, timeout=20) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            listed = {tool.name for tool in (await client.list_tools()).tools}
            if "remember" in listed:
                await ask(client, "remember", text=f"tea zz{headers['X-Taishi-User']}zz")
            return listed, await ask(client, "recall", query="tea zzannzz zzbobzz")

    async def play(url: str) -> None:
        for name, secret in secrets.items():
            listed, found_tea = await visit(url, secret, **{"X-Taishi-User": name})
            assert listed == set(tools.ALL_TOOLS) - {"update_scratchpad"}  # without a session
            assert set(re.findall(r"zz(\w+?)zz", found_tea)) == {name}
        listed, found_tea = await visit(url, reader)
        assert listed == READING
        assert "zzannzz" in found_tea

    with subprocess.Popen(
        [COMMAND, "serve", "--port", "0", "--json", "--data", folder],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **QUIET},
        text=True,
    ) as server:
        try:
            assert server.stdout
            lines = iter(server.stdout.readline, "}\n")
            url = json.loads("".join(lines) + "}")["address"] + "/mcp"
            asyncio.run(play(url))
            bearer = {**PLAIN, "Authorization": f"Bearer {secrets['ann']}"}
            for headers, status in (
                (PLAIN, 401),
                ({**bearer, "X-Taishi-User": "bob"}, 403),
                ({**bearer, "X-Taishi-Group": "g1"}, 403),
                ({**bearer, "X-Taishi-Workspace": "other"}, 403),
                ({**bearer, "Host": "memory.example"}, 200),
            ):
                assert httpx.post(url, json=LIST, headers=headers).status_code == status, headers
        finally:
            server.terminate()
        assert server.wait(20) == 0


LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
PLAIN = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


def test_S3_http_without_a_scope_is_an_error(memory: Memory) -> None:
    with serving(streamable_http_app(memory, scope_of)) as url:
        for headers in ({}, {"X-Taishi-User": ""}, {"X-Taishi-Session": "s"},
                        {"X-Taishi-User": "x" * 999}, {"X-Taishi-User": "%00"}):  # fmt: skip
            answer = httpx.post(url, json=LIST, headers={**PLAIN, **headers})
            assert answer.status_code == 400, headers
            assert answer.json()["error"]["message"]
        for language, words in (("en", "send the header"), ("zh-CN", "请发送请求头")):
            asked = {**PLAIN, "Accept-Language": language}
            told = httpx.post(url, json=LIST, headers=asked).json()["error"]["message"]
            assert words in told and "X-Taishi-User" in told and "Scope(" not in told, told
        named = {**PLAIN, "X-Taishi-User": "ann"}
        assert httpx.post(url, json=LIST, headers=named).status_code == 200
        assert httpx.get(url, headers=named).status_code == 405
        assert httpx.delete(url, headers=named).status_code == 405
        for body in (b"", b"not json", b"[]", b"\xff", b"{}", b'{"jsonrpc":"2.0","id":1}'):
            answer = httpx.post(url, content=body, headers=named)
            assert 400 <= answer.status_code < 500, body
        assert httpx.post(url, content=b"x" * 5_000_000, headers=named).status_code == 413


def test_T2_http_a_page_with_a_name_of_its_own_cannot_reach_in(memory: Memory) -> None:
    named = {**PLAIN, "X-Taishi-User": "ann"}
    with serving(streamable_http_app(memory, scope_of)) as url:
        assert httpx.post(url, json=LIST, headers={**named, "Host": "evil.example"}).is_error
        assert httpx.post(
            url, json=LIST, headers={**named, "Origin": "http://evil.example"}
        ).is_error
        fine = {**named, "Host": "localhost:1", "Origin": "http://localhost:1"}
        assert httpx.post(url, json=LIST, headers=fine).status_code == 200


@pytest.mark.parametrize(
    ("host", "names", "taken", "refused"),
    [
        ("127.0.0.1", (), ("localhost", "127.0.0.1:80", "[::1]:80"), ("evil.example",)),
        ("::1", (), ("[::1]:80", "localhost:80"), ("evil.example", "10.0.0.5:80")),
        ("10.0.0.5", (), ("10.0.0.5", "10.0.0.5:80"), ("localhost:80", "evil.example")),
        (
            "0.0.0.0",
            ("memory.example", "0.0.0.0"),
            ("memory.example:443", "localhost:80"),
            ("evil.example", "0.0.0.0:80"),
        ),
        ("::", ("memory.example:443",), ("memory.example:443",), ("evil.example", "[::]:80")),
        ("0.0.0.0", ("0.0.0.0",), ("anything.example",), ()),
    ],
)
def test_T2_http_the_hosts_taken_follow_the_address(
    host: str, names: tuple[str, ...], taken: tuple[str, ...], refused: tuple[str, ...]
) -> None:
    from mcp.server.transport_security import TransportSecurityMiddleware
    from starlette.requests import Request

    guard = TransportSecurityMiddleware(security_for(host, names))

    def is_refused(name: str) -> bool:
        scope = {"type": "http", "headers": [(b"host", name.encode())]}
        return asyncio.run(guard.validate_request(Request(scope))) is not None

    assert [is_refused(name) for name in taken] == [False] * len(taken)
    assert [is_refused(name) for name in refused] == [True] * len(refused)


def test_T2_http_not_running_says_how_and_may_run_again(memory: Memory) -> None:
    door = streamable_http_app(memory, scope_of)
    named = {**PLAIN, "X-Taishi-User": "ann"}
    transport = httpx.ASGITransport(app=Starlette(routes=[Route("/mcp", endpoint=door)]))

    async def play() -> None:
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            for _ in range(2):
                answer = await client.post("/mcp", json=LIST, headers=named)
                assert answer.status_code == 503
                assert "run()" in answer.json()["error"]["message"]
                async with door.run():
                    answer = await client.post("/mcp", json=LIST, headers=named)
                    assert answer.status_code == 200

    asyncio.run(play())


def test_T1_annotations_tell_reading_writing_and_destroying(memory: Memory) -> None:
    async def play(url: str) -> list[mcp_types.Tool]:
        async with visiting(url, User="ann") as client:
            return (await client.list_tools()).tools

    with serving(streamable_http_app(memory, scope_of, language="zh")) as url:
        listed = asyncio.run(play(url))
    for tool in listed:
        hints = tool.annotations
        assert hints
        assert hints.read_only_hint == (tool.name in READING)
        assert hints.destructive_hint == (
            tool.name in ("forget", "remove_note", "write_note", "update_memory")
        )
        assert hints.idempotent_hint == (
            tool.name in READING or tool.name in ("forget", "remove_note")
        )
        assert hints.open_world_hint is False
        assert tool.input_schema == tools.parameters(tools.CATALOGUE[tool.name], "zh")


# -- what programs read: structured content, prompts, notes --------------------------------------


def test_T1_every_answer_fits_its_tools_output_schema(memory: Memory) -> None:
    """The client itself refuses an answer that does not; the schemas are closed by `required`."""

    async def play(url: str) -> dict[str, Any]:
        answers = {}
        async with visiting(url, User="ann") as client:
            schemas = {one.name: one.output_schema for one in (await client.list_tools()).tools}
            for name, arguments in {
                "remember": {"text": "Ann drinks oolong tea"},
                "recall": {"query": "oolong tea"},
                "list_memories": {},
                "context": {"query": "what tea?"},
                "get_profile": {"entity_type": "user", "entity_id": "nobody"},
                "search_knowledge": {"query": "tea"},
                "end": {},
                "review_shared": {},
                "write_note": {"path": "tea.md", "text": "oolong\nsencha"},
                "list_notes": {},
                "read_note": {"path": "tea.md"},
                "search_notes": {"query": "sencha"},
                "rename_note": {"path": "tea.md", "new_path": "teas.md"},
                "remove_note": {"path": "teas.md"},
            }.items():
                result = await client.call_tool(name, arguments)
                assert not result.is_error
                answers[name] = result.structured_content
                jsonschema.validate(result.structured_content, schemas[name])
            refused = await client.call_tool("forget", {})
            assert refused.is_error
            assert refused.structured_content is None
        return answers

    with serving(streamable_http_app(memory, scope_of)) as url:
        answers = asyncio.run(play(url))
    (found,) = answers["recall"]["memories"]
    assert found["text"] == "Ann drinks oolong tea"
    assert found["id"] == answers["remember"]["id"]
    assert answers["list_memories"]["memories"][0]["id"] == found["id"]
    assert "not instructions" in answers["recall"]["notice"]
    assert "oolong" in answers["context"]["context"]
    assert answers["get_profile"]["profile"] is None
    assert answers["end"] == {"kept": False, "asks_to_forget": False}
    assert answers["write_note"] == {"version": 1, "redacted": []}
    assert answers["list_notes"]["notes"][0]["path"] == "tea.md"
    assert answers["read_note"]["note"] == "oolong\nsencha"
    assert answers["search_notes"]["matches"][0]["path"] == "tea.md"
    assert (answers["rename_note"], answers["remove_note"]) == ({"moved": 1}, {"removed": 1})


def test_T1_structured_content_is_redacted_and_stays_in_its_scope(memory: Memory) -> None:
    memory.remember(ANN, "Ann's flat is in Oslo")
    memory.remember(BOB, "Bob's key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD")

    async def play(url: str, user: str) -> str:
        async with visiting(url, User=user) as client:
            listed = await client.call_tool("list_memories", {})
            found = await client.call_tool("recall", {"query": "flat in Oslo"})
        return json.dumps([listed.structured_content, found.structured_content])

    with serving(streamable_http_app(memory, scope_of)) as url:
        ann, bob = (asyncio.run(play(url, user)) for user in ("ann", "bob"))
    assert "flat" in ann
    assert "Bob" not in ann
    assert "flat" not in bob
    assert "abcdefghijkl" not in bob


def test_T1_listing_goes_page_by_page_newest_first(memory: Memory) -> None:
    memory.remember_many(ANN, [{"text": f"note {n}", "kind": "note"} for n in range(5)])

    async def play(url: str) -> list[str]:
        texts, cursor = [], None
        async with visiting(url, User="ann") as client:
            while True:
                given = {"top_k": 2} | ({"cursor": cursor} if cursor else {})
                data = (await client.call_tool("list_memories", given)).structured_content
                assert data is not None
                texts += [one["text"] for one in data["memories"]]
                cursor = data["cursor"]
                if cursor is None:
                    return texts

    with serving(streamable_http_app(memory, scope_of)) as url:
        assert asyncio.run(play(url)) == [f"note {n}" for n in (4, 3, 2, 1, 0)]


def test_S3_update_changes_ones_own_records_alone(memory: Memory) -> None:
    foreign = memory.remember(BOB, "Bob sails", kind="note")
    by_person = memory.remember(ANN, "Ann sails", kind="note", actor="person")

    async def play(url: str) -> list[Any]:
        async with visiting(url, User="ann") as client:
            kept = await client.call_tool("remember", {"text": "Ann rows", "kind": "note"})
            assert kept.structured_content
            own = kept.structured_content["id"]
            new = {"text": "Ann swims", "metadata": {"place": "lake"}}
            done = [await client.call_tool("update_memory", {"id": own, **new})]
            for id in (foreign, by_person, own):
                arguments = {"id": id} if id == own else {"id": id, "text": "changed"}
                done.append(await client.call_tool("update_memory", arguments))
            assert done[0].structured_content == {"id": own}
        return [own, *done]

    with serving(streamable_http_app(memory, scope_of)) as url:
        own, done, *refused = asyncio.run(play(url))
    assert not done.is_error
    assert all(one.is_error for one in refused)
    record = memory.records.get(ANN, own)
    assert record
    assert (record.text, record.data["place"]) == ("Ann swims", "lake")
    assert memory.get(BOB, str(foreign)).text == "Bob sails"  # type: ignore[union-attr]
    assert memory.get(ANN, str(by_person)).text == "Ann sails"  # type: ignore[union-attr]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_T2_prompts_begin_and_end_a_session(memory: Memory, language: str) -> None:
    memory.remember(ANN, "Ann drinks oolong tea")

    async def play(url: str) -> list[str]:
        async with visiting(url, User="ann") as client:
            listed = (await client.list_prompts()).prompts
            assert [one.name for one in listed] == ["recall_context", "end_of_session"]
            texts = []
            for one in listed:
                given = {"topic": "oolong tea {known}"} if one.arguments else {}
                (message,) = (await client.get_prompt(one.name, given)).messages
                texts.append(message.content.text)  # type: ignore[union-attr]
            assert "topic" in await refused(client.get_prompt("recall_context", {}))
            assert "no prompt" in await refused(client.get_prompt("nonsense", {}))
        return texts

    with serving(streamable_http_app(memory, scope_of, language=language)) as url:
        begin, end = asyncio.run(play(url))
    assert "Ann drinks oolong tea" in begin
    assert "`end`" in end
    assert ("会话" in end) == (language == "zh")


def test_T2_a_caller_who_only_reads_has_no_prompt_that_writes(memory: Memory) -> None:
    async def play(url: str) -> list[str]:
        async with visiting(url, User="ann") as client:
            assert "no prompt" in await refused(client.get_prompt("end_of_session", {}))
            return [one.name for one in (await client.list_prompts()).prompts]

    def caller_of(headers: Mapping[str, str]) -> McpCaller:
        return McpCaller(ANN, may_write=False)

    with serving(streamable_http_app(memory, caller_of)) as url:
        assert asyncio.run(play(url)) == ["recall_context"]


def test_T2_the_notes_of_a_scope_are_a_resource(memory: Memory) -> None:
    memory.notes.write(ANN, "MEMORY.md", "# Me\n- I answer briefly.")

    async def play(url: str, user: str) -> list[str]:
        async with visiting(url, User=user) as client:
            uris = [one.uri for one in (await client.list_resources()).resources]
            uri = "taishi://notes/MEMORY.md"
            if uri not in uris:
                return [await refused(client.read_resource(uri))]
            (content,) = (await client.read_resource(uri)).contents
            return [content.text]  # type: ignore[union-attr]

    with serving(streamable_http_app(memory, scope_of)) as url:
        assert asyncio.run(play(url, "ann")) == ["# Me\n- I answer briefly."]
        assert "no such page" in asyncio.run(play(url, "bob"))[0]
