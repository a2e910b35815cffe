"""What memory said itself is no news and no evidence, after a restart either (H6)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.scripted_model import ScriptedModel, WiseScript
from taishi import Memory, Message, Scope
from taishi.tools import dispatch
from taishi.types import Record

ANN = Scope(user="ann", session="s1")
CLUB = Scope(group="club", user="ann")
SLOW_MACHINE = {"query.recall_timeout": 5.0}
BOT = "Quill"
Open = Callable[..., Memory]


def told(memory: Memory, scope: Scope = ANN) -> None:
    """Ann says where she lives and what she is allergic to, in her own words."""
    for said in ("I live in Cork.", "I am allergic to peanuts."):
        memory.end_turn(scope, new_info=said, sender_name="Ann", bot_name=BOT,
                        messages=[Message(said, "Ann", speaker_id="ann")])  # fmt: skip
    assert memory.drain(30)


def fact(memory: Memory, scope: Scope = ANN) -> Record:
    return next(one for one in memory.facts.list(scope, ["approved"]) if "Cork" in one.text)


def state(memory: Memory, scope: Scope = ANN) -> tuple[Any, ...]:
    """What an echo may not change."""
    found = fact(memory, scope)
    events = [r.id for r in memory.records.list(scope, kinds=["event", "turn"]).records]
    return found.confidence, found.data["evidence_count"], found.data["sources"], sorted(events)


def handed_out(memory: Memory, how: str, scope: Scope = ANN) -> list[str]:
    """What a bot has read, and may say again."""
    if how == "block":
        return [memory.context(scope, "where does Ann live, in Cork?")]
    if how == "markdown block":
        return [memory.context(scope, "where does Ann live, in Cork?", form="markdown")]
    if how == "xml block":
        return [memory.context(scope, "where does Ann live, in Cork?", form="xml")]
    if how == "line of a block":
        block = memory.context(scope, "where does Ann live, in Cork?")
        return [line for line in block.splitlines() if "Cork" in line]
    if how == "hits":
        return [hit.text for hit in memory.recall(scope, "where does Ann live, in Cork?").hits]
    if how == "page":
        page = memory.get_profile(scope, "user", "ann")
        assert page is not None
        return [line for line in page.body.splitlines() if line.strip()]
    said = dispatch(memory, "search_events", {"query": "Ann lives in Cork"}, scope)
    assert "Cork" in said
    return [said]


WAYS = ("block", "markdown block", "xml block", "line of a block", "hits", "page", "tool")


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("restart", [False, True], ids=["", "after a restart"])
def test_H6_an_echo_is_neither_an_event_nor_evidence(
    open_memory: Open, how: str, restart: bool
) -> None:
    memory = open_memory(SLOW_MACHINE)
    told(memory)
    before = state(memory)
    echoes = handed_out(memory, how)
    assert any("Cork" in one for one in echoes)
    if restart:
        memory.close()
        memory = open_memory(SLOW_MACHINE)
    for echo in echoes:
        assert memory.end_turn(ANN, new_info=echo, sender_name="Ann", bot_name=BOT) is None
        assert memory.end_turn(ANN, action_summary=echo, bot_name=BOT) is None
        said = [Message("hello", "Ann"), Message(f"As I know: {echo}", BOT)]
        memory.end_turn(ANN, new_info=["Ann says hello", echo], messages=said,
                        sender_name="Ann", bot_name=BOT, request_id="hello")  # fmt: skip
        memory.consider(ANN, [Message(echo, BOT)], sender_name="Ann", bot_name=BOT)
    assert memory.drain(30)
    found = state(memory)
    assert found[:3] == before[:3]
    new = [id for id in found[3] if id not in before[3]]
    assert all(id.startswith("hello:") for id in new), "only what else was said"
    for id in new:
        assert "Cork" not in memory.get(ANN, id).text  # type: ignore[union-attr]


def test_H6_a_block_inside_a_message_is_not_said_by_the_person(open_memory: Open) -> None:
    """Hosts put the block into the user's turn and hand that on."""
    memory = open_memory(SLOW_MACHINE)
    told(memory)
    before = state(memory)
    block = memory.context(ANN, "where does Ann live, in Cork?")
    memory.close()
    memory = open_memory(SLOW_MACHINE)
    said = Message(f"{block}\n\nhow are you?", "Ann", speaker_id="ann")
    memory.end_turn(ANN, new_info=said.text, messages=[said], sender_name="Ann", request_id="r9")
    memory.consider(ANN, [said], sender_name="Ann")
    assert memory.drain(30)
    assert state(memory)[:3] == before[:3]
    event = memory.get(ANN, "r9:1")
    assert event is not None
    assert "Cork" not in event.text


def test_H6_what_a_person_says_again_is_evidence_after_a_restart_too(open_memory: Open) -> None:
    memory = open_memory(SLOW_MACHINE)
    told(memory)
    before = fact(memory).data["evidence_count"]
    memory.recall(ANN, "where does Ann live, in Cork?")
    memory.close()
    memory = open_memory(SLOW_MACHINE)
    said = "I live in Cork."
    id = memory.end_turn(ANN, new_info=said, sender_name="Ann", bot_name=BOT,
                         messages=[Message(said, "Ann", speaker_id="ann")])  # fmt: skip
    assert id is not None
    assert memory.drain(30)
    assert fact(memory).data["evidence_count"] == before + 1


@pytest.mark.parametrize("new", ["Ann does not live in Cork", "Ann lives in Dublin",
                                 "Ann will live in Cork for 3 years"])  # fmt: skip
def test_H6_what_differs_is_news(open_memory: Open, new: str) -> None:
    memory = open_memory(SLOW_MACHINE)
    told(memory)
    memory.recall(ANN, "where does Ann live, in Cork?")
    assert memory.end_turn(ANN, new_info=new, sender_name="Ann") is not None


def test_H6_in_chinese(open_memory: Open) -> None:
    memory = open_memory(SLOW_MACHINE)
    memory.end_turn(ANN, new_info="我住在杭州。", sender_name="小明",
                    messages=[Message("我住在杭州。", "小明", speaker_id="ann")])  # fmt: skip
    assert memory.drain(30)
    count = memory.facts.list(ANN)[0].data["evidence_count"]
    hits = [hit.text for hit in memory.recall(ANN, "小明住在哪里，杭州吗").hits]
    memory.close()
    memory = open_memory(SLOW_MACHINE)
    for echo in hits:
        assert memory.end_turn(ANN, new_info=echo, sender_name="小明") is None
    assert memory.end_turn(ANN, new_info="小明不住在杭州", sender_name="小明") is not None
    assert memory.drain(30)
    assert memory.facts.list(ANN)[0].data["evidence_count"] == count


def test_H6_the_bots_own_message_is_no_evidence(open_memory: Open) -> None:
    """Nothing was recalled: the bot just says so, or the person quotes it."""
    memory = open_memory(SLOW_MACHINE)
    told(memory)
    before = state(memory)
    bot = Message("Ann lives in Cork.", BOT)
    for said in ("> Ann lives in Cork.\nreally?", 'You said "Ann lives in Cork."?', "ok"):
        person = Message(said, "Ann", speaker_id="ann")
        memory.end_turn(ANN, new_info="Ann lives in Cork.", messages=[bot, person],
                        sender_name="Ann", bot_name=BOT)  # fmt: skip
    memory.consider(ANN, [bot, Message("ok", "Ann")], sender_name="Ann", bot_name=BOT)
    assert memory.drain(30)
    assert state(memory)[:3] == before[:3]


def test_H6_a_model_that_quotes_the_bot_gives_no_evidence(open_memory: Open) -> None:
    wise = WiseScript()

    def answer(tool: str, request: dict[str, Any]) -> dict[str, Any]:
        given = wise(tool, request)
        if "facts" in given and "bot spoke" in str(request):
            given["facts"] = [{"category": "location", "content": "Ann lives in Cork",
                               "subject": "Ann", "quote": "Ann lives in Cork",
                               "confidence": 0.9}]  # fmt: skip
        return given

    with ScriptedModel(answer) as server:
        memory = open_memory({"models.chat.api_url": server.url, "models.chat.model_name": "m",
                              **SLOW_MACHINE}, embedder=None)  # fmt: skip
        told(memory)
        before = state(memory)
        memory.end_turn(ANN, action_summary="The bot spoke of Ann's home", sender_name="Ann",
                        messages=[Message("the bot spoke", "Ann", speaker_id="ann"),
                                  Message("Ann lives in Cork", BOT)], bot_name=BOT)  # fmt: skip
        assert memory.drain(30)
        assert state(memory)[:3] == before[:3]


def test_H6_what_was_handed_out_is_kept_as_hashes_and_forgotten(
    open_memory: Open, tmp_path: Path
) -> None:
    memory = open_memory(SLOW_MACHINE)
    memory.remember(CLUB, "Zebulon keeps marmalade in the boathouse")
    memory.recall(CLUB, "marmalade in the boathouse")
    assert memory.drain(20)
    rows = memory._services.runtime.parts.store.handed_out.all(CLUB.home)
    assert rows
    assert not any("marmalade" in row.told for row in rows)
    memory.end_turn(CLUB, "Ann rowed.")
    words = memory.deletions.traces(CLUB)
    memory.forget(CLUB)
    assert memory._services.runtime.parts.store.handed_out.all(CLUB.home) == []
    assert memory.deletions.prove(CLUB, words).found == ()
    for path in (tmp_path / "data").rglob("*"):
        assert not path.is_file() or b"marmalade" not in path.read_bytes()


def test_H6_a_record_that_was_forgotten_can_be_told_again(open_memory: Open) -> None:
    memory = open_memory(SLOW_MACHINE)
    id = memory.remember(CLUB, "The regatta is in June")
    assert memory.recall(CLUB, "when is the regatta?").hits
    assert memory.end_turn(CLUB, new_info="The regatta is in June") is None
    memory.forget(CLUB, id)
    assert memory.end_turn(CLUB, new_info="The regatta is in June") is not None


def test_H6_places_are_apart_and_bounded(open_memory: Open) -> None:
    memory = open_memory(SLOW_MACHINE)
    for number in range(230):
        memory.remember(CLUB, f"boat {number} is moored at pier {number * 7}")
        memory.recall(CLUB, f"boat {number} pier {number * 7}", top_k=1)
    assert memory.drain(20)
    assert 0 < len(memory._services.runtime.parts.store.handed_out.all(CLUB.home)) <= 200
    elsewhere = Scope(group="other", user="ann")
    assert memory.end_turn(elsewhere, new_info="boat 229 is moored at pier 1603") is not None
    assert memory.end_turn(CLUB, new_info="boat 229 is moored at pier 1603") is None
