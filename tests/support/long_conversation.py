"""A generated conversation of 400 messages with tool calls and pictures, and 40 facts in it."""

from __future__ import annotations

import base64
import json
import random
from typing import Any, NamedTuple

SYSTEM = "You are the assistant of a small observatory. Answer briefly, and name your sources."


class Fact(NamedTuple):
    said: str
    asked: str
    answer: str


FACTS = (
    Fact("My sister Greta lives in Bergen.", "Where does Greta live?", "Bergen"),
    Fact("I am allergic to hazelnuts.", "What am I allergic to?", "hazelnuts"),
    Fact("My dog is called Pluto.", "What is the dog called?", "Pluto"),
    Fact("I moved to Trondheim in 2019.", "When did I move to Trondheim?", "2019"),
    Fact("We decided to paint the dome matt white.", "Which colour for the dome?", "matt white"),
    Fact("The main mirror has a diameter of 612 mm.", "How large is the main mirror?", "612"),
    Fact("I prefer the Nikon lens for wide fields.", "Which lens for wide fields?", "Nikon"),
    Fact("My birthday is on 4 November.", "When is my birthday?", "4 November"),
    Fact("The caretaker's name is Olav Hauge.", "What is the name of the caretaker?", "Olav"),
    Fact("I booked the cabin in Lom for Easter.", "Which cabin did I book for Easter?", "Lom"),
    Fact("My brother Nils works at Equinor.", "Where does Nils work?", "Equinor"),
    Fact("The deadline of the grant is 15 June.", "When is the grant's deadline?", "15 June"),
    Fact("I like my coffee with cardamom.", "How do I like my coffee?", "cardamom"),
    Fact("The spare key is under the third flowerpot.", "Where is the spare key?", "flowerpot"),
    Fact("My daughter Ida plays the cello.", "What does Ida play?", "cello"),
    Fact("We agreed to meet every second Tuesday.", "How often do we meet?", "Tuesday"),
    Fact("The budget for the new mount is 48,000 kroner.", "Budget of the new mount?", "48,000"),
    Fact("I want to learn Portuguese this year.", "Which language do I want to learn?", "Portug"),
    Fact("My doctor is Dr. Sundby in Oslo.", "Who is my doctor?", "Sundby"),
    Fact("The old telescope was sold to a school in Voss.", "Who has the old telescope?", "Voss"),
    Fact("我的妹妹小雨在成都上大学。", "小雨在哪里上大学？", "成都"),
    Fact("我对花生过敏。", "我对什么过敏？", "花生"),
    Fact("我的猫叫豆包。", "我的猫叫什么？", "豆包"),
    Fact("我去年搬到了厦门。", "我搬到了哪里？", "厦门"),
    Fact("我们决定周年庆在鼓浪屿办。", "周年庆在哪里办？", "鼓浪屿"),
    Fact("新望远镜的口径是 305 毫米。", "新望远镜的口径是多少？", "305"),
    Fact("我喜欢喝茉莉花茶。", "我喜欢喝什么茶？", "茉莉"),
    Fact("我的生日是三月十二日。", "我的生日是哪天？", "三月十二"),
    Fact("社长叫林致远。", "社长叫什么？", "林致远"),
    Fact("我订了七月去敦煌的车票。", "车票是去哪里的？", "敦煌"),
    Fact("我哥哥在海事局工作。", "我哥哥在哪里工作？", "海事局"),
    Fact("报名截止到五月二十日。", "报名什么时候截止？", "五月二十"),
    Fact("我打算学潜水。", "我打算学什么？", "潜水"),
    Fact("备用电池放在二号柜子里。", "备用电池放在哪里？", "二号柜"),
    Fact("我女儿朵朵在学小提琴。", "朵朵在学什么？", "小提琴"),
    Fact("我们约好每月初一观测木星。", "约好什么时候观测木星？", "初一"),
    Fact("维修预算是八千六百元。", "维修预算是多少？", "八千六百"),
    Fact("我住在思明区。", "我住在哪个区？", "思明"),
    Fact("我的牙医是赵医生。", "我的牙医是谁？", "赵医生"),
    Fact("旧赤道仪捐给了实验小学。", "旧赤道仪捐给了谁？", "实验小学"),
)  # fmt: skip

_ASKS = (
    "Please look up how the seeing was in week {}.",
    "Could you check the temperature log of night {}?",
    "请查一下第{}号目标的观测记录。",
    "How many exposures are in folder {}?",
)
_REPLIES = (
    "The log shows nothing unusual; the values stay within the usual range, and the wind was low.",
    "记录显示一切正常，风速较低，数值都在平常范围之内，可以照常安排。",
    "There are a few gaps around midnight, which the restart of the dome explains.",
    "Done. I compared it with the week before and found no difference that would matter to you.",
)


def conversation(seed: int = 7, messages: int = 400) -> list[dict[str, Any]]:
    """As a host would append it. Each round: a question or a fact, at times a picture or tool
    calls with long results, an answer. The facts are in the first three quarters."""
    rng = random.Random(seed)
    said: list[dict[str, Any]] = [{"role": "system", "content": SYSTEM}]
    facts = list(FACTS)
    rng.shuffle(facts)
    every = messages * 3 // 4 // len(facts)
    due = 0
    while len(said) < messages:
        due += 1
        if facts and len(said) // every >= len(FACTS) - len(facts):
            said.append({"role": "user", "content": f"By the way: {facts.pop().said}"})
        elif rng.random() < 0.15:
            said.append({"role": "user", "content": _picture(rng, due)})
        else:
            said.append({"role": "user", "content": rng.choice(_ASKS).format(due)})
        if rng.random() < 0.45:
            said += _tool_round(rng, due)
        if rng.random() < 0.05:
            said.append({"role": "system", "content": SYSTEM})
        said.append({"role": "assistant", "content": rng.choice(_REPLIES)})
    last = {"role": "user", "content": "What was it that we decided about the dome, and why?"}
    return [*said[: messages - 1], last]


def _picture(rng: random.Random, number: int) -> list[dict[str, Any]]:
    data = base64.b64encode(rng.randbytes(3000)).decode()
    return [
        {"type": "text", "text": f"What is in picture {number}?"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}},
    ]


def _tool_round(rng: random.Random, number: int) -> list[dict[str, Any]]:
    ids = [f"call_{number}_{n}" for n in range(rng.choice((1, 1, 2)))]
    calls = [
        {
            "id": id,
            "type": "function",
            "function": {"name": "read_log", "arguments": json.dumps({"night": number})},
        }
        for id in ids
    ]
    results = [
        {
            "role": "tool",
            "tool_call_id": id,
            "content": "\n".join(
                f"{hour:02d}:00 seeing {rng.uniform(0.8, 3):.2f} wind {rng.uniform(0, 9):.1f} m/s"
                for hour in range(rng.choice((3, 24, 60)))
            ),
        }
        for id in ids
    ]
    return [{"role": "assistant", "content": None, "tool_calls": calls}, *results]


def whole_pairs(messages: list[dict[str, Any]]) -> bool:
    """As a chat model's server checks it: each call is answered, directly after it, once; no
    result without its call."""
    waiting: set[str] = set()
    for message in messages:
        if message["role"] == "tool":
            if message["tool_call_id"] not in waiting:
                return False
            waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            return False
        waiting = {call["id"] for call in message.get("tool_calls", ())}
    return not waiting
