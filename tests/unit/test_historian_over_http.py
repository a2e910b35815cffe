"""All five tasks through the real chat client and a scripted server, in both languages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from support.scripted_model import ScriptedModel
from taishi.domain.drafts import FactDraft
from taishi.historian.model_writer import ModelWriter
from taishi.historian.profile_merge import merge_profile
from taishi.historian.prompt_loader import Prompts
from taishi.historian.reconcile import KnownFact, reconcile
from taishi.historian.salience import decide
from taishi.historian.summarise import summarise
from taishi.models.chat.model import OpenAIChat
from taishi.settings.schema import ChatSettings
from taishi.types import Job, Message, Profile

PROMPTS = Prompts.load()


class NoLedger:
    def add(self, call: Any) -> None: ...


@pytest.fixture
def server() -> Iterator[ScriptedModel]:
    with ScriptedModel() as running:
        yield running


@pytest.fixture
def model(server: ScriptedModel) -> Iterator[OpenAIChat]:
    settings = ChatSettings(api_url=server.url, model_name="scripted", timeout_seconds=5.0)
    chat = OpenAIChat(settings, NoLedger())
    yield chat
    chat.close()


def job(text: str, name: str) -> Job:
    return Job(
        request_id="r1",
        end_seq=1,
        action_summary="",
        new_info=(text,),
        timestamp_utc="2026-02-20T06:30:00+00:00",
        timestamp_local="2026-02-20T14:30:00+08:00",
        timezone="Asia/Shanghai",
        epoch=1771569000.0,
        workspace="default",
        request_type="private",
        user_id="u7",
        sender_name=name,
    )


@pytest.mark.parametrize(
    ("text", "name", "content"),
    [
        ("I moved from Berlin to Oslo", "Ann", "Ann moved from Berlin to Oslo"),
        ("我从柏林搬到了奥斯陆", "安安", "安安从柏林搬到了奥斯陆"),
    ],
)
def test_H2_a_turn_is_written(model: OpenAIChat, text: str, name: str, content: str) -> None:
    draft = ModelWriter(model, PROMPTS, lambda: 2).write(job(text, name))
    assert (draft.is_absolute, draft.revisions, draft.warnings) == (True, 0, ())
    assert [(fact.content, fact.category, fact.quote) for fact in draft.facts] == [
        (content, "residence", text)
    ]


def test_F1_facts_are_judged(model: OpenAIChat) -> None:
    drafts = [FactDraft("Ann moved to Oslo", "residence", "Ann"), FactDraft("Ann likes tea")]
    known = [KnownFact(0, "fact-1", "Ann lives in Berlin", "residence")]
    found = reconcile(model, PROMPTS, "en", drafts, known)
    assert [(d.action, d.known_id) for d in found] == [("supersede", "fact-1"), ("add", None)]


def test_P2_a_profile_is_merged(model: OpenAIChat) -> None:
    found = merge_profile(model, PROMPTS, "en", Profile("user", "u7", "Ann"), ["Ann likes tea"])
    assert found is not None and found.body == "- Ann likes tea"


def test_W9_W8_talk_is_judged_and_summarised(model: OpenAIChat, server: ScriptedModel) -> None:
    talk = [Message("我喜欢喝茶。", "安安"), Message("好的。", "助手")]
    found = decide(model, PROMPTS, "zh", talk)
    assert (found.should_remember, found.new_info) == (True, ("我喜欢喝茶。",))
    assert summarise(model, PROMPTS, "zh", talk, "安安来了。") == "安安来了。 我喜欢喝茶。 好的。"
    assert [len(server.asked(tool)) for tool in ("decide", "summarise")] == [1, 1]


@pytest.mark.parametrize("fault", ["truncated", "dict", "list", "ignored", "empty", "json"])
def test_H2_a_stumble_is_survived(model: OpenAIChat, server: ScriptedModel, fault: str) -> None:
    server.script.append(fault)
    draft = ModelWriter(model, PROMPTS, lambda: 2).write(job("I like tea", "Ann"))
    assert draft.is_absolute and [fact.content for fact in draft.facts] == ["Ann likes tea"]
