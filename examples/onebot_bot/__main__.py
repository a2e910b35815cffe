"""`python -m examples.onebot_bot [--config FILE] [--ws URL]`: events from stdin or a WebSocket.

The access token of the OneBot server is `ONEBOT_ACCESS_TOKEN`, or `token` under `[onebot]`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import sys
import tomllib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from taishi.adapters.undefined import UndefinedMemory

from .bot import OneBotBot, Send
from .chat_model import ChatModel

log = logging.getLogger("onebot_bot")
HERE = Path(__file__).parent
NO_WEBSOCKETS = "WebSocket 还需要一个包 / one more package is needed: pip install websockets"
REFUSED = (
    "OneBot 服务拒绝连接：令牌不对或没有给 / the OneBot server refused the access token (HTTP {}): "
    'config.toml, [onebot] token = "…"; ONEBOT_ACCESS_TOKEN'
)


async def main(config: Path, websocket: str) -> None:
    read = tomllib.loads(config.read_text(encoding="utf-8"))
    chat = read["models"]["chat"]
    token = os.environ.get("ONEBOT_ACCESS_TOKEN") or read.get("onebot", {}).get("token", "")
    model = ChatModel(chat["api_url"], chat.get("api_key", ""), chat["model_name"])
    with UndefinedMemory.open(config) as memory:
        await asyncio.to_thread(memory.memory.warm_up)  # or the first message may go without
        try:
            if websocket:
                await over_websocket(memory, model, websocket, token)
            else:
                await run(OneBotBot(memory, model, print_action), lines_of_stdin())
                await asyncio.to_thread(memory.memory.drain, 60)  # all of the file is in memory
        finally:
            await model.close()


async def run(bot: OneBotBot, lines: AsyncIterator[str | bytes]) -> None:
    """Each line is an event. One that is not JSON is reported and skipped."""
    async for line in lines:
        if not line.strip():
            continue
        try:
            event = json.loads(line)
        except ValueError:
            log.warning("不是 JSON，已跳过 / skipped: not JSON: %.80r", line)
            continue
        await bot.handle(event)


async def print_action(action: dict[str, Any]) -> None:
    print(json.dumps(action, ensure_ascii=False), flush=True)


async def lines_of_stdin() -> AsyncIterator[str]:
    while line := await asyncio.to_thread(sys.stdin.readline):
        yield line


async def over_websocket(
    memory: UndefinedMemory, model: ChatModel, url: str, token: str = ""
) -> None:
    """Connect to a OneBot server (forward WebSocket), such as NapCat's."""
    try:
        from websockets.asyncio.client import connect
        from websockets.exceptions import InvalidStatus
    except ModuleNotFoundError:
        raise SystemExit(NO_WEBSOCKETS) from None
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        link = await connect(url, additional_headers=headers)
    except InvalidStatus as error:
        if error.response.status_code in (401, 403):
            raise SystemExit(REFUSED.format(error.response.status_code)) from None
        raise
    async with link:

        async def send(action: dict[str, Any]) -> None:
            await link.send(json.dumps(action, ensure_ascii=False))

        sender: Send = send
        await run(OneBotBot(memory, model, sender), aiter(link))
    log.warning("连接已断开 / the connection ended: %s %s", link.close_code, link.close_reason)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="onebot_bot")
    parser.add_argument("--config", type=Path, default=HERE / "config.toml")
    parser.add_argument("--ws", default="", help="ws://127.0.0.1:3001; left out: JSON lines, stdin")
    options = parser.parse_args()
    if not options.config.is_file():
        parser.error(f"没有这个文件 / no such file: {options.config}")
    logging.basicConfig(level=logging.INFO, stream=sys.stderr)
    asyncio.run(main(options.config, options.ws))
