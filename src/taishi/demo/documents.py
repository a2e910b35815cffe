"""The demo's chapter about documents: added to the shared scope, asked in both languages."""

from __future__ import annotations

from dataclasses import dataclass

from taishi import Memory, Scope

DEADLINE_SECONDS = 10.0
OFFICE = Scope(shared=True)
DOCUMENTS = {
    "house-rules.txt": """House rules of the boat club.

Guests may use the boats only together with a member. The boathouse is locked at ten in the evening.

Life jackets hang behind the door; they are checked every April by the safety officer.
""",
    "会员须知.txt": """会员须知

会费每年一月缴纳，学生减半。退会须在年底前两个月书面提出。

船只损坏请当天报告，维修由俱乐部安排，费用先由会员垫付。
""",
}
QUESTIONS = (
    ("who checks the life jackets?", "safety officer"),
    ("学生的会费是多少？", "减半"),
)


@dataclass(frozen=True, slots=True)
class CitedAnswer:
    """A question to documents; `found` says whether the right passage came first."""

    ask: str
    passage: str
    citation: str
    found: bool


@dataclass(frozen=True, slots=True)
class DocumentPart:
    documents: int
    chunks: int
    touched_again: int  # by adding the same once more: nothing
    answers: tuple[CitedAnswer, ...]


def play_documents(memory: Memory) -> DocumentPart:
    added = [
        info
        for name, text in DOCUMENTS.items()
        if (info := memory.knowledge.add(OFFICE, text, name=name))
    ]
    memory.drain()
    before = memory.status()["records"]
    for name, text in DOCUMENTS.items():
        memory.knowledge.add(OFFICE, text, name=name)
    touched = sum(memory.status()["records"].values()) - sum(before.values())
    answers = tuple(_asked(memory, ask, right) for ask, right in QUESTIONS)
    chunks = sum(info.chunks for info in added)
    return DocumentPart(len(added), chunks, touched, answers)


def _asked(memory: Memory, ask: str, right: str) -> CitedAnswer:
    found = memory.knowledge.search(OFFICE, ask, top_k=1, deadline=DEADLINE_SECONDS)
    if not found.hits:
        return CitedAnswer(ask, "", "", False)
    hit = found.hits[0]
    passage = str(hit.metadata["matched"])
    return CitedAnswer(ask, passage, str(hit.metadata["citation"]), right in passage)
