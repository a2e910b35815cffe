"""The official LoCoMo file (`locomo10.json`): long conversations, questions about single turns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from .cases import CaseFile, Corpus, Question, first_answerable, item, question

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_SESSION = re.compile(r"session_(\d{1,6})")
_TURN_ID = re.compile(r"D(\d{1,6}):(\d{1,6})")
_TIME = re.compile(r"(\d{1,2}):(\d\d) ?([ap])m on (\d{1,2}) ([a-z]+),? (\d{4})", re.IGNORECASE)


def is_one(data: Any) -> bool:
    first = data[0] if isinstance(data, list) and data else None
    return isinstance(first, dict) and "conversation" in first and "qa" in first


def read(name: str, data: list[dict[str, Any]], limit: int | None) -> CaseFile:
    """Each sample is a place of its own. A question is asked when the last session was held."""
    corpora, left_out = first_answerable([_corpus(sample) for sample in data], limit)
    return CaseFile(name, "turn", corpora, left_out)


def to_iso(said: str) -> str:
    """`1:56 pm on 8 May, 2023` as ISO; months by their English names, whatever the locale."""
    found = _TIME.fullmatch(said.strip())
    if found is None or found[5].lower() not in MONTHS:
        raise ValueError(f"{said!r:.60} is not a time such as '1:56 pm on 8 May, 2023'")
    hour = int(found[1]) % 12 + (12 if found[3].lower() == "p" else 0)
    month = MONTHS.index(found[5].lower()) + 1
    return datetime(int(found[6]), month, int(found[4]), hour, int(found[2])).isoformat()


def _corpus(sample: dict[str, Any]) -> Corpus:
    conversation = sample["conversation"]
    items = tuple(_turns(conversation))
    ids = {one["source"] for one in items}
    last = max((one["time"] for one in items if one["time"]), default=None)
    asked = tuple(_question(qa, ids, last) for qa in sample["qa"])
    return Corpus(str(sample.get("sample_id", "")), items, asked)


def _turns(conversation: dict[str, Any]) -> Iterator[dict[str, Any]]:
    numbers = sorted(int(found[1]) for key in conversation if (found := _SESSION.fullmatch(key)))
    for number in numbers:
        session = f"session_{number}"
        said = conversation.get(f"{session}_date_time")
        time = to_iso(said) if said else None
        for turn in conversation[session]:
            text = _text(turn)
            if text:
                known = {"text": text, "speaker": turn["speaker"], "time": time, "session": session}
                yield item(known, _plain(turn["dia_id"]))


def _text(turn: dict[str, Any]) -> str:
    """What was said, and what the picture that was shared shows: the evidence is often there."""
    caption = turn.get("blip_caption")
    shown = f"[shares a picture: {caption}]" if caption else ""
    return f"{turn.get('text') or ''} {shown}".strip()


def _question(qa: dict[str, Any], ids: set[str], time: str | None) -> Question:
    number = qa.get("category")
    gold = [id for id in _evidence(qa.get("evidence") or ()) if id in ids]
    category = CATEGORIES.get(number, f"category {number}") if isinstance(number, int) else "all"
    return question({"query": qa["question"], "gold": gold, "category": category, "time": time})


def _evidence(said: str | Iterable[str]) -> Iterator[str]:
    """Turn ids, however they are written: several in one string, with zeros before the number."""
    for text in [said] if isinstance(said, str) else said:
        yield from map(_plain, re.split(r"[;,\s]+", str(text)))


def _plain(id: str) -> str:
    found = _TURN_ID.fullmatch(id)
    return f"D{int(found[1])}:{int(found[2])}" if found else id
