"""The example bot on a real forward WebSocket, as NapCat and other OneBot servers offer it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from examples.onebot_bot.__main__ import over_websocket
from examples.onebot_bot.chat_model import ChatModel

from support.scripted_model import Reply, ScriptedModel
from taishi.adapters.undefined import UndefinedMemory

server_of = pytest.importorskip("websockets.asyncio.server", reason="websockets is not installed")
EXAMPLE = Path(__file__).parents[2] / "examples" / "onebot_bot"


def test_events_come_and_replies_go_over_a_websocket(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[cognitive]\n", encoding="utf-8")
    actions: list[dict[str, Any]] = []
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
        async with server_of.serve(onebot, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            with UndefinedMemory.open(tmp_path / "config.toml", overrides=options) as memory:
                await over_websocket(memory, model, f"ws://127.0.0.1:{port}")
        await model.close()

    answer = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "好。"}}]}
    with ScriptedModel(script=[Reply(200, answer)] * 3) as model:
        asyncio.run(asyncio.wait_for(play(model.url), 60))
    sent = [one["action"] for one in actions]
    assert sent == ["send_private_msg", "send_group_msg", "send_private_msg"]
    assert actions[1]["params"] == {"group_id": 900100, "message": "好。"}
