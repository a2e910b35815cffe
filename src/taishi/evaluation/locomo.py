"""Reader for the official LoCoMo file (`locomo10.json`): long conversations, questions about
turns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from .cases import CaseFile, Corpus, Question, first_answerable, item, question

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
ADVERSARIAL = 5  # asks for what was never said
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


def is_format(data: Any) -> bool:
    first = data[0] if isinstance(data, list) and data else None
    return isinstance(first, dict) and "conversation" in first and "qa" in first


def read(
    name: str, data: list[dict[str, Any]], limit: int | None, gold_only: bool = True
) -> CaseFile:
    """Each sample is its own corpus. Questions are asked at the time of the last session."""
    corpora, left_out = first_answerable([_corpus(sample) for sample in data], limit, gold_only)
    return CaseFile(name, "turn", corpora, left_out)


def to_iso(text: str) -> str:
    """`1:56 pm on 8 May, 2023` as ISO; months by their English names, whatever the locale."""
    match = _TIME.fullmatch(text.strip())
    if match is None or match[5].lower() not in MONTHS:
        raise ValueError(f"{text!r:.60} is not a time such as '1:56 pm on 8 May, 2023'")
    hour = int(match[1]) % 12 + (12 if match[3].lower() == "p" else 0)
    month = MONTHS.index(match[5].lower()) + 1
    return datetime(int(match[6]), month, int(match[4]), hour, int(match[2])).isoformat()


def _corpus(sample: dict[str, Any]) -> Corpus:
    conversation = sample["conversation"]
    items = tuple(_turns(conversation))
    ids = {turn["source"] for turn in items}
    last = max((turn["time"] for turn in items if turn["time"]), default=None)
    name = str(sample.get("sample_id", ""))
    questions = tuple(
        _question(qa, ids, last, f"{name}#{number}") for number, qa in enumerate(sample["qa"])
    )
    return Corpus(name, items, questions)


def _turns(conversation: dict[str, Any]) -> Iterator[dict[str, Any]]:
    numbers = sorted(int(match[1]) for key in conversation if (match := _SESSION.fullmatch(key)))
    for number in numbers:
        session = f"session_{number}"
        time_text = conversation.get(f"{session}_date_time")
        time = to_iso(time_text) if time_text else None
        for turn in conversation[session]:
            text = _text(turn)
            if text:
                fields = {
                    "text": text,
                    "speaker": turn["speaker"],
                    "time": time,
                    "session": session,
                }
                yield item(fields, _normalised_id(turn["dia_id"]))


def _text(turn: dict[str, Any]) -> str:
    """The text, and the caption of a shared picture: the evidence is often there."""
    caption = turn.get("blip_caption")
    picture = f"[shares a picture: {caption}]" if caption else ""
    return f"{turn.get('text') or ''} {picture}".strip()


def _question(qa: dict[str, Any], ids: set[str], time: str | None, id: str) -> Question:
    number = qa.get("category")
    gold = [id for id in _evidence(qa.get("evidence") or ()) if id in ids]
    category = CATEGORIES.get(number, f"category {number}") if isinstance(number, int) else "all"
    return question(
        {
            "query": qa["question"],
            "gold": gold,
            "category": category,
            "time": time,
            "id": id,
            "answer": qa.get("answer"),
            "unanswerable": number == ADVERSARIAL,
        }
    )


def _evidence(value: str | Iterable[str]) -> Iterator[str]:
    """Turn ids, however they are written: several in one string, with zeros before the number."""
    for text in [value] if isinstance(value, str) else value:
        yield from map(_normalised_id, re.split(r"[;,\s]+", str(text)))


def _normalised_id(id: str) -> str:
    match = _TURN_ID.fullmatch(id)
    return f"D{int(match[1])}:{int(match[2])}" if match else id
