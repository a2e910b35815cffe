"""The example bot on a real forward WebSocket, as NapCat and other OneBot servers offer it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from examples.onebot_bot.__main__ import main, over_websocket
from examples.onebot_bot.chat_model import ChatModel

from support.scripted_model import Reply, ScriptedModel
from taishi.adapters.undefined import UndefinedMemory

server_of = pytest.importorskip("websockets.asyncio.server", reason="websockets is not installed")
EXAMPLE = Path(__file__).parents[2] / "examples" / "onebot_bot"


TOKEN = "only-for-this-test"


def asks_for_token(connection: Any, request: Any) -> Any:
    """As OneBot v11 has it: 401 without a token, 403 for a wrong one."""
    given = request.headers.get("Authorization")
    if given == f"Bearer {TOKEN}":
        return None
    return connection.respond(403 if given else 401, "token\n")


@pytest.mark.parametrize("token", ["", TOKEN])
def test_events_come_and_replies_go_over_a_websocket(tmp_path: Path, token: str) -> None:
    (tmp_path / "config.toml").write_text("[cognitive]\n", encoding="utf-8")
    actions: list[dict[str, Any]] = []
    check = asks_for_token if token else None
    events = (EXAMPLE / "events.jsonl").read_text("utf-8").splitlines()

    async def onebot(link: Any) -> None:
        for one in events:
            await link.send(one)
        while len(actions) < 3:
            actions.append(json.loads(await link.recv()))
        await link.close()

    async def play(model_url: str) -> None:
        model = ChatModel(model_url, "", "scripted")
        options = {"models.embedding.kind": "none"}
        async with server_of.serve(onebot, "127.0.0.1", 0, process_request=check) as server:
            port = server.sockets[0].getsockname()[1]
            with UndefinedMemory.open(tmp_path / "config.toml", overrides=options) as memory:
                await over_websocket(memory, model, f"ws://127.0.0.1:{port}", token)
        await model.close()

    answer = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "好。"}}]}
    with ScriptedModel(script=[Reply(200, answer)] * 3) as model:
        asyncio.run(asyncio.wait_for(play(model.url), 60))
    sent = [one["action"] for one in actions]
    assert sent == ["send_private_msg", "send_group_msg", "send_private_msg"]
    assert actions[1]["params"] == {"group_id": 900100, "message": "好。"}


@pytest.mark.parametrize(
    ("in_file", "in_environment", "status"),
    [("", "", 401), ("wrong", "", 403), (TOKEN, "wrong", 403), ("wrong", TOKEN, 0), (TOKEN, "", 0)],
)
def test_the_access_token_comes_from_the_file_or_the_environment(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    in_file: str,
    in_environment: str,
    status: int,
) -> None:
    """What is refused is said in one line, without the token."""
    model = '[models.chat]\napi_url = "http://127.0.0.1:9/v1"\nmodel_name = "none"\n'
    config = tmp_path / "config.toml"
    config.write_text(f'{model}[onebot]\ntoken = "{in_file}"\n', encoding="utf-8")
    monkeypatch.setenv("ONEBOT_ACCESS_TOKEN", in_environment)
    monkeypatch.setenv("TAISHI__MODELS__EMBEDDING__KIND", "none")
    connected: list[Any] = []

    async def onebot(link: Any) -> None:
        connected.append(link)
        await link.close()

    async def play() -> str:
        options = {"process_request": asks_for_token}
        async with (
            asyncio.timeout(60),
            server_of.serve(onebot, "127.0.0.1", 0, **options) as server,
        ):
            port = server.sockets[0].getsockname()[1]
            try:
                await main(config, f"ws://127.0.0.1:{port}")
            except SystemExit as error:
                return str(error)
        return ""

    said = asyncio.run(play())
    assert len(connected) == (not status) and (f"HTTP {status}" in said) == bool(status)
    assert TOKEN not in said and "wrong" not in said
