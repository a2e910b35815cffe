"""The chat client against the scripted server: modes, forms of answers, waiting, the ledger."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from support.scripted_model import Reply, ScriptedModel
from taishi.errors import ModelError, ModelMissingError
from taishi.language.token_count import estimate_tokens
from taishi.models.chat.answer import read
from taishi.models.chat.exchange import LONGEST_WAIT_SECONDS, MAX_REQUESTS
from taishi.models.chat.http import Answer
from taishi.models.chat.model import LEDGER_NAMES, OpenAIChat
from taishi.models.chat.modes import Mode
from taishi.models.chat.schema import MismatchError, fit, unwrap
from taishi.ports import Call, Tool
from taishi.settings import load
from taishi.settings.schema import ChatSettings, ModelSettings

KEY = "sk-secret-0123456789"
TOOL = Tool(
    "note",
    "Writes a note.",
    {
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "count": {"type": "integer"},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["title", "count"],
    },
)
NOTE = {"title": "茶 tea", "count": 2, "tags": ["a"]}
MESSAGES = [
    {"role": "system", "content": "You write notes."},
    {"role": "user", "content": "Write one about tea."},
]


class Calls:
    def __init__(self) -> None:
        self.calls: list[Call] = []

    def add(self, call: Call) -> None:
        self.calls.append(call)


class Kit:
    """A server, and clients of it that do not really wait."""

    def __init__(self, server: ScriptedModel) -> None:
        self.server = server
        self.ledger = Calls()
        self.slept: list[float] = []
        self.clients: list[OpenAIChat] = []

    @property
    def calls(self) -> list[Call]:
        return self.ledger.calls

    def settings(self, **changes: Any) -> ChatSettings:
        given = {"api_url": self.server.url, "api_key": KEY, "model_name": "m"} | changes
        return ChatSettings(**given)

    def chat(self, mode: Mode | None = None, **changes: Any) -> OpenAIChat:
        known = {(self.server.url, "m"): mode} if mode else None
        settings = self.settings(**changes)
        client = OpenAIChat(settings, self.ledger, sleep=self.slept.append, modes=known)
        self.clients.append(client)
        return client

    def ask(self, mode: Mode | None = None, **changes: Any) -> dict[str, Any]:
        return self.chat(mode, **changes).structured("rewrite", MESSAGES, TOOL)


@pytest.fixture
def kit() -> Iterator[Kit]:
    with ScriptedModel(lambda tool, request: dict(NOTE)) as server:
        kit = Kit(server)
        yield kit
        for client in kit.clients:
            client.close()


def completion(message: Any, **extra: Any) -> Reply:
    return Reply(200, {"choices": [{"message": message}], **extra})


def said(content: Any) -> Reply:
    return completion({"role": "assistant", "content": content})


def called(arguments: Any, name: str = "note") -> Reply:
    function = {"name": name, "arguments": arguments}
    return completion({"content": None, "tool_calls": [{"function": function}]})


# --- requests


def test_H2_a_named_tool_is_demanded_first(kit: Kit) -> None:
    assert kit.ask() == NOTE
    (seen,) = kit.server.requests
    assert seen.path == "/v1/chat/completions"
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert seen.body["model"] == "m"
    assert seen.body["messages"] == MESSAGES
    assert seen.body["tools"][0]["function"]["parameters"] == TOOL.parameters
    assert seen.body["tool_choice"] == {"type": "function", "function": {"name": "note"}}


def test_H2_every_mode_asks_in_its_own_way(kit: Kit) -> None:
    for mode in Mode:
        assert kit.ask(mode) == NOTE
    tool, required, schema, thing, text = (seen.body for seen in kit.server.requests)
    assert required["tool_choice"] == "required" and required["tools"] == tool["tools"]
    assert schema["response_format"]["json_schema"]["schema"] == TOOL.parameters
    assert thing["response_format"] == {"type": "json_object"}
    assert "response_format" not in text and "tools" not in text
    for body in (schema, thing, text):
        # One system message, and JSON is named in it: some providers insist on either.
        assert [message["role"] for message in body["messages"]] == ["system", "user"]
        system = body["messages"][0]["content"]
        assert system.startswith("You write notes.") and "JSON" in system and '"count"' in system


def test_a_prompt_without_a_system_message_gets_one(kit: Kit) -> None:
    chat = kit.chat(Mode.TEXT)
    assert chat.structured("rewrite", MESSAGES[1:], TOOL) == NOTE
    roles = [message["role"] for message in kit.server.requests[0].body["messages"]]
    assert roles == ["system", "user"]


def test_hostile_text_is_sent_as_json_that_every_server_reads(kit: Kit) -> None:
    nasty = "NUL \0 half \ud83d rtl \u202e " + "x" * 100_000
    kit.chat().structured("rewrite", [{"role": "user", "content": nasty}], TOOL)
    sent = kit.server.requests[0].body["messages"][0]["content"]
    assert sent.startswith("NUL \ufffd half \ufffd rtl \u202e xxx") and len(sent) > 100_000


# --- modes


@pytest.mark.parametrize(
    ("refused", "modes"),
    [
        ({"named_tool_choice"}, ["tool", "required"]),
        ({"tool_choice"}, ["tool", "required", "json_schema"]),
        ({"tools"}, ["tool", "json_schema"]),
        ({"tools", "json_schema"}, ["tool", "json_schema", "json_object"]),
        ({"tools", "response_format"}, ["tool", "json_schema", "json_object", "text"]),
    ],
)
def test_H2_a_refused_parameter_leads_to_the_next_mode_and_is_remembered(
    kit: Kit, refused: set[str], modes: list[str]
) -> None:
    kit.server.refuses = refused
    chat = kit.chat()
    for _ in range(3):
        assert chat.structured("rewrite", MESSAGES, TOOL) == NOTE
    assert [call.mode for call in kit.calls] == [*modes, modes[-1], modes[-1]]
    assert chat.mode("rewrite") == modes[-1]


@pytest.mark.parametrize("status", [400, 404, 422])
def test_H2_a_refusal_without_words_leads_on_as_well(kit: Kit, status: int) -> None:
    kit.server.script.append(Reply(status, {"detail": "Bad Request"}))
    assert kit.ask() == NOTE
    assert [call.mode for call in kit.calls] == ["tool", "required"]


def test_H2_an_ignored_parameter_leads_to_the_next_mode(kit: Kit) -> None:
    kit.server.ignores = {"tools"}
    chat = kit.chat()
    assert chat.structured("rewrite", MESSAGES, TOOL) == NOTE
    assert chat.structured("rewrite", MESSAGES, TOOL) == NOTE
    assert [call.mode for call in kit.calls] == ["tool", "required", "json_schema", "json_schema"]


def test_H2_a_tool_that_is_ignored_for_other_data_is_not_taken_for_one_that_is_known(
    kit: Kit,
) -> None:
    kit.server.script.extend([said('Look: {"x": 1}'), said('```python\n{"y": 2}\n```')])
    assert kit.ask() == NOTE
    assert [call.mode for call in kit.calls] == ["tool~", "required~", "json_schema"]


def test_H2_the_search_goes_on_where_the_last_call_left_off(kit: Kit) -> None:
    kit.server.ignores = {"tools", "response_format"}
    chat = kit.chat()
    with pytest.raises(ModelError, match="a lot that one could say"):
        chat.structured("rewrite", MESSAGES, TOOL)
    assert len(kit.calls) == MAX_REQUESTS
    assert chat.structured("rewrite", MESSAGES, TOOL) == NOTE
    assert kit.calls[-1].mode == "text" and len(kit.calls) == MAX_REQUESTS + 1


def test_a_mode_that_worked_survives_a_bad_answer_but_not_many(kit: Kit) -> None:
    chat = kit.chat(Mode.TOOL)
    kit.server.script.append("ignored")
    assert chat.structured("rewrite", MESSAGES, TOOL) == NOTE
    assert chat.mode("rewrite") == "tool"
    kit.server.ignores = {"tools"}
    with pytest.raises(ModelError):
        chat.structured("rewrite", MESSAGES, TOOL)
    assert chat.mode("rewrite") == "tool"
    assert chat.structured("rewrite", MESSAGES, TOOL) == NOTE
    assert chat.mode("rewrite") == "json_schema"


def test_a_model_without_temperature_is_asked_without(kit: Kit) -> None:
    kit.server.refuses = {"temperature"}
    chat = kit.chat()
    for _ in range(2):
        assert chat.structured("rewrite", MESSAGES, TOOL) == NOTE
    assert ["temperature" in seen.body for seen in kit.server.requests] == [True, False, False]
    assert chat.mode("rewrite") == "tool"


# --- forms of answers


@pytest.mark.parametrize(
    "reply",
    [
        called(json.dumps(NOTE)),
        called(NOTE),
        called([NOTE]),
        called(json.dumps([NOTE])),
        called(json.dumps(json.dumps(NOTE))),
        called("```json\n" + json.dumps(NOTE) + "\n```"),
        called({"title": "茶 tea", "count": "2", "tags": "a"}),
        called({**NOTE, "extra": 1}),
        called(NOTE, name="another_name"),
        completion({"function_call": {"name": "note", "arguments": json.dumps(NOTE)}}),
        said(json.dumps(NOTE)),
        said("<think>Hm {</think>" + json.dumps(NOTE)),
        said([{"type": "text", "text": json.dumps(NOTE)[:10]}, {"text": json.dumps(NOTE)[10:]}]),
        said({"name": "note", "arguments": NOTE}),
        said(json.dumps({"note": NOTE})),
        said(json.dumps({"name": "note", "parameters": NOTE})),
    ],
)
def test_H2_arguments_arrive_in_many_forms(kit: Kit, reply: Reply) -> None:
    kit.server.script.append(reply)
    assert kit.ask(Mode.TOOL) == NOTE
    assert len(kit.calls) == 1


def test_H2_what_does_not_fit_goes_back_once_with_what_was_wrong(kit: Kit) -> None:
    kit.server.script.append(called({"title": "tea", "count": "many"}))
    assert kit.ask() == NOTE
    *_, echo, correction = kit.server.requests[1].body["messages"]
    assert echo["role"] == "assistant" and '"many"' in echo["content"]
    assert correction["role"] == "user" and "count must be integer" in correction["content"]
    assert [call.ok for call in kit.calls] == [False, True]
    assert "count must be integer" in kit.calls[0].error


def test_H2_after_the_correction_the_error_carries_the_models_own_words(kit: Kit) -> None:
    words = json.dumps({"title": "x" * 2000})
    kit.server.script.extend([called(words), called(words)])
    with pytest.raises(ModelError, match="count is missing") as caught:
        kit.ask()
    message = str(caught.value)
    assert "x" * 400 in message and "x" * 600 not in message and "[models.chat]" in message
    assert len(kit.calls) == 2


def test_H2_a_cut_answer_is_taken_only_with_all_it_must_have(kit: Kit) -> None:
    whole = json.dumps(NOTE)
    kit.server.script.append(called(whole[: whole.index('"tags"') + 5]))
    assert kit.ask() == {"title": "茶 tea", "count": 2}
    kit.server.script.append(called(whole[: whole.index('"count"') + 5]))
    assert kit.ask() == NOTE
    assert [call.ok for call in kit.calls] == [True, False, True]


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<html>welcome</html>",
        "[]",
        "null",
        '"text"',
        "{}",
        '{"choices": null}',
        '{"choices": [null]}',
        '{"choices": [{"message": {"content": null, "tool_calls": [null, {"function": 3}]}}]}',
        '{"choices": [{"message": {"content": [null, 3, {"text": 4}]}}]}',
        '{"choices": [{"message": {"content": "", "refusal": "I will not"}}]}',
        '{"error": {"message": "upstream is away"}}',
        "[" * 100_000,
        '{"choices": [{"message": {"tool_calls": [{"function": {"arguments": '
        + '{"a":' * 900
        + "1"
        + "}" * 900
        + "}}]}}]}",
    ],
    ids=lambda body: body[:40],
)
def test_H2_any_success_that_holds_nothing_is_an_error_that_says_so(kit: Kit, body: str) -> None:
    kit.server.script.extend([Reply(200, body)] * MAX_REQUESTS)
    with pytest.raises(ModelError, match="did not give what `note` asks for"):
        kit.ask()
    assert 2 <= len(kit.server.requests) <= MAX_REQUESTS
    assert not any(call.ok for call in kit.calls)


# --- what the server may do to us


@pytest.mark.parametrize("fault", ["429", "500", "dropped", "empty"])
def test_Q3_a_passing_failure_is_tried_again(kit: Kit, fault: str) -> None:
    kit.server.script.append(fault)
    assert kit.ask() == NOTE
    assert [call.ok for call in kit.calls] == [False, True]
    assert kit.calls[1].mode == "tool"


@pytest.mark.parametrize("fault", ["429", "500", "dropped"])
def test_H2_one_call_is_a_bounded_number_of_requests(kit: Kit, fault: str) -> None:
    kit.server.script.extend([fault] * 10)
    with pytest.raises(ModelError):
        kit.ask()
    assert len(kit.server.requests) == len(kit.calls) == MAX_REQUESTS
    assert kit.slept == sorted(kit.slept) and len(kit.slept) == MAX_REQUESTS - 1


def test_every_kind_of_try_counts(kit: Kit) -> None:
    kit.server.script.extend(["500", called({}), "429", "empty", "good"])
    with pytest.raises(ModelError):
        kit.ask()
    assert len(kit.calls) == MAX_REQUESTS


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "3"}, 3.0),
        ({"Retry-After": "0"}, 0.0),
        ({"Retry-After": "99999"}, LONGEST_WAIT_SECONDS),
        ({"Retry-After": "nan"}, 0.5),
        ({"Retry-After": "-1"}, 0.5),
        ({"Retry-After": "soon"}, 0.5),
        ({}, 0.5),
    ],
)
def test_retry_after_is_honoured_up_to_a_limit(
    kit: Kit, headers: dict[str, str], seconds: float
) -> None:
    kit.server.script.append(Reply(429, {"error": "slow down"}, headers))
    assert kit.ask() == NOTE
    assert kit.slept == [seconds]


def test_retry_after_may_be_a_date_by_the_servers_clock() -> None:
    headers = {
        "date": "Sun, 15 Nov 2026 10:00:00 GMT",
        "retry-after": "Sun, 15 Nov 2026 10:00:07 GMT",
    }
    assert Answer(503, "", 0.1, headers).retry_after() == 7.0
    assert Answer(503, "", 0.1, {"retry-after": headers["date"]}).retry_after() is None


@pytest.mark.parametrize(
    "words",
    [
        "This model's maximum context length is 8192 tokens",
        {"message": "too long", "code": "context_length_exceeded"},
        "request (9000 tokens) exceeds the available context size",
        "输入超出上下文长度",
    ],
)
def test_a_prompt_that_is_too_long_is_said_to_be(kit: Kit, words: Any) -> None:
    kit.server.script.append(Reply(400, {"error": words}))
    with pytest.raises(ModelError, match="does not fit the context of m"):
        kit.ask()
    assert len(kit.calls) == 1


def test_too_many_tokens_in_a_minute_is_not_a_prompt_that_is_too_long(kit: Kit) -> None:
    kit.server.script.append(Reply(429, {"error": {"message": "too many tokens per minute"}}))
    assert kit.ask() == NOTE


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "Incorrect API key"),
        (403, "no access"),
        (404, "The model `m` does not exist"),
        (301, ""),
    ],
)
def test_what_no_other_mode_will_cure_is_not_tried_again(kit: Kit, status: int, words: str) -> None:
    kit.server.script.append(Reply(status, {"error": {"message": words}}))
    with pytest.raises(ModelError, match=rf"answered {status}.*\[models\.chat\]"):
        kit.ask()
    assert len(kit.calls) == 1


def test_R1_the_key_is_in_no_message_and_not_in_the_ledger(kit: Kit) -> None:
    echo = {"error": {"message": "x" * 290 + f"bad key {KEY}"}}
    replies = [
        Reply(401, echo),
        Reply(400, f"key {KEY}"),
        Reply(500, {"error": f"{KEY} {KEY}"}),
        said(f"your key is {KEY}"),
        called({"title": KEY}),
    ]
    for reply in replies:
        kit.server.script.extend([reply] * MAX_REQUESTS)
        with pytest.raises(ModelError) as caught:
            kit.ask()
        kit.server.script.clear()
        for text in (str(caught.value), repr(caught.value), *(call.error for call in kit.calls)):
            assert "sk-sec" not in text
    assert "sk-sec" not in repr(kit.clients[0].__dict__)


def test_a_short_placeholder_for_a_key_spoils_no_words(kit: Kit) -> None:
    kit.server.script.append(Reply(401, {"error": "the key is wrong"}))
    with pytest.raises(ModelError, match=r"the key is wrong\. Check api_url, api_key"):
        kit.ask(api_key="k")
    assert kit.ask(api_key="k") == NOTE


# --- tiers


def test_H5_each_task_has_its_own_model_key_and_name_in_the_ledger(kit: Kit) -> None:
    own = ModelSettings(api_url=kit.server.url, api_key="sk-other", model_name="big")
    chat = kit.chat(merge=own)
    for task in LEDGER_NAMES:
        assert chat.structured(task, MESSAGES, TOOL) == NOTE
    models = {call.task: call.model for call in kit.calls}
    assert models == dict.fromkeys(LEDGER_NAMES.values(), "m") | {"historian_profile_merge": "big"}
    keys = [seen.headers["authorization"] for seen in kit.server.requests]
    assert keys.count("Bearer sk-other") == 1


def test_a_task_takes_from_the_general_model_what_it_leaves_out(kit: Kit) -> None:
    changes = {
        "models.chat.api_url": kit.server.url,
        "models.chat.model_name": "m",
        "models.chat.rewrite.model_name": "small",
    }
    settings = load(environ={}, overrides=changes).models.chat
    chat = OpenAIChat(settings, kit.ledger)
    chat.structured("rewrite", MESSAGES, TOOL)
    chat.structured("merge", MESSAGES, TOOL)
    assert [call.model for call in kit.calls] == ["small", "m"]
    chat.close()


def test_modes_are_remembered_for_each_model_by_itself(kit: Kit) -> None:
    chat = kit.chat(merge=ModelSettings(api_url=kit.server.url, model_name="big"))
    kit.server.refuses = {"tools"}
    chat.structured("rewrite", MESSAGES, TOOL)
    assert (chat.mode("rewrite"), chat.mode("merge")) == ("json_schema", "tool")


def test_a_task_without_any_address_says_which_setting_is_missing() -> None:
    chat = OpenAIChat(ChatSettings(), Calls())
    with pytest.raises(ModelMissingError, match=r"set api_url in \[models\.chat\]"):
        chat.structured("rewrite", MESSAGES, TOOL)
    assert chat.mode("rewrite") == ""
    chat.close()
    with pytest.raises(ModelError, match="closed"):
        chat.structured("rewrite", MESSAGES, TOOL)


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"api_url": "ftp://x/v1"}, r"api_url in \[models\.chat\.merge\]"),
        ({"api_url": "http://[::1/v1"}, "api_url"),
        ({"api_url": "http://127.0.0.1/v1", "api_key": "clé"}, "api_key"),
    ],
)
def test_an_address_or_key_that_cannot_be_used_is_said_at_once(
    changes: dict[str, str], match: str
) -> None:
    with pytest.raises(ModelMissingError, match=match):
        OpenAIChat(ChatSettings(merge=ModelSettings(**changes)), Calls())


# --- the ledger


def test_H5_tokens_come_from_the_server_and_cost_from_the_prices(kit: Kit) -> None:
    priced = kit.settings(price_in=2.0, price_out=10.0)
    usage = {"prompt_tokens": 1000, "completion_tokens": 500}
    reply = called(NOTE)
    kit.server.script.append(Reply(200, {**reply.body, "usage": usage}))
    chat = OpenAIChat(priced, kit.ledger)
    chat.structured("extract", MESSAGES, TOOL)
    chat.close()
    (call,) = kit.calls
    assert (call.task, call.mode, call.ok) == ("historian_extract", "tool", True)
    assert (call.prompt_tokens, call.completion_tokens) == (1000, 500)
    assert call.cost == pytest.approx(0.002 + 0.005)
    assert 0 < call.seconds < 5 and call.error == ""


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": "7"}, {"prompt_tokens": -1}, [1]])
def test_H5_tokens_that_are_not_told_are_estimated_and_marked(kit: Kit, usage: Any) -> None:
    kit.server.script.append(Reply(200, {**called(NOTE).body, "usage": usage}))
    kit.ask()
    (call,) = kit.calls
    assert call.mode == "tool~"
    schema = estimate_tokens(json.dumps(TOOL.parameters))
    assert call.prompt_tokens == schema + sum(estimate_tokens(x["content"]) for x in MESSAGES)
    assert call.completion_tokens == estimate_tokens(json.dumps(NOTE, ensure_ascii=False))


# --- pace


def test_requests_at_the_same_time_are_bounded(kit: Kit) -> None:
    kit.server.slow_seconds = 0.05
    kit.server.script.extend(["slow"] * 8)
    chat = kit.chat(concurrency=2)
    together(lambda: chat.structured("rewrite", MESSAGES, TOOL), 8)
    assert kit.server.most_in_flight == 2


def test_requests_keep_their_distance(kit: Kit) -> None:
    now = [100.0]
    chat = OpenAIChat(
        kit.settings(queue_interval_seconds=2.0, timeout_seconds=5.0),
        kit.ledger,
        clock=lambda: now[0],
        sleep=kit.slept.append,
    )
    for _ in range(3):
        chat.structured("rewrite", MESSAGES, TOOL)
    now[0] += 10
    chat.structured("rewrite", MESSAGES, TOOL)
    chat.close()
    assert kit.slept == [2.0, 4.0]


def together(work: Callable[[], Any], times: int) -> None:
    threads = [threading.Thread(target=work) for _ in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


# --- the schema


FITS: list[tuple[Any, dict[str, Any], Any]] = [
    ("x", {"type": "string"}, "x"),
    (3, {"type": "string"}, "3"),
    ("3", {"type": "integer"}, 3),
    (3.0, {"type": "integer"}, 3),
    ("0.5", {"type": "number"}, 0.5),
    (" -2 ", {"type": "number"}, -2),
    ("True", {"type": "boolean"}, True),
    (None, {"type": ["string", "null"]}, None),
    (4, {"type": ["integer", "null"]}, 4),
    ("4", {"type": ["integer", "null"]}, 4),
    ("x", {"type": "array", "items": {"type": "string"}}, ["x"]),
    (None, {"type": "array"}, []),
    ([1, "2"], {"type": "array", "items": {"type": "integer"}}, [1, 2]),
    ("ADD ", {"type": "string", "enum": ["add", "ignore"]}, "add"),
    ("a\0\ud800b", {"type": "string"}, "a\ufffd\ufffdb"),
    ({"a": None}, {"type": "object", "properties": {"a": {"type": "string"}}}, {}),
    ({"a": 1}, {"type": "object"}, {"a": 1}),
    ({"any": [1]}, {}, {"any": [1]}),
]


@pytest.mark.parametrize(("value", "schema", "fitted"), FITS)
def test_harmless_liberties_are_put_right(value: Any, schema: dict[str, Any], fitted: Any) -> None:
    got = fit(value, schema)
    assert got == fitted and type(got) is type(fitted)


@pytest.mark.parametrize(
    ("value", "schema", "complaint"),
    [
        ("x", {"type": "integer"}, 'the answer must be integer, not "x"'),
        (1.5, {"type": "integer"}, "must be integer"),
        (True, {"type": "integer"}, "must be integer"),
        (True, {"type": "string"}, "must be string"),
        ("inf", {"type": "number"}, "must be number"),
        (float("inf"), {"type": "integer"}, "must be integer"),
        ("9" * 5000, {"type": "integer"}, "must be integer"),
        ([], {"type": "object"}, "must be an object"),
        ({}, {"type": "object", "properties": {"a": {}}, "required": ["a"]}, "a is missing"),
        ("no", {"type": "string", "enum": ["add", "ignore"]}, "one of add, ignore"),
        ([1, []], {"type": "array", "items": {"type": "integer"}}, r"\[1\] must be integer"),
    ],
)
def test_the_rest_is_a_complaint_that_names_the_place(
    value: Any, schema: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(MismatchError, match=complaint):
        fit(value, schema)


def test_a_bare_list_is_the_one_list_that_the_tool_has() -> None:
    schema = {"type": "object", "properties": {"decisions": {"type": "array"}}}
    assert unwrap([{"index": 0}, {"index": 1}], "judge_facts", schema) == {
        "decisions": [{"index": 0}, {"index": 1}]
    }


def test_an_answer_in_pieces_knows_its_tokens() -> None:
    body = {"choices": [{"text": json.dumps(NOTE)}], "usage": {"input_tokens": 3}}
    reading = read(json.dumps(body), TOOL)
    assert reading.arguments == NOTE
    assert (reading.prompt_tokens, reading.completion_tokens) == (3, None)
