"""The OpenAI-compatible proxy, by the real `openai` client, over real sockets."""

from __future__ import annotations

import contextlib
import gzip
import json
import re
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest

from support.running_app import RunningApp
from support.scripted_model import ScriptedModel
from support.scripted_upstream import (
    Reply,
    ScriptedUpstream,
    Seen,
    Stream,
    completion,
    piece,
    pieces,
)
from taishi import Memory, Scope
from taishi.api_keys import Keys
from taishi.server.app import create_app
from taishi.server.openai_proxy.chat import read_answer, read_chat, statements

OPEN = "=== Memory:"
OPEN_ZH = "=== 记忆"
TOOL = {
    "type": "function",
    "function": {"name": "clock", "parameters": {"type": "object", "properties": {}}},
}


@dataclass
class Door:
    """A running proxy, its upstream and what lies behind."""

    url: str
    memory: Memory
    upstream: ScriptedUpstream
    keys: Keys
    closing: contextlib.ExitStack

    def client(self, key: str = "sk-own", **headers: str) -> openai.OpenAI:
        made = openai.OpenAI(
            base_url=f"{self.url}/openai/v1", api_key=key, max_retries=0, default_headers=headers
        )
        return self.closing.enter_context(made)

    def say(self, text: str, user: str | None = "ann", **options: Any) -> str:
        """One chat of one message; the answer's words."""
        headers = options.pop("headers", {})
        if user:
            options["user"] = user
        answer = self.client(**headers).chat.completions.create(
            model="m", messages=[{"role": "user", "content": text}], **options
        )
        return str(answer.choices[0].message.content)

    def tell(self, text: str, user: str = "ann", **options: Any) -> None:
        """Say it, and wait until the historian is done with it."""
        before = self.turns("recorded")
        self.say(text, user, **options)
        self.settle(before + 1)

    def settle(self, recorded: int) -> None:
        wait_for(lambda: self.turns("recorded") >= recorded)
        self.memory.drain(30)

    def turns(self, outcome: str) -> int:
        metrics = httpx.get(f"{self.url}/metrics").text
        wanted = f'taishi_proxy_turns_total{{outcome="{outcome}"}} '
        found = [line for line in metrics.splitlines() if line.startswith(wanted)]
        return int(float(found[0].rpartition(" ")[2])) if found else 0

    @property
    def last(self) -> Seen:
        return self.upstream.chats[-1]


def wait_for(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


@pytest.fixture
def open_door(open_memory: Callable[..., Memory], tmp_path: Path) -> Iterator[Callable[..., Door]]:
    with contextlib.ExitStack() as stack:

        def open_one(changes: dict[str, Any] | None = None, **options: Any) -> Door:
            upstream = stack.enter_context(ScriptedUpstream())
            base = {"proxy.upstream_url": upstream.url, "query.recall_timeout": 5.0,
                    "monitoring.open_metrics": True}  # fmt: skip
            memory = open_memory(base | (changes or {}), **options)
            keys = Keys(tmp_path / "data")
            server = stack.enter_context(RunningApp(create_app(memory, keys=keys)))
            return Door(server.url, memory, upstream, keys, stack)

        yield open_one


@pytest.fixture
def door(open_door: Callable[..., Door]) -> Door:
    return open_door()


# -- memory ------------------------------------------------------------------------------------


def test_T2_a_fact_told_in_one_conversation_is_in_the_block_of_the_next(door: Door) -> None:
    door.tell("I moved to Oslo and I am allergic to peanuts.")
    door.say("Where do I live?")
    assert OPEN in door.last.said
    assert "Oslo" in door.last.said
    assert door.last.said.endswith("\n\nWhere do I live?")


def test_T2_the_same_in_chinese(door: Door) -> None:
    door.tell("我搬到了上海，我对花生过敏。", user="小李")
    door.say("我住在哪里？", user="小李")
    assert OPEN_ZH in door.last.said
    assert "上海" in door.last.said


def test_T2_a_statement_that_no_rule_knows_is_kept_too(door: Door) -> None:
    door.tell("Our production database is called Bluebird and runs on port 6433.")
    door.say("What is the port of Bluebird?")
    assert "6433" in door.last.said


def test_I1_the_block_is_in_the_user_turn_and_never_in_the_system_prompt(door: Door) -> None:
    door.tell("I live in Oslo.")
    messages: list[Any] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hello!"},
        {"role": "assistant", "content": "Hi."},
        {"role": "user", "content": "Which city do I live in?"},
    ]
    door.client().chat.completions.create(model="m", messages=messages, user="ann")
    sent = door.last.body["messages"]
    assert [one["role"] for one in sent] == [one["role"] for one in messages]
    assert sent[:3] == messages[:3]
    assert "Oslo" in sent[3]["content"]


def test_I1_parts_of_a_message_stay_as_they_are(door: Door) -> None:
    door.tell("I live in Oslo.")
    image = {
        "type": "image_url",
        "image_url": {"url": "data:image/png;base64,AAAA", "detail": "low"},
    }
    parts: list[Any] = [{"type": "text", "text": "Where do I live?"}, image]
    door.client().chat.completions.create(
        model="m", messages=[{"role": "user", "content": parts}], user="ann"
    )
    first, *rest = door.last.body["messages"][0]["content"]
    assert rest == parts
    assert first["type"] == "text"
    assert "Oslo" in first["text"]


def test_H6_our_own_block_is_never_taken_in_as_new(door: Door) -> None:
    door.tell("I live in Oslo.")
    door.say("Where do I live?")
    pasted = door.last.said  # a client that keeps what it should not have seen
    assert OPEN in pasted
    before = door.memory.status()["records"]
    door.say(pasted)
    wait_for(lambda: door.turns("nothing_told") >= 2)
    door.memory.drain(30)
    assert door.memory.status()["records"] == before
    assert door.last.said.count(OPEN) == 2  # what the client sent is passed on, ours besides


def test_S3_users_do_not_see_each_other(door: Door) -> None:
    door.tell("My locker is number 4711 and I live in Oslo.", user="ann")
    for other in ("bob", "Ann", "an", "ann "):
        door.say("What is my locker code? Where do I live?", user=other)
        assert "4711" not in door.last.said, other
    door.say("What is my locker code?", user="ann")
    assert "4711" in door.last.said


def test_S2_what_was_told_in_a_group_stays_there(door: Door) -> None:
    in_group = {"X-Taishi-User": "ann", "X-Taishi-Group": "g1"}
    door.tell("The party is at the old mill.", headers=in_group)
    door.say("Where is the party?", headers=in_group)
    assert "old mill" in door.last.said
    door.say("Where is the party?", user="ann")
    assert "old mill" not in door.last.said
    door.say("Where is the party?", headers={**in_group, "X-Taishi-Workspace": "other"})
    assert "old mill" not in door.last.said


def test_S1_ids_in_any_script_arrive_whole_in_headers(door: Door) -> None:
    door.tell("我住在成都。", user="小李")
    url = f"{door.url}/openai/v1/chat/completions"
    body = {"model": "m", "messages": [{"role": "user", "content": "我住在哪里？"}]}
    for name in ("小李".encode(), b"%E5%B0%8F%E6%9D%8E"):
        answer = httpx.post(url, json=body, headers={"X-Taishi-User": name})
        assert answer.status_code == 200
        assert "成都" in door.last.said


def test_R1_a_secret_that_was_told_is_not_kept(door: Door, tmp_path: Path) -> None:
    secret = "sk-proj-" + "a1B2c3D4" * 5
    door.tell(f"My key is {secret} and I live in Oslo.")
    door.memory.close()
    stored = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"Oslo" in stored
    assert secret.encode() not in stored


def test_the_header_tells_what_memory_did(door: Door) -> None:
    door.tell("I live in Oslo.")

    def note(**options: Any) -> str:
        asked = door.client().chat.completions.with_raw_response.create(
            model="m", messages=[{"role": "user", "content": "Where do I live?"}], **options
        )
        return str(asked.headers["x-taishi-memory"])

    assert note(user="ann").startswith("hybrid;hits=")
    assert "ms=" in note(user="ann")
    assert note().startswith("off; nobody")
    assert note(user="x" * 300).startswith("off; the id")


def test_who_is_not_named_chats_without_memory(door: Door) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "I live in Oslo."}]}
    raw = json.dumps(body, indent=3).encode()
    url = f"{door.url}/openai/v1/chat/completions"
    answer = httpx.post(url, content=raw, headers={"content-type": "application/json"})
    assert answer.status_code == 200
    assert door.last.raw == raw
    door.memory.drain(30)
    assert door.memory.status()["records"] == {"unembedded": 0}


def test_C3_memory_off_is_a_plain_proxy(open_door: Callable[..., Door]) -> None:
    door = open_door({"memory.enabled": False})
    assert door.say("I live in Oslo.") == "Noted."
    assert door.last.said == "I live in Oslo."


def test_Q3_a_memory_that_fails_does_not_break_the_chat(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("the disk is on fire")

    for verb in ("brief", "end_turn", "consider"):
        monkeypatch.setattr(door.memory, verb, broken)
    assert door.say("I live in Oslo.") == "Noted."
    wait_for(lambda: door.turns("failed") == 1)


def test_Q2_a_memory_that_hangs_costs_no_more_than_the_deadline(
    open_door: Callable[..., Door], monkeypatch: pytest.MonkeyPatch
) -> None:
    door = open_door({"query.recall_timeout": 0.2})
    door.say("Hello there.")
    monkeypatch.setattr(door.memory, "brief", lambda *_, **__: time.sleep(3))
    begun = time.monotonic()
    assert door.say("Where do I live?") == "Noted."
    assert time.monotonic() - begun < 1.5


def test_W9_with_a_model_it_decides_what_is_kept(open_door: Callable[..., Door]) -> None:
    with ScriptedModel() as model:
        chat = {"models.chat.api_url": model.url, "models.chat.model_name": "scripted"}
        door = open_door(chat)
        door.tell("I like jasmine tea.")
        assert model.asked("decide")
        asked = json.dumps(model.asked("decide")[0].body, ensure_ascii=False)
        assert "jasmine" in asked
        assert "Noted." in asked


def test_the_name_in_the_message_is_the_speakers(door: Door) -> None:
    message: Any = {"role": "user", "name": "Ann", "content": "I live in Oslo."}
    door.client().chat.completions.create(model="m", messages=[message], user="u-7")
    door.settle(1)
    assert "Ann lives in Oslo" in door.memory.context(Scope(user="u-7"), "Where does Ann live?")


def test_a_request_sent_twice_is_one_turn(door: Door) -> None:
    door.tell("I live in Oslo.")
    door.say("I live in Oslo.")
    wait_for(lambda: door.turns("repeated") == 1)
    door.memory.drain(30)
    assert door.memory.status()["records"]["event"] == 1


# -- passing on ----------------------------------------------------------------------------------


def test_T2_streaming_gives_the_same_pieces_as_they_come(door: Door) -> None:
    door.tell("I live in Oslo.")
    sent = pieces("You ", "live ", "in ", "Oslo.")
    door.upstream.script.append(Stream(sent, gap=0.15))
    body = {"model": "m", "stream": True, "user": "ann",
            "messages": [{"role": "user", "content": "Where do I live?"}]}  # fmt: skip
    url, came = f"{door.url}/openai/v1/chat/completions", []
    with httpx.stream("POST", url, json=body) as answer:
        for chunk in answer.iter_raw():
            came.append((time.monotonic(), chunk))
    assert b"".join(chunk for _, chunk in came) == b"".join(sent)
    assert came[-1][0] - came[0][0] > 0.15 * (len(sent) - 3)  # not held back till the end
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.headers["x-upstream-request-id"] == "req-upstream"
    assert "Oslo" in door.last.said


def test_T2_the_openai_client_streams_and_the_turn_is_kept(door: Door) -> None:
    stream = door.client().chat.completions.create(
        model="m", stream=True, user="ann",
        messages=[{"role": "user", "content": "I live in Oslo."}],
    )  # fmt: skip
    assert "".join(chunk.choices[0].delta.content or "" for chunk in stream) == "Noted."
    door.settle(1)
    assert "Oslo" in door.memory.context(Scope(user="ann"), "Where do I live?")


def test_T2_the_async_client_works_too(door: Door) -> None:
    import asyncio

    async def chat() -> str:
        async with openai.AsyncOpenAI(
            base_url=f"{door.url}/openai/v1", api_key="sk-own", max_retries=0
        ) as client:
            stream = await client.chat.completions.create(
                model="m", stream=True, user="ann",
                messages=[{"role": "user", "content": "I live in Oslo."}],
            )  # fmt: skip
            return "".join([chunk.choices[0].delta.content or "" async for chunk in stream])

    assert asyncio.run(chat()) == "Noted."


def test_T2_tools_and_unknown_fields_go_through_untouched(door: Door) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "clock", "arguments": "{}"}}
    door.upstream.script.append(Reply(200, completion(None, tool_calls=[call])))
    odd = {"vendor": {"deep": [1, 2.5, None, "文"]}}
    answer = door.client().chat.completions.create(
        model="m", user="ann", tools=[TOOL], tool_choice="auto", temperature=0.25, extra_body=odd,
        messages=[{"role": "user", "content": "What time is it?"}],
    )  # fmt: skip
    assert answer.choices[0].finish_reason == "tool_calls"
    (asked,) = answer.choices[0].message.tool_calls or []
    assert (asked.id, asked.function.name) == ("c1", "clock")
    sent = door.last.body
    assert sent["tools"] == [TOOL]
    assert (sent["tool_choice"], sent["temperature"]) == ("auto", 0.25)
    assert sent["vendor"] == odd["vendor"]


def test_T2_after_a_tool_result_the_block_is_in_the_last_user_message(door: Door) -> None:
    door.tell("I live in Oslo.")
    call = {"id": "c1", "type": "function", "function": {"name": "clock", "arguments": "{}"}}
    messages: list[Any] = [
        {"role": "user", "content": "What time is it where I live?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "12:00. I live in Rome."},
    ]
    door.client().chat.completions.create(model="m", messages=messages, user="ann", tools=[TOOL])
    sent = door.last.body["messages"]
    assert "Oslo" in sent[0]["content"]
    assert sent[1:] == messages[1:]
    recorded = door.turns("recorded")
    time.sleep(0.3)
    assert (
        door.turns("recorded") == recorded == 1
    )  # the question was asked before, the tool is mute


def test_T2_models_and_embeddings_pass(door: Door) -> None:
    assert [model.id for model in door.client().models.list()] == ["scripted"]
    door.upstream.script.append(
        Reply(200, b'{"data": [{"id": "a"}, {"id": "a/b", "object": "model"}]}')
    )
    assert door.client().models.retrieve("a/b").id == "a/b"
    answer = httpx.post(f"{door.url}/openai/v1/embeddings", json={"model": "m", "input": "x"})
    assert (answer.status_code, answer.json()["object"]) == (200, "list")
    assert httpx.post(f"{door.url}/openai/v1/files", json={}).status_code == 404


# -- what goes wrong -------------------------------------------------------------------------------


def test_T2_upstream_errors_pass_through_unchanged(door: Door) -> None:
    body = b'{"error":  {"message": "as it is", "type": "t", "param": null, "code": "c"} }'
    headers = {"Retry-After": "7", "X-RateLimit-Remaining-Tokens": "0"}
    for status, stream in product((400, 401, 404, 422, 429, 500, 503), (False, True)):
        door.upstream.script.append(Reply(status, body, headers))
        with pytest.raises(openai.APIStatusError) as caught:
            door.say("I live in Oslo.", stream=stream)
        answer = caught.value.response
        assert (answer.status_code, answer.content) == (status, body)
        assert answer.headers["retry-after"] == "7"
        assert answer.headers["x-ratelimit-remaining-tokens"] == "0"
    door.memory.drain(30)
    assert door.memory.status()["records"] == {"unembedded": 0}  # nothing is kept


def test_T2_an_upstream_that_is_down_is_a_502(open_door: Callable[..., Door]) -> None:
    door = open_door({"proxy.upstream_url": "http://127.0.0.1:9/v1"})
    with pytest.raises(openai.InternalServerError) as caught:
        door.say("I live in Oslo.")
    assert caught.value.status_code == 502
    assert caught.value.code == "upstream_down"
    assert "proxy.upstream_url" in caught.value.message
    door.memory.drain(30)
    assert door.memory.status()["records"] == {"unembedded": 0}


def test_T2_an_upstream_that_is_too_slow_is_a_504(open_door: Callable[..., Door]) -> None:
    door = open_door({"proxy.timeout_seconds": 0.3})
    door.upstream.script.append(Reply(200, completion("late"), delay=2))
    with pytest.raises(openai.InternalServerError) as caught:
        door.say("I live in Oslo.")
    assert (caught.value.status_code, caught.value.code) == (504, "upstream_timeout")


def test_T2_no_upstream_set_up_says_what_to_set(open_door: Callable[..., Door]) -> None:
    door = open_door({"proxy.upstream_url": ""})
    with pytest.raises(openai.InternalServerError) as caught:
        door.say("Hello.")
    assert caught.value.status_code == 503
    assert "proxy.upstream_url" in caught.value.message


def test_T2_a_stream_that_breaks_off_is_an_error_and_keeps_nothing(door: Door) -> None:
    door.upstream.script.append(Stream(pieces("No")[:2], cut=True))
    stream = door.client().chat.completions.create(
        model="m", stream=True, user="ann",
        messages=[{"role": "user", "content": "I live in Oslo."}],
    )  # fmt: skip
    with pytest.raises(openai.APIError):
        list(stream)
    time.sleep(0.2)
    assert door.turns("recorded") == 0


def test_T2_a_whole_answer_that_breaks_off_is_not_taken_for_whole(door: Door) -> None:
    door.upstream.script.append(Reply(200, completion("ok"), cut=True))
    url = f"{door.url}/openai/v1/chat/completions"
    body = {"model": "m", "user": "ann", "messages": [{"role": "user", "content": "I live here."}]}
    with pytest.raises(httpx.HTTPError):
        httpx.post(url, json=body, timeout=10)
    assert door.turns("recorded") == 0


def test_T2_an_answer_that_only_the_client_can_read_is_passed_and_the_turn_kept(door: Door) -> None:
    packed = gzip.compress(completion("Noted."))
    door.upstream.script.append(Reply(200, packed, {"Content-Encoding": "gzip"}))
    assert door.say("I live in Oslo.") == "Noted."
    door.settle(1)


def test_W_a_client_that_leaves_midway_said_what_it_said(door: Door) -> None:
    door.upstream.script.append(Stream([piece({"content": "word "})] * 200, gap=0.05))
    stream = door.client().chat.completions.create(
        model="m", stream=True, user="ann",
        messages=[{"role": "user", "content": "I live in Oslo."}],
    )  # fmt: skip
    next(iter(stream))
    stream.close()
    door.settle(1)
    assert "Oslo" in door.memory.context(Scope(user="ann"), "Where do I live?")
    assert door.upstream.hung_up.wait(10)  # nobody pays for words that nobody reads
    assert len(door.upstream.sent) < 150


ODD = (
    b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"messages": 3}', b'{"messages": [3]}',
    b'{"messages": []}', b'{"messages": [{"role": "user", "content": 7}], "user": {}}',
    b'{"messages": [{"role": "user"}], "user": "ann"}', b"[" * 100_000,
    b'{"user": "ann", "messages": [{"role": "user", "content": "\\ud800\\u0000"}]}',
    b'{"user": "ann", "messages": [7, {"role": "user", "content": "hi", "name": 7}]}',
)  # fmt: skip


def test_odd_bodies_are_the_upstreams_to_judge(door: Door) -> None:
    complaint = b'{"error": {"message": "bad"}}'
    url = f"{door.url}/openai/v1/chat/completions"
    for raw in [one for one in ODD if one.startswith(b"{") and one != b"{"]:
        door.upstream.script.append(Reply(400, complaint))
        answer = httpx.post(url, content=raw, headers={"content-type": "application/json"})
        assert (answer.status_code, answer.content) == (400, complaint), raw[:50]


def test_a_page_of_another_origin_cannot_send_a_simple_request(door: Door) -> None:
    url = f"{door.url}/openai/v1/chat/completions"
    answer = httpx.post(url, content=b"{}", headers={"content-type": "text/plain"})
    assert answer.status_code == 415
    assert not door.upstream.requests


# -- keys ------------------------------------------------------------------------------------------


def test_S3_a_key_bound_to_a_user_speaks_for_nobody_else(door: Door) -> None:
    door.tell("My locker is number 4711.", user="bob")
    _, secret = door.keys.create("ann's", user="ann")
    client = door.client(secret)

    def say(text: str, **options: Any) -> Any:
        message: Any = {"role": "user", "content": text}
        return client.chat.completions.create(model="m", messages=[message], **options)

    say("What is the locker code?")
    assert "4711" not in door.last.said
    for reach in (
        {"user": "bob"},
        {"extra_headers": {"X-Taishi-User": "bob"}},
        {"extra_headers": {"X-Taishi-Group": "g1"}},
        {"extra_headers": {"X-Taishi-Workspace": "other"}},
    ):
        asked = len(door.upstream.requests)
        with pytest.raises(openai.PermissionDeniedError) as caught:
            say("What is the locker code?", **reach)
        assert caught.value.type == "invalid_request_error"
        assert len(door.upstream.requests) == asked


def test_S3_no_key_hears_a_secret_from_outside_it_whatever_it_asks_for(door: Door) -> None:
    """Every kind of key × everything a request can name, a different secret in every place."""
    spaces, users, groups, agents = ("w1", "w2"), ("ann", "bob"), ("g1", "g2"), ("a1", "a2")
    homes = [
        Scope(workspace=space, **{kind: one})
        for space in spaces
        for kind, ids in (("user", users), ("group", groups), ("agent", agents))
        for one in ids
    ]
    secrets = {str(home.home): f"magpie{number}x" for number, home in enumerate(homes)}
    for home in homes:
        door.memory.remember(home, f"The secret word is {secrets[str(home.home)]}")
    bindings: list[dict[str, Any]] = [
        {"workspace": None}, {"workspace": "w1"}, {"workspace": "w1", "user": "ann"},
        {"workspace": "w1", "group": "g1"}, {"workspace": "w1", "agent": "a1"},
    ]  # fmt: skip
    rows = product((None, *spaces), (None, *users), (None, *groups), (None, "a2"))
    asks = [dict(zip(("Workspace", "User", "Group", "Agent"), row, strict=True)) for row in rows]
    heard = refused = 0
    for binding in bindings:
        _, secret = door.keys.create("some", **binding)
        within = {
            secrets[str(home.home)]
            for home in homes
            if all(want is None or getattr(home, what) == want for what, want in binding.items())
        }
        with httpx.Client(headers={"Authorization": f"Bearer {secret}"}) as client:
            for ask in asks:
                headers = {f"X-Taishi-{what}": one for what, one in ask.items() if one}
                body = {"model": "m", "messages": [{"role": "user", "content": "secret word?"}]}
                url = f"{door.url}/openai/v1/chat/completions"
                status = client.post(url, json=body, headers=headers).status_code
                refused += status == 403
                told = set(re.findall(r"magpie\d+x", door.last.said)) if status == 200 else set()
                assert told <= within, (binding, ask)
                heard += bool(told)
    assert heard > 50
    assert refused > 50


def test_a_key_that_may_only_read_is_not_recorded(door: Door) -> None:
    _, secret = door.keys.create("reader", rights="read", user="ann")
    message: Any = {"role": "user", "content": "I live in Oslo."}
    door.client(secret).chat.completions.create(model="m", messages=[message])
    time.sleep(0.2)
    assert door.memory.status()["records"] == {"unembedded": 0}


def test_no_key_or_a_wrong_one_is_a_401(door: Door) -> None:
    door.keys.create("somebody")
    for key in ("sk-own", "tsk_0123456789ab_" + "x" * 43):
        with pytest.raises(openai.AuthenticationError):
            door.client(key).models.list()
        with pytest.raises(openai.AuthenticationError):
            door.say("Hello.", headers={"key": key})
    assert not door.upstream.requests


def test_the_clients_own_authorization_goes_on_when_no_key_is_configured(door: Door) -> None:
    _, secret = door.keys.create("ann's", user="ann")
    message: Any = {"role": "user", "content": "Hello."}
    client = door.client("sk-own", **{"X-API-Key": secret})
    client.chat.completions.create(model="m", messages=[message])
    assert door.last.headers["authorization"] == "Bearer sk-own"
    door.client(secret).chat.completions.create(model="m", messages=[message])
    assert "authorization" not in door.last.headers  # ours is nobody else's to see
    for seen in door.upstream.requests:
        told = json.dumps(seen.headers).lower()
        assert secret.lower() not in told
        assert "x-api-key" not in told
        assert "x-taishi" not in told


def test_the_configured_key_replaces_the_clients(open_door: Callable[..., Door]) -> None:
    door = open_door({"proxy.api_key": "sk-configured"})
    door.say("Hello.", headers={"OpenAI-Organization": "org-1", "Cookie": "a=b"})
    assert door.last.headers["authorization"] == "Bearer sk-configured"
    assert door.last.headers["openai-organization"] == "org-1"
    assert "cookie" not in door.last.headers


def test_hop_by_hop_headers_stay_on_their_hop(door: Door) -> None:
    hop = {"Connection": "keep-alive, X-Private", "X-Private": "1", "TE": "trailers", "X-Kept": "2"}
    body = {"model": "m", "messages": [{"role": "user", "content": "Hello."}]}
    door.upstream.script.append(
        Reply(
            200, completion("ok"), {"Keep-Alive": "timeout=9", "Set-Cookie": "s=1", "X-Back": "3"}
        )
    )
    answer = httpx.post(f"{door.url}/openai/v1/chat/completions", json=body, headers=hop)
    assert door.last.headers["x-kept"] == "2"
    assert not {"x-private", "te"} & door.last.headers.keys()
    assert answer.headers["x-back"] == "3"
    assert not {"keep-alive", "set-cookie"} & answer.headers.keys()


# -- what it costs ---------------------------------------------------------------------------------


def test_N_the_first_byte_comes_at_most_recall_and_a_few_ms_later(door: Door) -> None:
    """Medians of interleaved requests; the bar is 5 ms, with slack for a busy machine."""
    for number in range(3):
        door.tell(f"I live in house number {number} in Oslo.")
    body = {"model": "m", "stream": True, "user": "ann",
            "messages": [{"role": "user", "content": "Where do I live?"}]}  # fmt: skip
    added, recall = [], []
    with httpx.Client() as client:
        for _ in range(40):
            alone, _ = first_byte(client, f"{door.upstream.url}/chat/completions", body)
            through, note = first_byte(client, f"{door.url}/openai/v1/chat/completions", body)
            added.append((through - alone) * 1000)
            recall.append(float(note.rpartition("ms=")[2]))
    print(f"first byte: +{statistics.median(added):.2f} ms, recall {statistics.median(recall):.2f}")
    assert statistics.median(added) < statistics.median(recall) + 5 + 10


def first_byte(client: httpx.Client, url: str, body: Any) -> tuple[float, str]:
    begun = time.perf_counter()
    with client.stream("POST", url, json=body) as answer:
        rest = answer.iter_raw()
        next(rest)
        took = time.perf_counter() - begun
        for _ in rest:
            pass
    return took, answer.headers.get("x-taishi-memory", "")


# -- the pure part ---------------------------------------------------------------------------------


def test_statements_are_what_was_told() -> None:
    text = "Hi there! I live in Oslo. Do you know it? My cat is Miso.\n```\ncode = 1\n```\nThanks!"
    assert statements(text) == ["I live in Oslo.", "My cat is Miso."]
    assert statements("你好！我住在上海。你呢？我养了一只猫。谢谢") == [
        "我住在上海。",
        "我养了一只猫。",
    ]
    assert statements("where do I live") == []
    assert statements("你知道我住在哪里吗") == []
    assert len(statements("I said so. " * 50_000)) == 1


def test_a_megabyte_of_anything_is_read_in_time() -> None:
    begun = time.monotonic()
    for text in ("a" * 10**6, "? " * 500_000, "```" * 300_000, "吗，" * 500_000, "=== " * 250_000):
        raw = json.dumps({"messages": [{"role": "user", "content": text}]}).encode()
        chat = read_chat(json.loads(raw))
        assert chat is not None
        statements(chat.user_text)
    assert time.monotonic() - begun < 5


def test_a_stream_that_was_cut_gives_what_there_was() -> None:
    whole = b"".join(pieces("I ", "see."))
    assert read_answer(whole, True).text == "I see."
    assert read_answer(whole[: whole.index(b"see") + 1], True).text == "I "
    assert not read_answer(b'data: {"error": {"message": "no"}}\n\n', True).ok


# -- the page --------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", ["openai-proxy.md", "openai-proxy.zh-CN.md"])
def test_the_how_to_is_true(door: Door, page: str, capsys: pytest.CaptureFixture[str]) -> None:
    root = Path(__file__).resolve().parents[2]
    text = (root / "docs" / "how-to" / page).read_text(encoding="utf-8")
    (code,) = re.findall(r"^```py\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    first, _, second = code.replace("http://127.0.0.1:8321", door.url).partition("\n# ")
    names: dict[str, Any] = {}
    exec(compile(first, page, "exec"), names)
    door.settle(1)
    exec(compile("# " + second, page, "exec"), names)
    assert capsys.readouterr().out == "Noted.\n"
    (block,) = re.findall(r"^```text\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    for line in block.splitlines():
        if line.strip("….") and line.strip("…"):
            assert line in door.last.said.splitlines(), line


def test_N_a_listening_socket_sends_at_once() -> None:
    """asyncio switches Nagle's algorithm off only where the protocol is named."""
    import socket

    from taishi.server.run import listen

    with listen("127.0.0.1", 0) as made:
        assert made.proto == socket.IPPROTO_TCP


def test_T2_made_up_requests_find_no_mistake_of_ours(serve: Callable[..., Any]) -> None:
    """Every route here and of health, from the app's own description; bodies are not judged."""
    import hypothesis
    import schemathesis
    from schemathesis import checks

    with ScriptedUpstream() as upstream:
        served = serve({"proxy.upstream_url": upstream.url})
        schema = schemathesis.openapi.from_dict(served.app.openapi())
        schema.app = served.app
        every = [one.ok() for one in schema.get_all_operations()]
        ours = [one for one in every if not one.path.startswith("/v1/")]
        assert {"/openai/v1/chat/completions", "/metrics"} <= {one.path for one in ours}
        wanted = [checks.not_a_server_error, checks.status_code_conformance,
                  checks.content_type_conformance, checks.response_schema_conformance]  # fmt: skip
        for operation in ours:

            @hypothesis.given(case=operation.as_strategy())
            @hypothesis.settings(max_examples=8, derandomize=True, database=None, deadline=None,
                                 suppress_health_check=list(hypothesis.HealthCheck))  # fmt: skip
            def ask(case: Any) -> None:
                case.call_and_validate(session=served.client, checks=wanted)

            ask()
