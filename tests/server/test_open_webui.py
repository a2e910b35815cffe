"""Open WebUI's headers at the real proxy, named by the variables on the page about it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from support.running_app import RunningApp
from support.scripted_upstream import ScriptedUpstream
from taishi import Memory, Scope
from taishi.api_keys import Keys
from taishi.server.app import create_app

PAGES = ["open-webui.md", "open-webui.zh-CN.md"]
FOLDER = Path(__file__).resolve().parents[2] / "docs/how-to/adapters"
VARIABLE = re.compile(r"^ *(?:ENABLE_)?(FORWARD_\w+)=(\S+)$", re.MULTILINE)


class OpenWebUI:
    """Sends what Open WebUI sends for a message of a user, with the variables of a page set."""

    def __init__(self, page: str, url: str, key: str) -> None:
        self.names = dict(VARIABLE.findall((FOLDER / page).read_text(encoding="utf-8")))
        self.url = f"{url}/openai/v1/chat/completions"
        self.key = key

    def headers(self, user: str, name: str, chat: str) -> dict[str, str]:
        values = {
            "FORWARD_USER_INFO_HEADER_USER_NAME": quote(name, safe=" "),
            "FORWARD_USER_INFO_HEADER_USER_ID": user,
            "FORWARD_USER_INFO_HEADER_USER_EMAIL": f"{user}@example.org",
            "FORWARD_USER_INFO_HEADER_USER_ROLE": "admin",
            "FORWARD_SESSION_INFO_HEADER_CHAT_ID": chat,
        }
        return {self.names[variable]: value for variable, value in values.items()}

    def say(self, user: str, name: str, chat: str, text: str) -> httpx.Response:
        return self.send(self.headers(user, name, chat), text)

    def send(self, headers: dict[str, str], text: str) -> httpx.Response:
        body = {"model": "m", "messages": [{"role": "user", "content": text}]}
        authorization = {"Authorization": f"Bearer {self.key}"}
        answer = httpx.post(self.url, json=body, headers=headers | authorization)
        assert answer.status_code == 200, answer.text
        return answer


@pytest.fixture
def upstream() -> Iterator[ScriptedUpstream]:
    with ScriptedUpstream() as server:
        yield server


@pytest.fixture(params=PAGES)
def chat(
    request: pytest.FixtureRequest,
    open_memory: Callable[..., Memory],
    upstream: ScriptedUpstream,
    tmp_path: Path,
) -> Iterator[tuple[OpenWebUI, Memory, ScriptedUpstream]]:
    changes = {
        "proxy.upstream_url": upstream.url,
        "proxy.api_key": "sk-upstream",
        "query.recall_timeout": 5.0,
    }
    memory = open_memory(changes)
    keys = Keys(tmp_path / "data")
    _, secret = keys.create("open-webui")
    with RunningApp(create_app(memory, keys=keys)) as server:
        yield OpenWebUI(request.param, server.url, secret), memory, upstream


Chat = tuple[OpenWebUI, Memory, ScriptedUpstream]


def settle(memory: Memory, user: str) -> None:
    """A turn is recorded after the answer was sent."""
    end = time.monotonic() + 20
    while not memory.records.digest(Scope(user=user)).total:
        assert time.monotonic() < end, "nothing was recorded"
        time.sleep(0.02)
    assert memory.drain(30)


def test_the_page_names_every_header(chat: Chat) -> None:
    web = chat[0]
    assert web.names["FORWARD_USER_INFO_HEADERS"] == "true"
    assert web.names["FORWARD_USER_INFO_HEADER_USER_ID"] == "X-Taishi-User"
    assert web.names["FORWARD_SESSION_INFO_HEADER_CHAT_ID"] == "X-Taishi-Session"
    assert len(web.names) == 6 and len(set(web.names.values())) == 6


@pytest.mark.parametrize(
    ("name", "told", "asked", "known"),
    [
        ("Ann Lee", "I am allergic to walnuts.", "What am I allergic to?", "walnuts"),
        ("安小姐", "我对花生过敏。", "我对什么过敏？", "花生"),
    ],
)
def test_a_user_is_known_in_the_next_chat_and_nobody_else_is(
    chat: Chat, name: str, told: str, asked: str, known: str
) -> None:
    web, memory, upstream = chat
    web.say("u-1", name, "chat-1", told)
    settle(memory, "u-1")
    answer = web.say("u-1", name, "chat-2", asked)
    assert "hits=" in answer.headers["X-Taishi-Memory"]
    assert known in upstream.chats[-1].said and name in upstream.chats[-1].said
    web.say("u-2", "Ben", "chat-1", asked)
    assert known not in upstream.chats[-1].said


def test_the_chat_is_the_session_and_the_name_the_speaker(chat: Chat) -> None:
    web, memory, _ = chat
    web.say("u-1", "安小姐", "chat-1", "I live in Cork.")
    settle(memory, "u-1")
    events = memory.records.newest(Scope(user="u-1"), kinds=["event"]).records
    assert [one.session for one in events] == ["chat-1"]
    assert any("安小姐" in fact.text for fact in memory.facts.list(Scope(user="u-1")))


def test_the_provider_of_the_model_sees_none_of_it(chat: Chat) -> None:
    web, _, upstream = chat
    web.say("u-1", "Ann Lee", "chat-1", "Hello.")
    sent = upstream.chats[-1].headers
    assert not [name for name in sent if name.lower().startswith("x-taishi")]
    assert not [value for value in sent.values() if "example.org" in value or "u-1" in value]


def test_with_a_signed_token_instead_nobody_is_named_and_the_chat_goes_on(chat: Chat) -> None:
    web, memory, _ = chat
    headers = web.headers("u-1", "Ann", "chat-1")
    session = web.names["FORWARD_SESSION_INFO_HEADER_CHAT_ID"]
    left = {session: headers[session], "X-OpenWebUI-User-Jwt": "e30.e30.e30"}
    answer = web.send(left, "I live in Cork.")
    assert answer.headers["X-Taishi-Memory"].startswith("off; nobody is named")
    assert memory.partitions() == []
