"""A summary that names the bot is not said to be the bot's once more."""

from __future__ import annotations

import pytest

from taishi.historian.bot_deeds import as_label, names_bot, without_role


@pytest.mark.parametrize(
    ("action", "bot"),
    [
        ("The assistant fixed the form.", "the assistant"),
        ("Assistant fixed the form.", "the assistant"),
        ("The bot fixed the form.", "Mo"),
        ("An AI agent fixed it.", "the assistant"),
        ("mo fixed the form.", "Mo"),
        ("助手修好了表单。", "助手"),
        ("AI助手修好了表单。", "小太"),
    ],
)
def test_it_is_named(action: str, bot: str) -> None:
    assert names_bot(action, bot)


@pytest.mark.parametrize(
    ("action", "bot"),
    [
        ("Fixed the form.", "the assistant"),
        ("The assistant's manual was printed.", "Mo"),
        ("Botany books were ordered.", "the assistant"),
        ("修好了表单。", "助手"),
    ],
)
def test_it_is_not_named(action: str, bot: str) -> None:
    assert not names_bot(action, bot)


@pytest.mark.parametrize(
    ("action", "left"),
    [
        ("Assistant: fixed the form", "fixed the form"),
        ("助手：修好了表单", "修好了表单"),
        ("Assistant manager: fixed it", "Assistant manager: fixed it"),
        ("Note: fixed it", "Note: fixed it"),
    ],
)
def test_a_role_is_no_part_of_the_summary(action: str, left: str) -> None:
    assert without_role(action) == left


def test_a_label_looks_like_no_chat_role() -> None:
    assert as_label("the assistant") != "the assistant"
    assert as_label("助手") != "助手"
    assert as_label("Mo") == "Mo"
