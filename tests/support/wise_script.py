"""A good model made of rules, for our own prompts: the same question gets the same right answer.

A prompt carries its data as one JSON object in a ```json block of the last user message that has
one; the tool's name says the task. To change one task, give it by name or override its method:

    WiseScript(decide=lambda data: {"should_remember": True, "reason": "", "new_info": []})
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

Task = Callable[[dict[str, Any]], dict[str, Any]]

_BLOCK = re.compile(r"```json[ \t]*\n(.*?)\n?```", re.DOTALL)
_LIVES = re.compile(
    r"^(?P<who>.{1,40}?)\s*"
    r"(?:(?:now )?lives in|(?:has )?moved (?:from .{1,30}? )?to"
    r"|住在|(?:从.{1,10}?)?搬到(?:了)?|搬去(?:了)?)"
    r"\s*(?P<where>.{1,60})$",
    re.IGNORECASE,
)
_KEEP = re.compile(
    r"\b(?:like|love|hate|prefer|allergic|birthday|remember|appointment|meeting|plan|moved?|lives?"
    r"|works?|married|name is|favou?rite|deadline|always|never)"
    r"|喜欢|讨厌|爱吃|过敏|生日|记住|约好|开会|计划|打算|搬到|住在|工作|结婚|名字|截止|从不|总是",
    re.IGNORECASE,
)
_CATEGORIES = (
    (
        "user_preference",
        r"\b(?:like|love|hate|prefer|favou?rite|allergic)|喜欢|讨厌|爱吃|过敏|偏好",
    ),
    ("residence", r"\b(?:lives? in|moved)\b|住在|搬到|搬去"),
    ("project", r"\bprojects?\b|项目"),
    ("employer", r"\bworks? (?:at|for)\b|上班|任职"),
    ("plan", r"\b(?:plans?|will|appointment|meeting|deadline)\b|计划|打算|约好|开会|截止"),
)


def data_of(request: dict[str, Any]) -> dict[str, Any]:
    """The data of a prompt; {} where there is none."""
    for message in reversed(request.get("messages", [])):
        block = _BLOCK.search(str(message.get("content", "")))
        if message.get("role") == "user" and block:
            data = json.loads(block[1])
            return data if isinstance(data, dict) else {}
    return {}


class WiseScript:
    """answer(tool_name, request) → the tool's arguments."""

    def __init__(self, **tasks: Task) -> None:
        self._tasks = tasks

    def __call__(self, tool: str, request: dict[str, Any]) -> dict[str, Any]:
        task: Task | None = self._tasks.get(tool) or getattr(self, tool, None)
        if task is None:
            raise LookupError(f"WiseScript has no answer for the tool {tool!r}: give it one")
        return task(data_of(request))

    def record_turn(self, data: dict[str, Any]) -> dict[str, Any]:
        """The rules' own draft, and a fact for each new piece of information."""
        draft = data.get("draft") or {}
        job = data.get("job") or {}
        infos = [_text(info) for info in _items(draft.get("new_info"))]
        said = [_text(info) for info in _items(job.get("new_info"))]
        quotes = said if len(said) == len(infos) else infos
        facts = [self.fact(info, quote) for info, quote in zip(infos, quotes, strict=True)]
        return {
            "did_what": draft.get("did_what", ""),
            "new_info": infos,
            "canonical_text": draft.get("canonical_text", ""),
            "facts": [fact for fact in facts if fact["content"]],
            "procedures": [],
        }

    def fact(self, info: str, quote: str) -> dict[str, Any]:
        category = next(
            (name for name, words in _CATEGORIES if re.search(words, info, re.I)), "other"
        )
        who = re.match(
            r"[A-Z][\w-]*|[\u4e00-\u9fff]{2,3}(?=喜欢|讨厌|住|搬|在|是|对|要|打算|计划)", info
        )
        return {
            "content": info.strip(),
            "category": category,
            "subject": who[0] if who else "",
            "quote": quote,
            "confidence": 0.8,
            "valid_from": "",
            "valid_to": "",
            "life": "lasting",
            "tags": [],
        }

    def judge_facts(self, data: dict[str, Any]) -> dict[str, Any]:
        """Same words: confirm, or ignore what was rejected; another home: supersede; else add."""
        known = data.get("known") or []
        facts = data.get("drafts") or data.get("facts") or []
        return {"decisions": [self.judge(fact, known) for fact in facts]}

    def judge(self, fact: dict[str, Any], known: list[dict[str, Any]]) -> dict[str, Any]:
        content = fact.get("content", "")
        for old in known:
            if same(old.get("content", ""), content):
                action = "ignore" if old.get("state") == "rejected" else "confirm"
                return _decision(fact, action, old, "says the same")
        home = _LIVES.match(content)
        for old in known:
            before = _LIVES.match(old.get("content", ""))
            if home and before and same(home["who"], before["who"]) and _current(old):
                return _decision(fact, "supersede", old, "lives in one place at a time")
        return _decision(fact, "add", None, "new")

    def update_profile(self, data: dict[str, Any]) -> dict[str, Any]:
        """The old page, and a bullet for each statement that it does not hold yet."""
        profile = data.get("profile") or {}
        lines = [line for line in str(profile.get("summary") or "").splitlines() if line.strip()]
        held = {normal(line) for line in lines}
        for statement in map(_text, data.get("statements") or []):
            if normal(statement) not in held:
                held.add(normal(statement))
                lines.append(f"- {statement}")
        return {
            "name": profile.get("name") or "",
            "tags": list(profile.get("tags") or []),
            "summary": "\n".join(lines),
        }

    def decide(self, data: dict[str, Any]) -> dict[str, Any]:
        """Preferences, facts, appointments, plans and relationships, by keyword."""
        kept = [text for text in map(_text, data.get("messages") or []) if _KEEP.search(text)]
        return {
            "should_remember": bool(kept),
            "reason": "it says something lasting" if kept else "small talk",
            "new_info": kept,
        }

    def summarise(self, data: dict[str, Any]) -> dict[str, Any]:
        """What was known, then the first sentence of each message."""
        sentences = [str(data.get("previous") or "").strip()]
        for text in map(_text, data.get("messages") or []):
            first = re.match(r"[^.!?。！？\n]{1,200}[.!?。！？]?", text.strip())
            sentences.append(first[0] if first else "")
        return {"summary": " ".join(sentence for sentence in sentences if sentence)}

    def decide_memory(self, data: dict[str, Any]) -> dict[str, Any]:
        return self.decide(data)

    def write_summary(self, data: dict[str, Any]) -> dict[str, Any]:
        return self.summarise(data)


def normal(text: str) -> str:
    """The words alone: without case, spaces, bullets and punctuation."""
    return re.sub(r"[\W_]+", "", text).casefold()


def same(one: str, other: str) -> bool:
    return normal(one) == normal(other)


def _current(known: dict[str, Any]) -> bool:
    return known.get("state", "approved") in ("approved", "candidate")


def _decision(
    fact: dict[str, Any], action: str, known: dict[str, Any] | None, reason: str
) -> dict[str, Any]:
    return {
        "draft": fact.get("index", 0),
        "index": fact.get("index", 0),
        "action": action,
        "known": known.get("index") if known else None,
        "reason": reason,
    }


def _items(value: Any) -> list[Any]:
    if isinstance(value, str):
        return [value] if value.strip() else []
    return list(value or [])


def _text(value: Any) -> str:
    """The text of a message or statement, given as such or as an object."""
    if isinstance(value, dict):
        value = value.get("text") or value.get("content") or value.get("statement") or ""
    return str(value)
