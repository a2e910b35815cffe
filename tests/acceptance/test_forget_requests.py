"""What a person asks to forget is not kept as the words of the request (O2)."""

from __future__ import annotations

from pathlib import Path

import pytest

from taishi import Memory, Scope

ANN = Scope(user="ann", session="s1")


def _files_with(folder: Path, words: str) -> list[str]:
    return [
        one.name
        for one in folder.rglob("*")
        if one.is_file() and words.encode() in one.read_bytes()
    ]


def _texts(memory: Memory) -> list[str]:
    return [one.text for one in memory.records.newest(ANN, limit=100).records]


@pytest.mark.parametrize(
    ("request_text", "other", "secret", "stays"),
    [
        ("Please forget that my landlord is Pat Byrne.", "I like tea.", "Byrne", "tea"),
        ("My salary is 90210 euros. Please don't remember that.", "I like tea.", "90210", "tea"),
        ("忘掉我的老板叫王刚强，他今年五十岁。", "我喜欢喝茶。", "王刚强", "茶"),
        ("别记住我的工资是三万九千。", "我喜欢喝茶。", "三万九千", "茶"),
        ("Forget the thing about the Lisbon offsite.", "I like tea.", "Lisbon", "tea"),
        ("我跟男朋友郭立群分手了，这事你别记。", "我喜欢喝茶。", "郭立群", "茶"),
    ],
)
def test_O2_a_request_to_forget_is_nowhere(
    tmp_path: Path, request_text: str, other: str, secret: str, stays: str
) -> None:
    said = f"{other} {request_text}"
    message = {"text": said, "speaker": "Ann", "speaker_id": "ann"}
    with Memory.open(tmp_path / "data") as memory:
        for number in range(2):
            given = {"messages": [message], "sender_id": "ann", "sender_name": "Ann"}
            memory.end_turn(ANN, new_info=[other, request_text], **given, wait=5)
            assert all(secret not in text for text in _texts(memory)), number  # the raw turn
        memory.consider(ANN, [message])
        memory.sessions.add_messages(ANN, [message, {"text": other, "speaker": "Ann"}])
        memory.session(ANN).append([{"role": "user", "content": other}])
        memory.drain(20)
        memory.sessions.end(ANN)
        memory.drain(20)
        texts = _texts(memory)
        assert any(stays in text for text in texts)
        assert all(secret not in text for text in texts)
        assert secret not in memory.context(ANN, request_text)
        assert secret not in memory.sessions.summary(ANN)


def test_O2_a_turn_that_only_asks_to_forget_leaves_nothing(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "data") as memory:
        news = ["Please forget that I live in Cork."]
        assert memory.end_turn(ANN, "Removed that Ann lives in Cork.", news) is None
        assert memory.end_turn(ANN, new_info=["Don't forget that I live in Cobh."]) is not None
        memory.drain(20)
    assert _files_with(tmp_path, "Cork") == []
    assert _files_with(tmp_path, "Cobh")


def test_O2_what_repeats_a_request_goes_with_it_and_nothing_else(tmp_path: Path) -> None:
    """Also the earlier message that the turn brings along, and the bot's answer."""
    with Memory.open(tmp_path / "data") as memory:
        memory.end_turn(
            ANN,
            "Deleted Ann's landlord Pat Byrne. Fixed the login test.",
            ["Forget that my landlord is Pat Byrne.", "I live in Dublin."],
            messages=[
                {"text": "My landlord is Pat Byrne.", "speaker": "Ann"},
                {"text": "Pat Byrne is noted as your landlord.", "speaker": "Bot"},
                {
                    "text": "Forget that my landlord is Pat Byrne. I live in Dublin.",
                    "speaker": "Ann",
                },
            ],
            sender_name="Ann",
            bot_name="Bot",
        )
        memory.drain(20)
        assert [one.text for one in memory.facts.list(ANN)] == ["Ann lives in Dublin"]
        assert any("login test" in text for text in _texts(memory))
    assert _files_with(tmp_path, "Byrne") == []


def test_what_takes_a_statement_back_still_does(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "data") as memory:
        memory.end_turn(ANN, new_info="I live in Berlin.", sender_name="Ann")
        memory.drain(20)
        memory.end_turn(ANN, new_info="Forget what I said about Berlin.", sender_name="Ann")
        memory.drain(20)
        assert [one.state for one in memory.facts.list(ANN)] == ["rejected"]
