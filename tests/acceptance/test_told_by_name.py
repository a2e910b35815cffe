"""What a bot is told to do, with its name before or after it, is an instruction like any other (H8,
W9)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from taishi import Memory, Message, Scope

PRIVATE, GROUP = Scope(user="u1"), Scope(user="u1", group="g1")


def told(memory: Memory, scope: Scope, said: str, bot: str) -> list[str]:
    speaker = "Ann" if said.isascii() else "老柯"
    names = {"sender_name": speaker, "bot_name": bot}
    memory.consider(scope, [Message(said, speaker=speaker)], **names)
    memory.drain(30)
    return [one.text for one in memory.facts.list(scope) if one.state == "approved"]


@pytest.mark.parametrize(
    ("said", "bot", "words"),
    [
        ("小桨，别再给我发早安了", "小桨", "别再给我发早安了"),
        ("小桨，以后别给我推奶茶", "小桨", "以后别给我推奶茶"),
        ("小桨以后叫我舟哥", "小桨", "以后叫我舟哥"),
        ("小桨 以后都叫我阿胜", "小桨", "以后都叫我阿胜"),
        ("小桨小桨，以后回答短一点", "小桨", "以后回答短一点"),
        ("嘿小桨，别再提我前任了", "小桨", "别再提我前任了"),
        ("以后别给我推奶茶，小桨", "小桨", "以后别给我推奶茶"),
        ("R2D2以后叫我舟哥", "R2D2", "以后叫我舟哥"),
        ("Paddle别再给我发早安了", "Paddle", "别再给我发早安了"),
        ("Paddle, from now on call me Bo", "Paddle", "from now on call me Bo"),
        ("Paddle always answer in French", "Paddle", "always answer in French"),
        ("hey Paddle, keep your answers short", "Paddle", "keep your answers short"),
        ("call me Bo from now on, Paddle", "Paddle", "call me Bo from now on"),
        ("以后回我消息短一点", "小桨", "以后回我消息短一点"),
        ("从今天起别跟我开玩笑", "小桨", "从今天起别跟我开玩笑"),
        ("从今天起不许拿我开玩笑", "小桨", "从今天起不许拿我开玩笑"),
        ("别老叫我宝子", "小桨", "别老叫我宝子"),
        ("下次别叫我全名", "小桨", "下次别叫我全名"),
        ("from today on don't joke with me", "Paddle", "from today on don't joke with me"),
        ("next time don't call me by my full name", "Paddle",
         "next time don't call me by my full name"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("scope", [PRIVATE, GROUP], ids=["private", "group"])
def test_H8_the_bots_name_takes_nothing_from_an_instruction(
    open_memory: Callable[..., Memory], scope: Scope, said: str, bot: str, words: str
) -> None:
    found = told(open_memory(), scope, said, bot)
    assert len(found) == 1
    assert words in found[0]
    assert bot not in found[0]


@pytest.mark.parametrize(
    ("said", "bot"),
    [
        ("小桨很聪明", "小桨"),
        ("小桨别走", "小桨"),
        ("小桨请假了", "小桨"),
        ("小桨以后会更好", "小桨"),
        ("下次别叫我了", "小桨"),
        ("下次别忘了带伞", "小桨"),
        ("别老发呆", "小桨"),
        ("Paddle is great", "Paddle"),
        ("Paddles always float", "Paddle"),
        ("next time don't forget the milk", "Paddle"),
    ],
)
def test_H8_the_bots_name_makes_no_instruction(
    open_memory: Callable[..., Memory], said: str, bot: str
) -> None:
    assert told(open_memory(), PRIVATE, said, bot) == []


def test_H4_that_it_is_no_joke_takes_nothing_from_a_statement(
    open_memory: Callable[..., Memory],
) -> None:
    memory = open_memory()
    assert told(memory, PRIVATE, "我对花生过敏，没开玩笑", "小桨") == ["老柯对花生过敏"]
    assert told(memory, GROUP, "我住在火星，开玩笑的", "小桨") == []
