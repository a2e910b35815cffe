"""Small made-up files in the shapes of LoCoMo and LongMemEval, and a model that plays in them.

The model answers with what its material says, and the judge compares words: what a system was given
decides whether it is right.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from support.wise_script import WiseScript

MATERIAL = re.compile(r"<material>\n(.*)\n</material>", re.DOTALL)
QUESTION = re.compile(r"(?:Question: |问题：)(.+)")
REFERENCE = re.compile(r"(?:Right answer: |正确答案：)(.*)")
GRADED = re.compile(r"(?:Answer to grade: |待批改的答案：)(.*)")
UNKNOWN = {"en": "This was not mentioned.", "zh": "没有提到。"}
# What a question asks for, as the script finds it in the material.
ANSWERS = {
    "Where did Ann move?": "Oslo",
    "What is the cat called?": "Mochi",
    "谁爱吃火锅？": "小明",
    "Which bike do I ride?": "Brompton",
    "What did you recommend for dinner?": "risotto",
}


def locomo(folder: Path) -> Path:
    """Two sessions in two languages; the last question has no answer in them."""
    first = [
        ("Ann", "I moved to Oslo in spring"),
        ("Bob", "We had tea"),
        ("Ann", "My cat is called Mochi"),
    ]
    second = [("Bob", "小明喜欢吃火锅"), ("Ann", "The lake is cold")]
    conversation: dict[str, Any] = {"speaker_a": "Ann", "speaker_b": "Bob"}
    dates = ("1:56 pm on 8 May, 2023", "9:00 am on 9 June, 2023")
    for number, (said, date) in enumerate(zip((first, second), dates, strict=True), 1):
        conversation[f"session_{number}_date_time"] = date
        conversation[f"session_{number}"] = [
            {"speaker": who, "dia_id": f"D{number}:{place}", "text": text}
            for place, (who, text) in enumerate(said, 1)
        ]
    asked = [
        {"question": "Where did Ann move?", "answer": "Oslo", "evidence": ["D1:1"], "category": 4},
        {"question": "What is the cat called?", "answer": "Mochi", "evidence": [], "category": 4},
        {"question": "谁爱吃火锅？", "answer": "小明", "evidence": ["D2:1"], "category": 1},
        {
            "question": "Which guitar does Bob own?",
            "adversarial_answer": "a Fender",
            "evidence": ["D1:2"],
            "category": 5,
        },
    ]
    data = [{"sample_id": "conv-1", "conversation": conversation, "qa": asked}]
    return _written(folder / "locomo10.json", data)


def longmemeval(folder: Path) -> Path:
    """Two questions, each with a haystack of its own; the second is one to abstain from."""
    bike = [
        {"role": "user", "content": "I ride a Brompton bike to work"},
        {"role": "assistant", "content": "Nice. For dinner I recommend a risotto."},
    ]
    tea = [
        {"role": "user", "content": "We had tea at the lake"},
        {"role": "assistant", "content": "That sounds good."},
    ]
    questions = [
        ("q1", "single-session-user", "Which bike do I ride?", "Brompton"),
        ("q2", "single-session-assistant", "What did you recommend for dinner?", "risotto"),
        ("q3_abs", "single-session-user", "Which boat do I own?", "No boat was mentioned."),
    ]
    data = [
        {
            "question_id": id,
            "question_type": kind,
            "question": asked,
            "answer": answer,
            "question_date": "2023/05/30 (Tue) 23:40",
            "haystack_session_ids": ["s1", "s2"],
            "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 10:00"],
            "haystack_sessions": [bike, tea],
            "answer_session_ids": ["s1"],
        }
        for id, kind, asked, answer in questions
    ]
    return _written(folder / "longmemeval_s.json", data)


def _written(path: Path, data: object) -> Path:
    path.write_text(json.dumps(data, ensure_ascii=False), "utf-8")
    return path


class QaScript:
    """Historian, answerer and judge at once. `judge(question, answer, reference)` may be replaced;
    it gives whatever a judge says."""

    def __init__(self, judge: Any = None) -> None:
        self._historian = WiseScript()
        self._judge = judge or self.fair

    def __call__(self, tool: str, request: dict[str, Any]) -> dict[str, Any] | str:
        if tool:
            return self._historian(tool, request)
        text = prompt_of(request)
        material = MATERIAL.search(text)
        if material:
            return self._answer(question_of(request), material[1])
        reference, answer = REFERENCE.search(text), GRADED.search(text)
        assert answer is not None, text
        said: dict[str, Any] | str = self._judge(
            question_of(request), answer[1], reference[1] if reference else None
        )
        return said

    @staticmethod
    def fair(question: str, answer: str, reference: str | None) -> dict[str, str]:
        """Without a reference the right answer is that nothing was said."""
        unknown = answer in UNKNOWN.values()
        right = unknown if reference is None else reference.lower() in answer.lower()
        return {"reason": "compared", "verdict": "right" if right else "wrong"}

    @staticmethod
    def _answer(question: str, material: str) -> str:
        known = ANSWERS.get(question, "\0")
        language = "zh" if re.search("[一-鿿]", question) else "en"
        return known if known.lower() in material.lower() else UNKNOWN[language]


def prompt_of(request: dict[str, Any]) -> str:
    return str(request["messages"][-1]["content"])


def question_of(request: dict[str, Any]) -> str:
    found = QUESTION.search(prompt_of(request))
    return found[1].strip() if found else ""


def is_answering(request: dict[str, Any]) -> bool:
    return "<material>" in prompt_of(request)
