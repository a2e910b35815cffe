"""What every chat model promises (ports.ChatModel), on servers that understand different things."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from support.scripted_model import ScriptedModel, WiseScript, data_of
from taishi.errors import ModelError
from taishi.models.chat.model import OpenAIChat
from taishi.ports import Call, ChatModel, Tool
from taishi.settings.schema import ChatSettings

TEXT = {"type": "string"}
TEXTS = {"type": "array", "items": TEXT}


def schema(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": required | (optional or {}),
        "required": list(required),
    }


# The tools of the historian, as far as their shape matters here.
TOOLS = {
    "rewrite": Tool(
        "record_turn",
        "The turn in words that stay true.",
        schema(
            {"did_what": TEXT, "new_info": TEXTS, "canonical_text": TEXT},
            {
                "facts": {
                    "type": "array",
                    "items": schema({"content": TEXT, "quote": TEXT}, {"category": TEXT}),
                }
            },
        ),
    ),
    "extract": Tool(
        "judge_facts",
        "What each fact is to what is known.",
        schema(
            {
                "decisions": {
                    "type": "array",
                    "items": schema(
                        {
                            "index": {"type": "integer"},
                            "action": {
                                "type": "string",
                                "enum": ["add", "confirm", "supersede", "conflict", "ignore"],
                            },
                        },
                        {"known": {"type": ["integer", "null"]}, "reason": TEXT},
                    ),
                }
            }
        ),
    ),
    "merge": Tool("update_profile", "The page.", schema({"name": TEXT, "summary": TEXT})),
    "decide": Tool(
        "decide",
        "Whether it is worth keeping.",
        schema({"should_remember": {"type": "boolean"}, "reason": TEXT, "new_info": TEXTS}),
    ),
    "summarise": Tool("summarise", "The talk in short.", schema({"summary": TEXT})),
}
DATA: dict[str, Any] = {
    "rewrite": {
        "job": {"new_info": ["I moved to Oslo"]},
        "draft": {
            "did_what": "Bot greeted Ann",
            "new_info": ["Ann moved to Oslo"],
            "canonical_text": "On 2026-11-15 Ann moved to Oslo",
        },
        "faults": [],
    },
    "extract": {
        "facts": [
            {"index": 0, "content": "Ann likes tea."},
            {"index": 1, "content": "Ann moved to Oslo"},
            {"index": 2, "content": "安娜住在北京"},
            {"index": 3, "content": "Ann plays the flute"},
            {"index": 4, "content": "Ann is tall"},
        ],
        "known": [
            {"index": 0, "content": "ann likes  tea", "state": "approved"},
            {"index": 1, "content": "Ann lives in Berlin", "state": "approved"},
            {"index": 2, "content": "安娜搬到了上海", "state": "approved"},
            {"index": 3, "content": "Ann is tall", "state": "rejected"},
        ],
    },
    "merge": {
        "profile": {"name": "Ann", "tags": ["tea"], "summary": "- Ann likes tea"},
        "statements": ["Ann likes tea.", "安娜住在奥斯陆"],
    },
    "decide": {"messages": [{"speaker": "Ann", "text": "hm"}, {"text": "我喜欢绿茶"}]},
    "summarise": {
        "messages": [{"text": "We met. It rained."}, "后来散了。天晴。"],
        "previous": "Hi.",
    },
}
ANSWERS: dict[str, Any] = {
    "rewrite": {"did_what": "Bot greeted Ann", "new_info": ["Ann moved to Oslo"]},
    "extract": {},
    "merge": {"name": "Ann", "summary": "- Ann likes tea\n- 安娜住在奥斯陆"},
    "decide": {"should_remember": True, "new_info": ["我喜欢绿茶"]},
    "summarise": {"summary": "Hi. We met. 后来散了。"},
}
PROVIDERS = {
    "everything": {},
    "no named tool": {"refuses": {"named_tool_choice"}},
    "no tools": {"refuses": {"tools"}},
    "JSON mode only": {"refuses": {"tools", "json_schema"}},
    "text only": {"refuses": {"tools", "response_format"}},
    "ignores tools": {"ignores": {"tools"}},
    "tells no tokens": {"usage": False},
    "faulty": {"script": ["429", "dict", "truncated", "list", "prose", "500", "json"]},
}


class Calls:
    def __init__(self) -> None:
        self.calls: list[Call] = []

    def add(self, call: Call) -> None:
        self.calls.append(call)


def prompt(task: str) -> list[dict[str, str]]:
    block = json.dumps(DATA[task], ensure_ascii=False, indent=1)
    return [
        {"role": "system", "content": "You are the historian. 你是史官。"},
        {"role": "user", "content": f"Do your work on this:\n```json\n{block}\n```\nThank you."},
    ]


@pytest.fixture(params=PROVIDERS, ids=str)
def server(request: pytest.FixtureRequest) -> Iterator[ScriptedModel]:
    with ScriptedModel(WiseScript(), **PROVIDERS[request.param]) as running:
        yield running


@pytest.fixture
def ledger() -> Calls:
    return Calls()


@pytest.fixture
def chat(server: ScriptedModel, ledger: Calls) -> Iterator[ChatModel]:
    settings = ChatSettings(api_url=server.url, api_key="sk-contract", model_name="scripted")
    model = OpenAIChat(settings, ledger, sleep=lambda seconds: None)
    yield model
    model.close()


@pytest.mark.parametrize("task", TOOLS)
def test_H2_the_answer_fits_the_tool(chat: ChatModel, task: str) -> None:
    answer = chat.structured(task, prompt(task), TOOLS[task])
    assert TOOLS[task].parameters["required"] == [
        key for key in TOOLS[task].parameters["required"] if key in answer
    ]
    assert answer | ANSWERS[task] == answer


def test_F1_the_wise_script_judges_as_a_good_model_would(chat: ChatModel) -> None:
    decisions = chat.structured("extract", prompt("extract"), TOOLS["extract"])["decisions"]
    assert [(one["index"], one["action"], one["known"]) for one in decisions] == [
        (0, "confirm", 0),
        (1, "supersede", 1),
        (2, "supersede", 2),
        (3, "add", None),
        (4, "ignore", 3),
    ]


@pytest.mark.parametrize(
    ("tool", "data", "expected"),
    [
        (
            "judge_facts",
            {
                "drafts": [{"index": 3, "content": "a b"}],
                "known": [{"index": 1, "content": "A b."}],
            },
            {"draft": 3, "action": "confirm", "known": 1},
        ),
        ("decide_memory", {"messages": ["I like tea"]}, {"should_remember": True}),
        ("write_summary", {"messages": ["It rained. A lot."]}, {"summary": "It rained."}),
    ],
)
def test_the_wise_script_knows_the_historians_own_tools(
    tool: str, data: dict[str, Any], expected: dict[str, Any]
) -> None:
    message = {"role": "user", "content": f"```json\n{json.dumps(data)}\n```"}
    answer = WiseScript()(tool, {"messages": [message]})
    (answer,) = answer.get("decisions", [answer])
    assert answer | expected == answer


def test_H5_every_request_is_in_the_ledger(
    chat: ChatModel, server: ScriptedModel, ledger: Calls
) -> None:
    for task in TOOLS:
        chat.structured(task, prompt(task), TOOLS[task])
    assert len(ledger.calls) == len(server.requests)
    good = [call for call in ledger.calls if call.ok]
    assert len(good) == len(TOOLS)
    assert all(call.prompt_tokens > 0 and call.completion_tokens > 0 for call in good)
    assert all(call.mode.endswith("~") is not server.usage for call in good)
    assert all(call.error for call in ledger.calls if not call.ok)


def test_the_data_reaches_the_model_whole(chat: ChatModel, server: ScriptedModel) -> None:
    chat.structured("merge", prompt("merge"), TOOLS["merge"])
    assert all(data_of(seen.body) == DATA["merge"] for seen in server.requests)
    assert {seen.tool for seen in server.requests} == {"update_profile"}


def test_a_closed_model_says_so(chat: ChatModel) -> None:
    chat.close()
    chat.close()
    with pytest.raises(ModelError, match="closed"):
        chat.structured("decide", prompt("decide"), TOOLS["decide"])


def test_R1_a_wrong_key_is_refused_in_words_that_say_what_to_do(ledger: Calls) -> None:
    with ScriptedModel(key="sk-right-one") as server:
        settings = ChatSettings(api_url=server.url, api_key="sk-wrong-one", model_name="m")
        model = OpenAIChat(settings, ledger)
        with pytest.raises(ModelError, match=r"401.*Check api_url, api_key") as caught:
            model.structured("decide", prompt("decide"), TOOLS["decide"])
        assert "sk-wrong-one" not in str(caught.value)
        model.close()
