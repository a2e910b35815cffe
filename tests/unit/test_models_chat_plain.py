"""`OpenAIChat.complete`: words instead of data, with the same tries, waits and ledger."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from support.scripted_model import Reply, ScriptedModel
from taishi.errors import ModelDownError, ModelError
from taishi.models.chat.model import OpenAIChat
from taishi.ports import Call
from taishi.settings.schema import ChatSettings, ModelSettings

ASKED = [{"role": "user", "content": "Where does Ann live?"}]


class Calls:
    def __init__(self) -> None:
        self.calls: list[Call] = []

    def add(self, call: Call) -> None:
        self.calls.append(call)


@contextmanager
def chat(server: ScriptedModel, calls: Calls, judge: str = "") -> Iterator[OpenAIChat]:
    prices = {"price_in": 1.0, "price_out": 2.0}
    own = ModelSettings(server.url, "k-12345", judge) if judge else None
    settings = ChatSettings(server.url, "k-12345", "general", eval_judge=own, **prices)  # type: ignore[arg-type]
    with closing(OpenAIChat(settings, calls, sleep=lambda _: None)) as model:
        yield model


def test_words_come_back_as_they_are_and_are_entered_in_the_ledger() -> None:
    calls = Calls()
    with ScriptedModel(lambda *_: "Oslo {1}") as server, chat(server, calls) as model:
        said = model.complete("eval_answer", ASKED)
        assert "tools" not in server.requests[0].body
        assert "response_format" not in server.requests[0].body
    assert said.text == "Oslo {1}" and said.prompt_tokens > 0
    (call,) = calls.calls
    assert (call.task, call.model, call.ok, call.mode) == ("eval_answer", "general", True, "text")
    spent = said.prompt_tokens + 2 * said.completion_tokens
    assert call.cost == pytest.approx(spent / 1_000_000)


def test_a_task_may_have_a_model_of_its_own() -> None:
    with ScriptedModel(lambda *_: "yes") as server, chat(server, Calls(), "strict") as model:
        model.complete("eval_judge", ASKED)
        model.complete("eval_answer", ASKED)
        assert [seen.body["model"] for seen in server.requests] == ["strict", "general"]


def test_a_model_without_temperature_is_asked_without_it() -> None:
    with (
        ScriptedModel(lambda *_: "yes", refuses={"temperature"}) as server,
        chat(server, Calls()) as model,
    ):
        assert model.complete("eval_judge", ASKED).text == "yes"
        assert model.complete("eval_judge", ASKED).text == "yes"
        assert ["temperature" in seen.body for seen in server.requests] == [True, False, False]


def test_busy_down_empty_and_refused_are_told_apart() -> None:
    calls = Calls()
    with ScriptedModel(lambda *_: "yes", ["429", "empty"]) as server, chat(server, calls) as model:
        assert model.complete("eval_judge", ASKED).text == "yes"
        assert [call.ok for call in calls.calls] == [False, False, True]
        server.script.extend(["empty", "empty"])
        with pytest.raises(ModelError, match="no choice"):
            model.complete("eval_judge", ASKED)
        long = {"error": {"message": "maximum context length is 8192 tokens"}}
        server.script.append(Reply(400, long))
        with pytest.raises(ModelError, match="does not fit the context"):
            model.complete("eval_answer", ASKED)
        server.script.append(Reply(401, {"error": {"message": "bad key k-12345"}}))
        with pytest.raises(ModelError, match=r"401: bad key \*\*\*"):
            model.complete("eval_answer", ASKED)
        server.script.extend(["500"] * 4)
        with pytest.raises(ModelDownError):
            model.complete("eval_answer", ASKED)
