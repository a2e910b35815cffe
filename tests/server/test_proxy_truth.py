"""The proxy keeps what people said and nothing else, and fails in OpenAI's own words."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
import openai
import pytest

from server.test_proxy import OPEN, OPEN_ZH, Door
from server.test_proxy import open_door as open_door
from support.housekeeping_prompts import HOUSEKEEPING, PEOPLE
from support.scripted_upstream import Reply, Stream, response_events
from taishi import Scope

JSON = {"content-type": "application/json"}


@pytest.fixture
def door(open_door: Callable[..., Door]) -> Door:
    return open_door()


# -- housekeeping ----------------------------------------------------------------------------------


def test_T2_a_clients_own_prompts_are_neither_recorded_nor_given_memory(door: Door) -> None:
    door.tell("I live in Oslo and I drink oolong tea.")
    client = door.client()
    for name, messages in HOUSEKEEPING.items():
        client.chat.completions.create(model="m", messages=messages, user="ann")  # type: ignore[arg-type]
        assert OPEN not in door.last.raw.decode(), name
        assert door.last.body["messages"] == messages, name
    door.tell("I own a zither.")  # whatever was sent before it is recorded by now
    texts = [hit.text for hit in door.memory.recall(Scope(user="ann"), "Oslo title", 50).hits]
    assert not [text for text in texts if "title" in text.lower() or "summar" in text.lower()]
    assert door.turns("recorded") == 2


@pytest.mark.parametrize("name", PEOPLE)
def test_T2_people_get_their_memory(door: Door, name: str) -> None:
    door.memory.remember(Scope(user="ann"), "Ann drinks oolong tea")
    door.memory.profiles.set(Scope(user="ann"), "- Ann drinks oolong tea", "Ann")
    door.client().chat.completions.create(model="m", messages=PEOPLE[name], user="ann")  # type: ignore[arg-type]
    assert OPEN in door.last.said or OPEN_ZH in door.last.said


RETRIEVAL = "### Task:\nRespond to the user query using the provided context.\n<context>\n"


@pytest.mark.parametrize(
    "text",
    [
        f"{RETRIEVAL}Bob lives in Rome.\n</context>\n\nI moved to Oslo.",
        f"{RETRIEVAL}Bob lives in Rome.\n</context>\n<user_query>\nI moved to Oslo.\n</user_query>",
    ],
)
def test_T2_of_a_template_with_documents_only_the_persons_words_are_kept(
    door: Door, text: str
) -> None:
    door.tell(text)
    kept = [hit.text for hit in door.memory.recall(Scope(user="ann"), "Oslo Rome user", 20).hits]
    assert any("Oslo" in one for one in kept)
    assert not [one for one in kept if "Rome" in one or "user query" in one]
    assert door.last.said.endswith(text)


# -- headers ---------------------------------------------------------------------------------------


def test_T2_a_request_may_ask_not_to_be_recorded(door: Door) -> None:
    door.tell("I drink oolong tea.")
    for word in ("off", "OFF", "false", "0"):
        door.say("I also drink absinthe. What tea do I drink?", headers={"X-Taishi-Record": word})
        assert "oolong" in door.last.said
    door.tell("I own a zither.", headers={"X-Taishi-Record": "on"})
    assert not [
        hit for hit in door.memory.recall(Scope(user="ann"), "absinthe").hits if "absin" in hit.text
    ]


def test_T2_a_word_that_is_neither_on_nor_off_is_refused(door: Door) -> None:
    with pytest.raises(openai.BadRequestError, match="X-Taishi-Record") as caught:
        door.say("I drink absinthe.", headers={"X-Taishi-Record": "of"})
    assert caught.value.type == "invalid_request_error"
    assert not door.upstream.requests


@pytest.mark.parametrize("name", ["Ann Lee", "安娜", "Zoë"])
def test_T2_a_header_says_what_the_speaker_is_called(door: Door, name: str) -> None:
    door.tell("I moved to Oslo.", user="u7", headers={"X-Taishi-Speaker": quote(name)})
    texts = [hit.text for hit in door.memory.recall(Scope(user="u7"), "Oslo").hits]
    assert any(f"{name} moved to Oslo" in text for text in texts), texts
    assert "x-taishi" not in json.dumps(door.last.headers).lower()


def test_T2_a_header_says_what_the_group_is_called(door: Door) -> None:
    names = {"X-Taishi-Group": "880011", "X-Taishi-Group-Name": quote("读书会")}
    door.tell("我搬到了厦门。", user="u7", headers=names)
    texts = [hit.text for hit in door.memory.recall(Scope(group="880011", user="u7"), "厦门").hits]
    assert any("群「读书会」" in text for text in texts), texts


# -- /responses ------------------------------------------------------------------------------------


def test_T2_responses_recalls_and_records(door: Door) -> None:
    client = door.client(**{"X-Taishi-User": "ann"})
    answer = client.responses.create(model="m", input="I moved to Oslo.", instructions="Be kind.")
    assert answer.output_text == "Noted."
    door.settle(1)
    client.responses.create(model="m", input="Where do I live?", instructions="Be kind.")
    seen = door.upstream.requests[-1]
    assert seen.path == "/v1/responses"
    assert "Oslo" in seen.body["input"]
    assert seen.body["input"].startswith(OPEN)
    assert seen.body["input"].endswith("Where do I live?")
    assert seen.body["instructions"] == "Be kind."


def test_I1_responses_items_stay_as_they_are(door: Door) -> None:
    door.tell("I moved to Oslo.")
    items: Any = [
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": [{"type": "output_text", "text": "Hi"}]},
        {"role": "user", "content": [
            {"type": "input_text", "text": "Where do I live?"},
            {"type": "input_image", "image_url": "https://e.example/x.png", "detail": "low"}]},
    ]  # fmt: skip
    client = door.client(**{"X-Taishi-User": "ann"})
    client.responses.create(model="m", input=items, extra_body={"unheard_of": 1})
    sent = door.upstream.requests[-1].body
    assert sent["unheard_of"] == 1
    assert sent["input"][:2] == items[:2]
    block, *rest = sent["input"][2]["content"]
    assert rest == items[2]["content"]
    assert block["type"] == "input_text"
    assert "Oslo" in block["text"]


def test_T2_responses_streams_unchanged_and_is_recorded(door: Door) -> None:
    client = door.client(**{"X-Taishi-User": "ann"})
    with client.responses.create(model="m", input="I moved to Oslo.", stream=True) as stream:
        events = list(stream)
    words = [event.delta for event in events if event.type == "response.output_text.delta"]
    assert "".join(words) == "Noted."
    assert events[-1].type == "response.completed"
    door.settle(1)
    assert door.memory.recall(Scope(user="ann"), "Oslo").hits
    raw = httpx.post(f"{door.url}/openai/v1/responses", json={"input": "Hm", "stream": True})
    assert raw.content == b"".join(response_events("No", "ted", "."))


def test_T2_responses_that_failed_or_continue_a_tool_are_not_recorded(door: Door) -> None:
    client = door.client(**{"X-Taishi-User": "ann"})
    failed = {"type": "response.failed", "sequence_number": 1, "response": {"error": {"code": "x"}}}
    door.upstream.script.append(Stream([b"data: " + json.dumps(failed).encode() + b"\n\n"]))
    list(client.responses.create(model="m", input="I own an oud.", stream=True))
    after_tool: Any = [
        {"role": "user", "content": "I own a lute."},
        {"type": "function_call_output", "call_id": "c1", "output": "3 pm"},
    ]
    client.responses.create(model="m", input=after_tool)
    title = "Generate a concise 3-7 word title for this conversation, omitting punctuation."
    client.responses.create(model="m", input="I own a harp.", instructions=title)
    client.responses.create(model="m", input="I own a zither.")
    door.settle(1)
    texts = " ".join(
        hit.text for hit in door.memory.recall(Scope(user="ann"), "zither oud lute harp", 20).hits
    )
    assert "zither" in texts
    assert not [thing for thing in ("oud", "lute", "harp") if thing in texts]


# -- errors ----------------------------------------------------------------------------------------


def in_their_shape(answer: httpx.Response) -> dict[str, Any]:
    assert answer.headers["content-type"] == "application/json", answer.text
    body = answer.json()
    assert list(body) == ["error"]
    error: dict[str, Any] = body["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert error["message"] and error["type"]
    return error


@pytest.mark.parametrize("path", ["chat/completions", "responses", "embeddings"])
def test_T2_every_error_of_a_post_has_openais_shape(
    open_door: Callable[..., Door], path: str
) -> None:
    door = open_door({"server.max_body_mb": 1})
    url = f"{door.url}/openai/v1/{path}"
    for raw in (b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000):
        answer = httpx.post(url, content=raw, headers=JSON)
        assert answer.status_code == 400
        assert in_their_shape(answer)["code"] == "invalid_json"
    assert in_their_shape(httpx.post(url, content=b"{}", headers={"content-type": "text/plain"}))
    assert in_their_shape(httpx.get(url))["code"] == "method_not_allowed"
    huge = b'{"input": "' + b"x" * (1 << 20) + b'"}'
    answers = (httpx.post(url, content=huge, headers=JSON),
               httpx.post(url, content=iter([huge]), headers=JSON))  # fmt: skip
    for answer in answers:
        assert answer.status_code == 413
        assert in_their_shape(answer)["code"] == "too_large"
    door.keys.create("somebody")
    assert in_their_shape(httpx.post(url, json={}))["code"] == "invalid_api_key"


def test_T2_no_such_path_no_upstream_and_too_many_requests_have_it_too(
    open_door: Callable[..., Door],
) -> None:
    door = open_door({"proxy.upstream_url": "http://127.0.0.1:9/v1", "server.rate_per_minute": 3})
    assert in_their_shape(httpx.get(f"{door.url}/openai/v1/files"))["code"] == "not_found"
    assert in_their_shape(httpx.get(f"{door.url}/openai/v1/models"))["type"] == "server_error"
    assert in_their_shape(httpx.get(f"{door.url}/openai/v1/models"))["code"] == "upstream_down"
    _, secret = door.keys.create("somebody")
    key = {"authorization": f"Bearer {secret}"}
    answers = [httpx.get(f"{door.url}/openai/v1/models", headers=key) for _ in range(5)]
    assert answers[-1].status_code == 429
    assert in_their_shape(answers[-1])["code"] == "rate_limit_exceeded"
    assert answers[-1].headers["retry-after"]


def test_T2_a_bug_of_ours_has_it_too(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("taishi.server.openai_proxy.app._scope", lambda *_: 1 / 0)
    answer = httpx.post(f"{door.url}/openai/v1/chat/completions", json={"messages": []})
    assert answer.status_code == 500
    assert in_their_shape(answer)["type"] == "server_error"


# -- what goes upstream ----------------------------------------------------------------------------

TRICKS = """models/../files models/..%2ffiles models%2f..%2ffiles models/%2e%2e/files
    models/%2e%2e/%2e%2e/metadata models/..;/files models/.%2e/files models//../files
    models/./../files models/..%5cfiles models/%252e%252e/files models/x%00y models/x%0d%0aHost:e
    models/x?y=../files models/x%3f models/x%23 models/http://169.254.169.254/
    chat/completions/../../files ../files files files/1/content fine_tuning/jobs responses/resp_1
    responses/../files batches models/@127.0.0.1/x chat/completions/ embeddings/..""".split()


def raw_get(url: str, path: str, method: str = "GET") -> int:
    """The path as it is: clients tidy it up."""
    where = urlsplit(url)
    with socket.create_connection((where.hostname or "", where.port or 0), timeout=10) as line:
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n"
        rest = "Content-Type: application/json\r\nConnection: close\r\n\r\n{}"
        line.sendall((head + rest).encode())
        return int(line.makefile("rb").readline().split()[1])


@pytest.mark.parametrize("trick", TRICKS)
def test_S_nothing_of_the_callers_path_goes_upstream(
    open_door: Callable[..., Door], trick: str
) -> None:
    door = open_door({"proxy.api_key": "sk-configured"})
    for method in ("GET", "POST", "DELETE"):
        assert raw_get(door.url, f"/openai/v1/{trick}", method) >= 300
    served = {"/v1/models", "/v1/chat/completions", "/v1/embeddings", "/v1/responses"}
    assert {seen.path for seen in door.upstream.requests} <= served


def test_T2_one_model_is_found_in_the_list(door: Door) -> None:
    client = door.client()
    assert client.models.retrieve("scripted").id == "scripted"
    with pytest.raises(openai.NotFoundError) as caught:
        client.models.retrieve("no/such-model")
    assert caught.value.code == "model_not_found"
    door.upstream.script.append(Reply(500, b'{"error": {"message": "down"}}'))
    with pytest.raises(openai.InternalServerError):
        client.models.retrieve("scripted")
    assert {seen.path for seen in door.upstream.requests} == {"/v1/models"}
